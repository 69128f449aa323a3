import CoreAPI
import CoreAPITesting
import Logging
import ServiceLifecycle
import Testing

extension ChannelService: Service {}

/// Sends a request before the shutdown, and another after it has begun.
private struct Caller: Service {
    let channel: Channel

    func run() async throws {
        let dispatcher = CommonDispatcher(channel: channel)
        try await dispatcher.request(.get("first"))
        try await gracefulShutdown()
        try await dispatcher.request(.get("last"))
    }
}

private struct Failing: Service {
    struct Failure: Error {}
    let channel: Channel

    func run() async throws {
        try await CommonDispatcher(channel: channel).request(.get("first"))
        throw Failure()
    }
}

@Suite("A channel in a service group", .timeLimit(.minutes(1)))
struct ServiceTests {
    private func group(_ channel: Channel, _ user: any Service) -> ServiceGroup {
        let service = ChannelService(channel: channel) { try? await gracefulShutdown() }
        return ServiceGroup(
            configuration: .init(services: [service, user], logger: Logger(label: "recipes") { _ in SwiftLogNoOpLogHandler() }))
    }

    private func checkIsClosed(_ channel: Channel, _ server: LoopbackServer) async throws {
        try await server.waitForOpenConnections(atMost: 0)
        let late = await CommonDispatcher(channel: channel).response(for: TypedEndpoint.get("late"), as: .nothing)
        #expect(late.error?.label == "transport.closed")
    }

    @Test("is closed after the service that uses it has ended")
    func shutdown() async throws {
        let server = try LoopbackServer.start { _ in .ok() }
        defer { server.close() }
        let channel = Channel.test(server)
        let group = group(channel, Caller(channel: channel))
        async let run: Void = group.run()
        try await server.waitForRequests(1)
        await group.triggerGracefulShutdown()
        try await run
        #expect(server.requests.map(\.target) == ["/first", "/last"])
        try await checkIsClosed(channel, server)
    }

    @Test("is closed when another service fails")
    func failure() async throws {
        let server = try LoopbackServer.start { _ in .ok() }
        defer { server.close() }
        let channel = Channel.test(server)
        await #expect(throws: Failing.Failure.self) { try await group(channel, Failing(channel: channel)).run() }
        try await checkIsClosed(channel, server)
    }
}
