import Foundation

/// The channels' services on this machine: real sockets, real TLS, real HTTP/2, made-up data.
///
/// ```swift
/// let sandbox = try await SandboxServer.start()
/// let search = sandbox.baseURL("ty") + "/discovery/v1/products/search?q=çanta"
/// await sandbox.stop()
/// ```
///
/// Servers share no state, so any number can run at once. Each has its own certificate authority, which a client must trust
/// (``authorityPEM``). A server that is released without ``stop()`` also closes its port.
public final class SandboxServer: Sendable {
    /// The port on 127.0.0.1.
    public let port: Int

    /// The authority that signed the server's certificate, PEM. It is made at the start.
    public let authorityPEM: String

    /// The server's own certificate, PEM, for clients that pin it.
    public let certificatePEM: String

    private let listener: HTTPListener
    private let channels: [any SandboxChannel]

    private init(listener: HTTPListener, certificates: SandboxCertificates, channels: [any SandboxChannel]) {
        self.port = listener.port
        self.authorityPEM = certificates.authorityPEM
        self.certificatePEM = certificates.certificatePEM
        self.listener = listener
        self.channels = channels
    }

    /// Starts a server and returns once it accepts connections.
    ///
    /// - Throws: ``SandboxError`` if the port is taken, or the system's error, or an error of making certificates.
    public static func start(_ options: SandboxOptions = .init()) async throws -> SandboxServer {
        let channels = everySandboxChannel.map { $0(options) }
        let certificates = try SandboxCertificates(validAround: Date())
        let listener = try await HTTPListener.start(
            port: options.port,
            tls: try certificates.tlsConfiguration(),
            responder: SandboxRouter(channels: channels))
        return SandboxServer(listener: listener, certificates: certificates, channels: channels)
    }

    /// The base URL of a channel.
    ///
    /// - Parameter channel: the channel's prefix, such as `ty`, in either case.
    /// - Returns: for example `https://localhost:8443/ty`.
    public func baseURL(_ channel: String) -> String {
        "https://localhost:\(port)/\(channel.lowercased())"
    }

    /// Stops listening, lets running requests finish, and returns when the port is closed and every task has ended.
    ///
    /// After a quarter of a second it cuts connections that are still open, for example idle ones. A second call does nothing.
    public func stop() async {
        await listener.stop()
    }

    /// Makes all issued access tokens expired.
    public func expireTokens() {
        channel(DLChannel.self)?.tokens.expireAll()
    }

    /// How many access tokens `/dl/auth/token` has issued.
    public var tokensIssued: Int { channel(DLChannel.self)?.tokens.issued ?? 0 }

    /// How many orders the ID channel's checkout has placed, without replayed answers.
    public var ordersPlaced: Int { channel(IDChannel.self)?.orders.placed ?? 0 }

    /// How many TCP connections were accepted since the start, including those whose TLS handshake failed.
    public var connectionsAccepted: Int { listener.connections.accepted }

    private func channel<Found: SandboxChannel>(_ type: Found.Type) -> Found? { channels.lazy.compactMap { $0 as? Found }.first }
}
