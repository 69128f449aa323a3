import TestSupport

@Suite("A stream of events pauses", .closing, .timeLimit(.minutes(1)))
struct EventPauseTests {
    private static let quick = EventOptions(pause: .milliseconds(1), longestPause: .milliseconds(5), reconnectsAfter: [503])

    /// The pauses of the first reconnections, and the error that ends the stream.
    private func pauses(_ count: Int, of server: LoopbackServer) async throws -> ([Duration], String?) {
        let channel = Channel.test(server)
        var pauses: [Duration] = []
        do {
            for try await update in channel.manager.events(.get("x"), options: Self.quick).updates {
                guard case .reconnecting(let pause, _) = update else { continue }
                pauses.append(pause)
                if pauses.count == count { break }
            }
        } catch {
            await channel.close()
            return (pauses, error.label)
        }
        await channel.close()
        return (pauses, nil)
    }

    @Test("as long as a rejected response asks")
    func rejected() async throws {
        let server = try LoopbackServer.test { _ in .status(503, headers: ["Retry-After": "100"]) }
        #expect(try await pauses(1, of: server) == ([.seconds(100)], nil))
    }

    @Test("and connects again after the pause")
    func connectsAgain() async throws {
        let server = try LoopbackServer.test { request in
            request.connection == 0 && request.exchange == 0
                ? .status(503, headers: ["Retry-After": "1"])
                : .ok("data: x\n\n", headers: ["Content-Type": "text/event-stream"])
        }
        let channel = Channel.test(server)
        let started = ContinuousClock.now
        for try await event in channel.manager.events(.get("x"), options: Self.quick) {
            #expect(event.data == "x")
            break
        }
        #expect(ContinuousClock.now - started >= .seconds(1))
    }

    @Test("as long as the response of an ended stream asks, whatever a call may take")
    func ended() async throws {
        let server = try LoopbackServer.test { _ in
            .ok("data: x\n\n", headers: ["Content-Type": "text/event-stream", "Retry-After": "3600"])
        }
        #expect(try await pauses(1, of: server) == ([.seconds(3_600)], nil))
    }

    @Test("at least as long as `retry` says, if Retry-After asks for less")
    func shorter() async throws {
        let server = try LoopbackServer.test { _ in
            .ok("retry: 90000\ndata: x\n\n", headers: ["Content-Type": "text/event-stream", "Retry-After": "1"])
        }
        let (pauses, _) = try await pauses(1, of: server)
        #expect(pauses.allSatisfy { $0 >= .seconds(90) } && pauses.count == 1)
    }

    @Test("never as long as a call may take in all, after a rejection: it ends at once, with the response")
    func beyondDeadline() async throws {
        let server = try LoopbackServer.test { _ in .status(503, headers: ["Retry-After": "3600"]) }
        #expect(try await pauses(1, of: server) == ([], "verification.unacceptableStatus.503"))
        #expect(server.requests.count == 1)
    }
}
