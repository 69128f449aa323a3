public import Foundation

/// One request as a ``LoopbackServer`` read it.
public struct ReceivedRequest: Sendable {
    /// The request's connection, counted from 0 in the order of acceptance.
    public let connection: Int

    /// Its index on that connection, from 0; above 0 means that the connection was reused.
    public let exchange: Int

    /// The method, as sent. Empty if the request broke off before its head was complete.
    public internal(set) var method = ""

    /// The request target, as sent: path and query, or an absolute URL if the client uses the server as a proxy.
    public internal(set) var target = ""

    /// The header lines in order of arrival; `headers["name"]` and `headers.all("name")` look one up.
    public internal(set) var headers = HeaderLines()

    /// The body, with its chunks joined. If the request broke off, the received part. At most as many bytes as the server keeps.
    public internal(set) var body = Data()

    /// How many bytes of the body were received. More than ``body`` has if the server's `bodyLimit` was reached.
    public internal(set) var bodyLength = 0

    /// The head as received, from the request line to the empty line; over HTTP/2, which compresses it, the same as text. If the
    /// request broke off earlier: all received bytes.
    public internal(set) var rawHead = Data()

    /// Why the request is incomplete (it broke off, it was malformed); nil if it is complete.
    public internal(set) var defect: String?

    /// `HTTP/1.1` or `HTTP/2`.
    public let version: String

    /// The result of the TLS handshake; nil in clear text.
    public let security: ConnectionSecurity?

    /// The request's fault, if the server plays faults.
    public internal(set) var fault: Fault?

    init(connection: Int, exchange: Int, version: String = "HTTP/1.1", security: ConnectionSecurity? = nil) {
        self.connection = connection
        self.exchange = exchange
        self.version = version
        self.security = security
    }

    /// Adds bytes to the body.
    ///
    /// - Parameter limit: how many bytes the server keeps.
    mutating func receive(_ bytes: Data, keeping limit: Int) {
        bodyLength += bytes.count
        body.append(bytes.prefix(max(0, limit - body.count)))
    }

    /// The body as text; invalid UTF-8 becomes U+FFFD.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// The path of the target, without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }
}
