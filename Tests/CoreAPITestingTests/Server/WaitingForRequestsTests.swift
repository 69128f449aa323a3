import TestSupport

@Suite("Waiting for requests", .closing, .timeLimit(.minutes(1)))
struct WaitingForRequestsTests {
    @Test("ends at once if they have already arrived, and lists the received requests when the time is over")
    func timesOut() async throws {
        let server = try LoopbackServer.test { _ in .ok("x") }
        _ = try RawClient(server).get("/one", through: "x")
        #expect(try await server.waitForRequests(1, timeout: .zero).count == 1)
        let error = await #expect(throws: LoopbackServerError.self) {
            try await server.waitForRequests(2, timeout: .milliseconds(20))
        }
        #expect(error?.description.contains("waited for 2 requests; 1 requests [\"GET /one\"]") == true)
    }

    @Test("ends with an error when the server is closed")
    func closed() async throws {
        let server = try LoopbackServer.start { _ in .ok() }
        let waiting = Task { try await server.waitForRequests(1, timeout: .seconds(60)) }
        server.close()
        let error = await #expect(throws: LoopbackServerError.self) { try await waiting.value }
        #expect("\(error as Any)".contains("closed"))
    }

    @Test("ends with its task", arguments: [true, false])
    func cancelled(afterStart: Bool) async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let started = try Gate()
        let waiting = Task {
            started.open()
            try await server.waitForRequests(1, timeout: .seconds(60))
        }
        if afterStart { try await started.waitUntilOpen() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
