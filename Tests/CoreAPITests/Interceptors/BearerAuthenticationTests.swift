import CoreAPI
import CoreAPILock
import Foundation
import HTTPTypes
import Testing

@Suite("Bearer authentication")
struct BearerAuthenticationTests {
    struct Refused: Error, Equatable {}

    /// Accepts one token and refuses every other.
    private static func server(accepting token: String) -> RecordingTransport {
        RecordingTransport { request in
            .answer(to: request, status: request.headers[.authorization] == "Bearer \(token)" ? 200 : 401)
        }
    }

    @Test("refreshes once for any number of waiting requests")
    func singleFlight() async throws {
        let transport = Self.server(accepting: "new")
        let refreshes = Mutex(0)
        var channel = Channel.test("https://h.example", transport: transport)
        channel.attemptMiddleware = [
            BearerAuthentication(token: "old") { _ in
                refreshes.withLock { $0 += 1 }
                // Waits until every request has been refused.
                while transport.requests.count < 100 { await Task.yield() }
                return "new"
            }
        ]
        let manager = channel.manager()
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 { group.addTask { try await manager.request(endpoint: TestEndpoint()) } }
            try await group.waitForAll()
        }
        #expect(refreshes.withLock { $0 } == 1)
        #expect(transport.requests.count == 200)
        try await manager.request(endpoint: TestEndpoint())
        #expect(refreshes.withLock { $0 } == 1)
    }

    @Test("repeats a request only once if the new token is refused too")
    func refusedAgain() async {
        let transport = Self.server(accepting: "never")
        let refreshes = Mutex(0)
        var channel = Channel.test("https://h.example", transport: transport)
        channel.attemptMiddleware = [
            BearerAuthentication { _ in
                refreshes.withLock {
                    $0 += 1; return "token \($0)"
                }
            }
        ]
        let response = await channel.manager().response(for: TestEndpoint(), as: .nothing)
        #expect(response.error?.label == "verification.unacceptableStatus.401")
        #expect(response.attempts.count == 1)
        #expect(transport.requests.count == 2)
        #expect(refreshes.withLock { $0 } == 1)
    }

    @Test("fails every waiter once if the refresh fails, and tries again for the next request")
    func failedRefresh() async {
        let transport = Self.server(accepting: "never")
        let refreshes = Mutex(0)
        var channel = Channel.test("https://h.example", transport: transport)
        channel.attemptMiddleware = [
            BearerAuthentication(token: "old") { _ in
                refreshes.withLock { $0 += 1 }
                while transport.requests.count < 20 { await Task.yield() }
                throw Refused()
            }
        ]
        let manager = channel.manager()
        let errors = await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { await manager.response(for: TestEndpoint(), as: .nothing).error?.app(Refused.self) }
            }
            return await group.reduce(into: [Refused?]()) { $0.append($1) }
        }
        #expect(errors == Array(repeating: Refused(), count: 20))
        #expect(refreshes.withLock { $0 } == 1)
        _ = await manager.response(for: TestEndpoint(), as: .nothing)
        #expect(refreshes.withLock { $0 } == 2)
    }

    @Test("a cancelled waiter leaves at once and does not stop the refresh")
    func cancelledWaiter() async throws {
        let transport = Self.server(accepting: "new")
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        var channel = Channel.test("https://h.example", transport: transport)
        channel.attemptMiddleware = [
            BearerAuthentication(token: "old") { _ in
                signal.yield()
                for await _ in gate { break }
                return "new"
            }
        ]
        let manager = channel.manager()
        let cancelled = Task { await manager.response(for: TestEndpoint(), as: .nothing) }
        for await _ in started { break }
        let patient = Task { await manager.response(for: TestEndpoint(), as: .nothing) }
        while transport.requests.count < 2 { await Task.yield() }
        cancelled.cancel()
        // The gate is still closed, so only leaving the queue can end this one.
        #expect(await cancelled.value.error?.isCancelled == true)
        open.yield()
        #expect(await patient.value.error == nil)
    }

    @Test("a refresh that never ends delays no call beyond its own timeout")
    func stuckRefresh() async throws {
        var channel = Channel.test("https://h.example", transport: Self.server(accepting: "never"))
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        channel.attemptMiddleware = [
            BearerAuthentication(token: "old") { _ in
                for await _ in gate { break }
                throw Refused()
            }
        ]
        let response = await channel.manager().response(
            for: TestEndpoint(modifiers: [Timeout(.milliseconds(200))]), as: .nothing)
        #expect(response.error?.label == "transport.timedOut.total")
        open.yield()
    }

    @Test("a token is sent only to the environment's origin and the named ones, and only their refusals fetch one")
    func origins() async throws {
        let transport = RecordingTransport { .answer(to: $0, status: $0.url.host == "evil.example" ? 401 : 200) }
        let refreshes = Mutex(0)
        var channel = Channel.test("https://h.example/v1", transport: transport)
        channel.attemptMiddleware = [
            BearerAuthentication(token: "t", origins: ["https://files.example"]) { _ in
                refreshes.withLock { $0 += 1 }
                return "new"
            }
        ]
        let manager = channel.manager()
        for base in ["", "https://files.example/x", "https://evil.example", "https://h.example:8443", "http://h.example"] {
            _ = await manager.response(for: TestEndpoint(baseURL: base), as: .nothing)
        }
        #expect(transport.requests.map { $0.headers[.authorization] } == ["Bearer t", "Bearer t", nil, nil, nil])
        #expect(refreshes.withLock { $0 } == 0)
    }

    @Test("another environment begins without the first environment's token")
    func environments() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test("https://h.example", transport: transport)
        channel.attemptMiddleware = [BearerAuthentication(token: "t") { _ in "new" }]
        let place = EnvironmentSwitch(channel.environment)
        channel.environmentSwitch = place
        let manager = channel.manager()
        try await manager.request(endpoint: TestEndpoint())
        place.environment = APIEnvironment("staging", baseURL: "https://staging.example")
        try await manager.request(endpoint: TestEndpoint())
        #expect(transport.requests.map { $0.headers[.authorization] } == ["Bearer t", nil])
    }
}
