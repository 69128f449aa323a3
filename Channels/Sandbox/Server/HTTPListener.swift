import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore

/// One listening socket on 127.0.0.1: TLS, with HTTP/2 or HTTP/1.1 by ALPN.
final class HTTPListener: Sendable {
    /// The bound port.
    let port: Int
    /// The accepted connections.
    let connections: ConnectionLedger

    private let server: Server<LedgeredChannel>
    private let running: Task<Void, any Error>

    /// The time for connections to close on their own when the listener stops.
    private static let grace: Duration = .milliseconds(250)

    private init(
        port: Int, connections: ConnectionLedger, server: Server<LedgeredChannel>, running: Task<Void, any Error>
    ) {
        self.port = port
        self.connections = connections
        self.server = server
        self.running = running
    }

    deinit {
        running.cancel()
        connections.cutAll()
    }

    /// Binds the port, and returns once connections are accepted.
    static func start(
        port: Int, tls: TLSConfiguration, responder: some HTTPResponder<BasicRequestContext>
    ) async throws -> HTTPListener {
        let connections = ConnectionLedger()
        let logger = Logger(label: "sandbox", factory: { _ in SwiftLogNoOpLogHandler() })
        let channel = try HTTP2UpgradeChannel(
            tlsConfiguration: tls, configuration: .init(gracefulCloseTimeout: grace)
        ) { request, writer, channel in
            let context = BasicRequestContext(source: .init(channel: channel, logger: logger))
            let response = try await responder.respond(to: request, context: context)
            try await writer.write(response: response.head, body: response.body)
        }
        let (bound, announce) = AsyncThrowingStream<Int, any Error>.makeStream()
        let server = Server(
            childChannelSetup: LedgeredChannel(upgrade: channel, connections: connections),
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { announce.yield(port) }
            },
            eventLoopGroup: EventLoopGroupProvider.singleton.eventLoopGroup,
            logger: logger
        )
        let running = Task {
            do {
                try await server.run()
                announce.finish()
            } catch {
                announce.finish(throwing: error)
                throw error
            }
        }
        do {
            for try await port in bound {
                return HTTPListener(port: port, connections: connections, server: server, running: running)
            }
        } catch {
            throw SandboxError(error, port: port) ?? error
        }
        throw CancellationError()
    }

    /// Closes the port, then the connections, and waits for both.
    func stop() async {
        let cutter = Task { [connections] in
            // In a loop, because a connection may come out of the accept queue after the first pass.
            while true {
                try await Task.sleep(for: Self.grace)
                connections.cutAll()
            }
        }
        try? await server.shutdownGracefully()
        _ = await running.result
        cutter.cancel()
    }
}
