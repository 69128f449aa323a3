import TestSupport

@Suite("The pipeline")
struct PipelineTests {
    @Test("runs every stage in its order, adapting per attempt and enhancing once")
    func order() async {
        let diary = Diary()
        let transport = RecordingTransport { request in
            diary.write("send")
            return .answer(to: request, status: 500, body: "oops")
        }
        var channel = Channel.test(transport)
        channel.enhancers = [
            Noting(name: "low", diary: diary, instancePriority: .low),
            Noting(name: "first", diary: diary, instancePriority: .max), Noting(name: "normal", diary: diary),
            Noting(name: "normal 2", diary: diary), Noting(name: "high", diary: diary, instancePriority: .high),
        ]
        channel.interceptors = [NotingInterceptor(diary: diary, retries: 1)]
        channel.errorFilter = ErrorFilter { _ in
            diary.write("filter")
            return nil
        }
        channel.errorHandler = NotingHandler(diary: diary)
        channel.resultHandler = ResultHandler { _ in diary.write("result handler") }
        channel.logger = NotingLogger(diary: diary)

        let response = await channel.item()
        #expect(response.error?.label == "verification.unacceptableStatus.500")
        #expect(response.attempts.map(\.status) == [500, 500])
        #expect(String(decoding: response.data, as: UTF8.self) == "oops", "the body of a failure is kept")

        let names = ["first", "high", "normal", "normal 2", "low"]
        let attempt = ["log started", "send"] + names.map { "deenhance \($0)" } + ["filter", "retry?"]
        let expected =
            names.map { "enhance \($0)" } + ["adapt 1"] + attempt + ["log retrying", "adapt 2"] + attempt
            + ["resolve verification.unacceptableStatus.500", "result handler", "log finished"]
        #expect(diary.all == expected)
    }

    /// Hooks that write at which stage they run.
    struct Everywhere: RequestEnhancer, RequestInterceptor {
        let write: @Sendable (Stage.Kind) -> Void
        func enhance(_ request: inout Request) { write(.enhance) }
        func deenhance(_ response: inout Response<Data>) { write(.deenhance) }
        func adapt(_ request: inout Request) async { write(.adapt) }
        func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult {
            write(.retry)
            return .doNotRetry
        }
    }

    @Test("runs the stages in the order in which the channel lists them")
    func asListed() async {
        let run = Mutex<[Stage.Kind]>([])
        let write: @Sendable (Stage.Kind) -> Void = { kind in run.withLock { if !$0.contains(kind) { $0.append(kind) } } }
        let transport = RecordingTransport { request in
            write(.transport)
            return .answer(to: request)
        }
        var channel = Channel.test(transport)
        channel.enhancers = [Everywhere(write: write)]
        channel.interceptors = [Everywhere(write: write)]
        func around(_ kind: Stage.Kind) -> Around {
            Around { attempt, next in
                write(kind)
                return await next(attempt)
            }
        }
        (channel.callMiddleware, channel.attemptMiddleware) = ([around(.call)], [around(.attempt)])
        @Sendable func none(_ kind: Stage.Kind) -> (any Error)? {
            write(kind)
            return nil
        }
        channel.errorFilter = ErrorFilter { _ in none(.filter) }.translating { _ in none(.translate) }
        channel.resultHandler = ResultHandler { _ in write(.result) }
        let encoding = InputEncoding("noting") { _, _ in write(.build) }
        let endpoint = TestEndpoint(params: ["a": "b"], encoding: encoding)
        let undecodable = ResponseDecoding<Item> { _ in
            write(.decode)
            throw CocoaError(.coderReadCorrupt)
        }
        #expect(await channel.manager.response(for: endpoint, as: undecodable).error?.label == "decoding")
        var listed: [Stage.Kind] = []
        for stage in channel.stages where !listed.contains(stage.kind) { listed.append(stage.kind) }
        #expect(run.withLock { $0 } == listed)
        #expect(listed == Stage.Kind.allCases)
    }

    @Test("decodes off the main thread and delivers the value")
    @MainActor func decoding() async throws {
        let place = try await Channel.test(RecordingTransport()).manager.request(endpoint: TestEndpoint(), type: Place.self)
        #expect(!place.isMain)
    }

    @Test("no timeout is too large or too small", arguments: [Duration.seconds(Int64.max), .zero, .seconds(-1), .nanoseconds(1)])
    func extremeTimeouts(timeout: Duration) async {
        var channel = Channel.test(RecordingTransport(status: 401))
        channel.interceptors = [RetryPolicy()]
        channel.attemptMiddleware = [BearerAuthentication { _ in "new" }]
        channel.modifiers = [Timeout(connect: timeout, idle: timeout, total: timeout)]
        #expect(await channel.error() != nil)
    }

    @Test(
        "turns an interceptor's error into an error of that stage, which handlers may resolve; the kit's own errors stay",
        arguments: [
            (Trouble(code: 1), "adapting"), (CancellationError(), "cancelled"), (TransportError.closed, "transport.closed"),
            (RequestError.insecureConnection(host: "h.example"), "request.insecureConnection"),
        ] as [(any Error, String)])
    func interceptorThrows(error: any Error, label: String) async {
        let transport = RecordingTransport()
        let response = await Channel.test(transport) { $0.interceptors = [Adapting { _ in throw error }] }.item()
        #expect(response.error?.label == label)
        if label == "adapting" { #expect(response.error?.underlyingError is Trouble) }
        #expect(response.attempts.count == 1)
        #expect(transport.requests.isEmpty)
    }

    @Test("a call that is cancelled before it begins is neither adapted nor reported nor sent")
    func cancelledBefore() async {
        let diary = Diary()
        let transport = RecordingTransport()
        var channel = Channel.test(transport)
        channel.interceptors = [NotingInterceptor(diary: diary, retries: 1)]
        channel.logger = NotingLogger(diary: diary)
        let response = await cancelled { [channel] in await channel.item() }
        #expect(response.error?.isCancelled == true && response.attempts.count == 1)
        #expect(transport.requests.isEmpty)
        #expect(diary.all == ["log finished"])
    }

    @Test("makes at most as many attempts as the channel allows")
    func attemptLimit() async {
        let transport = RecordingTransport(status: 500)
        var channel = Channel.test(transport) { $0.errorHandler = Resolving { .retry } }
        #expect(await channel.item().attempts.count == 10)
        #expect(transport.requests.map(\.attempt) == Array(1...10))
        channel.limits.attempts = 2
        #expect(await channel.item().attempts.count == 2)
    }

    @Test("a cancelled pause is a cancelled call")
    func cancelledPause() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let handler = Resolving {
            continuation.yield()
            return .retryAfter(.seconds(3_600))
        }
        let channel = Channel.test(RecordingTransport(status: 503)) {
            ($0.modifiers, $0.errorHandler) = ([Timeout(total: .seconds(7_200))], handler)
        }
        let task = Task { await channel.error() }
        for await _ in stream { break }
        task.cancel()
        #expect(await task.value?.isCancelled == true)
    }

    @Test("sends no request if an interceptor uses up the call's time")
    func slowInterceptor() async {
        let transport = RecordingTransport()
        let channel = Channel.test(transport) {
            $0.interceptors = [Adapting { try await Task.sleep(until: $0.deadline, clock: .continuous) }]
            $0.modifiers = [Timeout(.milliseconds(20))]
        }
        #expect(await channel.error()?.label == "transport.timedOut.total")
        #expect(transport.requests.isEmpty)
    }

    @Test("calls without a given name have an id of twelve hexadecimal digits")
    func identifiers() {
        let channel = Channel.test()
        let calls = (0..<10_000).map { _ in Call(channel: channel, endpoint: "x") }
        #expect(Set(calls.map(\.id)).count == calls.count)
        #expect(calls.allSatisfy { $0.id.count == 12 && $0.id.allSatisfy { $0.isHexDigit && !$0.isUppercase } && $0.id == $0.id })
        #expect(Call(channel: channel, endpoint: "x", id: "mine").id == "mine")
    }
}
