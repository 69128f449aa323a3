import TestSupport

@Suite("Attempts as a sequence", .timeLimit(.minutes(1)))
struct CallAttemptsTests {
    private func channel(_ transport: RecordingTransport) -> Channel {
        let channel = Channel.test(transport) { $0.interceptors = [RetryPolicy(attempts: 3, base: .zero)] }
        return channel
    }

    @Test("a response after each attempt, the call's last")
    func responses() async {
        let transport = RecordingTransport(statuses: [503, 502, 200], body: #"{"id":7}"#)
        var seen: [String] = []
        for await response in channel(transport).manager.attempts(for: TestEndpoint(), as: .decodable(Item.self)) {
            seen.append("\(response.attempts.count) \(response.error?.label ?? "success")")
        }
        #expect(seen == ["1 verification.unacceptableStatus.503", "2 verification.unacceptableStatus.502", "3 success"])
    }

    @Test("cold: one call per iteration, no call before it")
    func cold() async {
        let transport = RecordingTransport(body: #"{"id":7}"#)
        let attempts = channel(transport).manager.attempts(for: TestEndpoint(), as: .decodable(Item.self))
        #expect(transport.requests.isEmpty)
        for await _ in attempts {}
        for await _ in attempts {}
        #expect(transport.requests.count == 2)
    }

    @Test("leaving an iteration cancels the call")
    func left() async {
        let (began, tellBegan) = AsyncStream.makeStream(of: Void.self)
        let (ended, tell) = AsyncStream.makeStream(of: Bool.self)
        let transport = RecordingTransport { request in
            guard request.attempt == 2 else { return .answer(to: request, status: 503) }
            tellBegan.yield()
            try? await Task.sleep(for: .seconds(3_600))
            tell.yield(Task.isCancelled)
            return Response(request: request, result: .failure(.cancelled(APIClientError.Context(request))))
        }
        for await _ in channel(transport).manager.attempts(for: TestEndpoint(), as: .decodable(Item.self)) {
            // Otherwise the cancellation may come before the second attempt.
            for await _ in began { break }
            break
        }
        for await wasCancelled in ended {
            #expect(wasCancelled)
            break
        }
    }

    @Test("a failure arrives when it is known, before the pause that follows it")
    func early() async {
        var channel = Channel.test(RecordingTransport(status: 503))
        channel.modifiers = [Timeout(total: .seconds(86_400))]
        channel.interceptors = [RetryPolicy(base: .seconds(3_600), cap: .seconds(3_600))]
        for await response in channel.manager.attempts(for: TestEndpoint(), as: .decodable(Item.self)) {
            #expect(response.attempts.count == 1)
            break
        }
    }
}
