import TestSupport

@Suite("ErrorFilter")
struct ErrorFilterTests {
    struct Envelope: Decodable { var code: Int? }

    @Test("finds an error inside a 200, and keeps the app's own error unchanged in a failure too", arguments: [200, 401])
    func appError(status: Int) async {
        var channel = Channel.test(RecordingTransport(status: status, body: #"{"code":7}"#))
        channel.errorFilter = .envelope(Envelope.self) { envelope, _ in envelope.code.map(Trouble.init) }
        let response = await channel.manager.response(for: TestEndpoint(), as: Item.self)
        #expect(response.error?.app(Trouble.self) == Trouble(code: 7))
        #expect(response.error?.context.head?.status.code == status && response.head?.status.code == status)
        #expect(response.error?.context.cause == nil, "found, not translated")
    }

    @Test("translates the final error, once per call and after the retries, and keeps the original error")
    func translating() async throws {
        let transport = RecordingTransport(statuses: [503, 503])
        var channel = Channel.test(transport) { $0.interceptors = [RetryPolicy(attempts: 2, base: .zero)] }
        let asked = Shared(0)
        channel.errorFilter = ErrorFilter { _ in nil }.translating { error in
            asked.change { $0 += 1 }
            return error.context.head?.status == .serviceUnavailable ? Trouble(code: 503) : nil
        }
        let response = await channel.item()
        #expect(response.error?.app() == Trouble(code: 503))
        #expect(response.error?.context.cause?.label == "verification.unacceptableStatus.503")
        #expect(response.error?.description.contains("because of verification.unacceptableStatus.503") == true)
        #expect(response.error?.label == "app.verification.unacceptableStatus.503")
        #expect(response.attempts.map(\.error?.label) == Array(repeating: "verification.unacceptableStatus.503", count: 2))
        #expect(asked.current == 1)
        channel.transport = RecordingTransport(status: 404)
        #expect(await channel.error()?.label == "verification.unacceptableStatus.404", "nil leaves it as it is")
    }

    @Test(
        "a default error replaces every error without its own, at every stage",
        arguments: [
            ("a b\r\n", 200, "request.malformedPath"), ("thing", 500, "verification.unacceptableStatus.500"),
            ("thing", 200, "decoding"),
        ])
    func defaultError(path: String, status: Int, cause: String) async {
        var channel = Channel.test(RecordingTransport(status: status, body: "[]"))
        channel.errorFilter = .envelope(Envelope.self) { envelope, _ in envelope.code.map(Trouble.init) }
            .defaulting { _ in Trouble(code: 0) }
        let error = await channel.item(TestEndpoint(path)).error
        #expect(error?.app() == Trouble(code: 0))
        #expect(error?.context.cause?.label == cause)
        channel.transport = RecordingTransport(body: #"{"code":7}"#)
        #expect(await channel.error()?.app() == Trouble(code: 7), "the app's own error skips the default")
    }

    @Test("a cancellation stays a cancellation")
    func cancellation() async {
        let channel = Channel.test(RecordingTransport()) {
            $0.errorFilter = ErrorFilter.none.defaulting { _ in Trouble(code: 0) }
        }
        #expect(await cancelled { await channel.error() }?.isCancelled == true)
    }

    @Test("messages in the user's language by label, from the longest matching label")
    func localized() async {
        func message(_ transport: RecordingTransport) async -> String? {
            var channel = Channel.test(transport)
            channel.errorFilter = ErrorFilter.none.localized(
                [
                    "verification": "Sunucu yanıtı kabul edilmedi.", "verification.unacceptableStatus.404": "Bulunamadı.",
                    "transport.timedOut": "Zaman aşımı.",
                ], default: "Bir şeyler ters gitti.")
            return await channel.error()?.localizedDescription
        }
        func failing(_ failure: TransportError) -> RecordingTransport {
            RecordingTransport { Response(request: $0, result: .failure(.transport(failure, APIClientError.Context($0)))) }
        }
        #expect(await message(RecordingTransport(status: 404)) == "Bulunamadı.")
        #expect(await message(RecordingTransport(status: 500)) == "Sunucu yanıtı kabul edilmedi.")
        #expect(await message(failing(.timedOut(.connect, after: .seconds(1)))) == "Zaman aşımı.")
        #expect(await message(failing(.closed)) == "Bir şeyler ters gitti.")
    }

    @Test("an envelope is read by the nearest coder")
    func coder() async {
        struct Snake: Decodable { let errorCode: Int }
        var channel = Channel.test(RecordingTransport(status: 400, body: #"{"error_code":3}"#))
        channel.errorFilter = .envelope(Snake.self) { envelope, _ in Trouble(code: envelope.errorCode) }
        let endpoint = TestEndpoint(modifiers: [BodyCoder.json(keys: .convertFromSnakeCase)])
        #expect(await channel.error(endpoint)?.app() == Trouble(code: 3))
    }

    struct Rejected: Error, Decodable, Equatable { let code: Int }

    @Test("the body of a rejected response is the app's error, and a success is the requested value")
    func rejection() async throws {
        var channel = Channel.test(RecordingTransport(status: 409, body: #"{"code":7,"id":1}"#))
        channel.errorFilter = .rejection(Rejected.self)
        #expect(await channel.error()?.app() == Rejected(code: 7))
        channel.transport = RecordingTransport(body: #"{"code":7,"id":1}"#)
        #expect(try await channel.item().value == Item(id: 1))
        channel.transport = RecordingTransport(status: 500, body: "down")
        #expect(await channel.error()?.label == "verification.unacceptableStatus.500")
    }

    @Test("an envelope inside a success is decoded after the enhancers")
    func unwrapped() async {
        var channel = Channel.test(RecordingTransport(body: #")]{"code":7}"#))
        channel.enhancers = [Deenhancing { $0 = $0.map { Data($0.dropFirst(2)) } }]
        channel.errorFilter = .envelope(Envelope.self) { envelope, _ in envelope.code.map(Trouble.init) }
        #expect(await channel.error()?.app() == Trouble(code: 7))
    }
}
