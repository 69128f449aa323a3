import CoreAPITesting
import Foundation
import HTTPTypes

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

    private let server: LoopbackServer
    private let channels: [any SandboxChannel]

    /// The time for exchanges when the server stops.
    private static let grace: Duration = .milliseconds(250)
    /// Every valid request is far below a megabyte.
    private static let bodyLimit = 1 << 20

    private init(_ options: SandboxOptions) throws {
        guard let port = UInt16(exactly: options.port) else { throw SandboxError.portOutOfRange(options.port) }
        let authority = try TestAuthority(name: "Sandbox Authority")
        let certificate = try authority.certificate(name: "localhost")
        let channels = everySandboxChannel.map { $0(options) }
        let router = SandboxRouter(channels: channels)
        do throws(LoopbackServerError) {
            server = try LoopbackServer.start(
                tls: ServerTLS(certificate, authority: authority), port: port, bodyLimit: Self.bodyLimit, keepsRequests: false
            ) { request in
                ServerReply(router.answer(to: SandboxRequest(request)), to: request)
            }
        } catch {
            throw SandboxError(error, port: options.port) ?? (error as any Error)
        }
        self.port = Int(server.port)
        self.authorityPEM = authority.pem
        self.certificatePEM = certificate.pem
        self.channels = channels
    }

    /// Starts a server and returns once it accepts connections.
    ///
    /// - Throws: ``SandboxError`` for a wrong or taken port, or the error of the system or of OpenSSL.
    public static func start(_ options: SandboxOptions = .init()) async throws -> SandboxServer {
        try SandboxServer(options)
    }

    /// The base URL of a channel.
    ///
    /// - Parameter channel: the channel's prefix, such as `ty`, in either case.
    /// - Returns: for example `https://localhost:8443/ty`.
    public func baseURL(_ channel: String) -> String {
        "https://localhost:\(port)/\(channel.lowercased())"
    }

    /// Stops listening, lets running requests finish, and returns when the port is closed and every thread has ended.
    ///
    /// After a quarter of a second it cuts connections that are still open. A second call does nothing.
    public func stop() async {
        await server.stop(within: Self.grace)
    }

    /// How many TCP connections were accepted since the start, including those whose TLS handshake failed.
    public var connectionsAccepted: Int { server.connectionsAccepted }

    /// The running service of a channel.
    func channel<Found: SandboxChannel>(_ type: Found.Type) -> Found? { channels.lazy.compactMap { $0 as? Found }.first }
}

extension SandboxRequest {
    fileprivate init(_ request: ReceivedRequest) {
        self.init(
            request.method, request.target, headers: request.headers.map { ($0.name, $0.value) },
            body: request.bodyLength > request.body.count ? nil : request.body)
    }
}

extension ServerReply {
    fileprivate init(_ answer: SandboxAnswer, to request: ReceivedRequest) {
        if let socket = answer.socket {
            self = .webSocket(request, serve: socket)
            return
        }
        let lines = answer.headers.map { HeaderLines.Line(name: $0.name, value: $0.value) }
        guard !answer.pieces.isEmpty else {
            self = .status(answer.status.code, body: answer.body, headers: HeaderLines(lines))
            return
        }
        let headers = HeaderLines(lines + [HeaderLines.Line(name: "Transfer-Encoding", value: "chunked")])
        let pieces = answer.pieces.flatMap { [Step.sendChunk(Data($0.utf8)), .wait(.milliseconds(5))] }
        self = ServerReply([.sendHead(status: answer.status.code, headers: headers)] + pieces + [.endChunks()])
    }
}
