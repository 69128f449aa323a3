import TestSupport

@Suite("A stream of events pauses", .closing, .timeLimit(.minutes(1)))
struct EventPauseTests {
    private static let quick = EventOptions(pause: .milliseconds(1), longestPause: .milliseconds(5), reconnectsAfter: [503])

    /// The pauses of the first reconnections, and the error that ends the stream.
    private func pauses(_ count: Int, of server: LoopbackServer) async -> ([Duration], String?) {
        var pauses: [Duration] = []
        let error = await failure {
            for try await update in server.manager.events(.get("x"), options: Self.quick).updates {
                guard case .reconnecting(let pause, _) = update else { continue }
                pauses.append(pause)
                if pauses.count == count { break }
            }
        }
        return (pauses, error?.label)
    }

    @Test(
        "as long as a response asks: a rejection, an ended stream whatever a call may take, but no less than `retry` says",
        arguments: [
            (.status(503, headers: ["Retry-After": "100"]), .seconds(100)),
            (.ok("data: x\n\n", headers: ["Content-Type": "text/event-stream", "Retry-After": "3600"]), .seconds(3_600)),
            (.ok("retry: 90000\ndata: x\n\n", headers: ["Content-Type": "text/event-stream", "Retry-After": "1"]), .seconds(90)),
        ] as [(ServerReply, Duration)])
    func asked(reply: ServerReply, pause: Duration) async throws {
        let server = try LoopbackServer.test { _ in reply }
        let (pauses, error) = await pauses(1, of: server)
        // `retry` has a random part more.
        #expect(pauses.count == 1 && pauses.allSatisfy { $0 >= pause && $0 <= pause + .milliseconds(10) }, "\(pauses)")
        #expect(error == nil)
    }

    @Test("and connects again after the pause")
    func connectsAgain() async throws {
        let server = try LoopbackServer.test(script: [.status(503, headers: ["Retry-After": "1"]), .events("data: x\n\n")])
        let started = ContinuousClock.now
        #expect(try await server.manager.events(.get("x"), options: Self.quick).first { _ in true }?.data == "x")
        #expect(ContinuousClock.now - started >= .seconds(1))
    }

    @Test("never as long as a call may take in all, after a rejection: it ends at once, with the response")
    func beyondDeadline() async throws {
        let server = try LoopbackServer.test { _ in .status(503, headers: ["Retry-After": "3600"]) }
        #expect(await pauses(1, of: server) == ([], "verification.unacceptableStatus.503"))
        #expect(server.requests.count == 1)
    }
}
