import Foundation

/// The services that the channels speak to, on this machine: real sockets, real TLS, real HTTP/2, made-up data.
///
/// ```swift
/// let sandbox = try await SandboxServer.start()
/// let search = sandbox.baseURL("ty") + "/discovery/v1/products/search?q=çanta"
/// await sandbox.stop()
/// ```
///
/// Servers share nothing, so any number of them run at once; each has a certificate authority of its own, which a client
/// has to be told to trust (``authorityPEM``). A server that is released without ``stop()`` closes its port too.
public final class SandboxServer: Sendable {
    /// The port it listens on, on 127.0.0.1.
    public let port: Int

    /// The certificate, in PEM, of the authority made at start that signed the server's certificate.
    public let authorityPEM: String

    /// The server's own certificate, in PEM, for clients that pin it.
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
    /// - Throws: ``SandboxError`` when the port is taken, what the system said when it could not be had otherwise, or what went
    ///   wrong while making certificates.
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

    /// Stops listening, lets requests under way finish, and returns when the port is closed and every task has ended.
    ///
    /// Connections that are still open a quarter of a second later (a client that holds an idle one, say) are cut. May be
    /// called more than once.
    public func stop() async {
        await listener.stop()
    }

    /// Makes every access token handed out so far an expired one.
    public func expireTokens() {
        channel(DLChannel.self)?.tokens.expireAll()
    }

    /// How often `/dl/auth/token` handed out an access token.
    public var tokensIssued: Int { channel(DLChannel.self)?.tokens.issued ?? 0 }

    /// How many orders the ID channel's checkout placed; replayed answers do not count.
    public var ordersPlaced: Int { channel(IDChannel.self)?.orders.placed ?? 0 }

    /// How many TCP connections were accepted since start, those included that failed in the TLS handshake.
    public var connectionsAccepted: Int { listener.connections.accepted }

    private func channel<Found: SandboxChannel>(_ type: Found.Type) -> Found? { channels.lazy.compactMap { $0 as? Found }.first }
}
