public import Foundation

/// One request as a ``LoopbackServer`` read it.
public struct ReceivedRequest: Sendable {
    /// The connection it came on, counted from 0 in the order in which they were accepted.
    public let connection: Int

    /// Its place on that connection, counted from 0; above 0 means that the connection was reused.
    public let exchange: Int

    /// The method, as sent. Empty when the request broke off before its head was complete.
    public internal(set) var method = ""

    /// The request target, as sent: path and query, or an absolute URL when the client takes the server for a proxy.
    public internal(set) var target = ""

    /// The header lines in the order in which they came; `headers["name"]` and `headers.all("name")` look one up.
    public internal(set) var headers = HeaderLines()

    /// The body, with a chunked one put together. What came of it, when the request broke off.
    public internal(set) var body = Data()

    /// The head as it came, request line to empty line; over HTTP/2, where it is compressed, the same in words. When the request
    /// broke off before that: every byte that came.
    public internal(set) var rawHead = Data()

    /// Why the request is not whole (it broke off, it was malformed); nil when it is.
    public internal(set) var defect: String?

    /// `HTTP/1.1` or `HTTP/2`.
    public let version: String

    /// What the TLS handshake came to; nil in clear text.
    public let security: ConnectionSecurity?

    /// The fault that it met, where the server plays faults.
    public internal(set) var fault: Fault?

    init(connection: Int, exchange: Int, version: String = "HTTP/1.1", security: ConnectionSecurity? = nil) {
        self.connection = connection
        self.exchange = exchange
        self.version = version
        self.security = security
    }

    /// The body as text; bytes that are not UTF-8 show as U+FFFD.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// The path of the target, without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }
}
