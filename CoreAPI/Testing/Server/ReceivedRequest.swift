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
    public internal(set) var error: String?
    /// `HTTP/1.1` or `HTTP/2`.
    public let version: String
    /// The result of the TLS handshake; nil in clear text.
    public let security: ConnectionSecurity?
    /// The request's fault, if the server plays faults.
    public internal(set) var fault: Fault?

    /// Adds bytes to the body, of which the server keeps as many as the limit says.
    mutating func receive(_ bytes: Data, keeping limit: Int) {
        bodyLength += bytes.count
        body.append(bytes.prefix(max(0, limit - body.count)))
    }

    /// The body as text; invalid UTF-8 becomes U+FFFD.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }
    /// The path of the target, without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }
}

/// The result of a TLS handshake between client and server.
public struct ConnectionSecurity: Sendable, Hashable {
    /// `TLSv1.3`, `TLSv1.2` …
    public let version: String
    /// The host that the client named (SNI, RFC 6066 §3); nil if it used an address or named none.
    public let serverName: String?
    /// Whether an earlier session was resumed, without showing a certificate.
    public let isResumed: Bool
}

/// Header lines as on the wire: in order, in their original case, with repetitions.
///
/// A literal may repeat a header, for example to send a conflicting `Content-Length`:
/// `["Content-Length": "3", "Content-Length": "5"]`.
public struct HeaderLines: Sendable, Hashable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    /// One header line.
    public struct Line: Sendable, Hashable {
        /// The name, in its original case.
        public let name: String
        /// The value; for a received line without surrounding white space.
        public let value: String

        /// Makes a line. It is not checked: a line break in it is sent unchanged.
        public init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    private var lines: [Line]

    /// Makes a list of lines, none by default.
    public init(_ lines: [Line] = []) { self.lines = lines }
    /// Makes a list from `"Name": "value"` pairs, in order, repetitions kept.
    public init(dictionaryLiteral elements: (String, String)...) { lines = elements.map { Line(name: $0.0, value: $0.1) } }

    /// The index of the first line.
    public var startIndex: Int { lines.startIndex }
    /// The index after the last line.
    public var endIndex: Int { lines.endIndex }
    /// The line at an index.
    public subscript(position: Int) -> Line { lines[position] }
    /// The value of the first line with this name, whatever its case; nil if there is none.
    public subscript(name: String) -> String? { all(name).first }

    /// The values of all lines with this name, whatever its case, in order.
    public func all(_ name: String) -> [String] {
        let wanted = name.lowercased()
        return lines.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// Adds a line at the end.
    public mutating func append(_ name: String, _ value: String) { lines.append(Line(name: name, value: value)) }

    /// These lines, with one added at the end unless the name exists already.
    func adding(_ name: String, _ value: String) -> HeaderLines {
        guard self[name] == nil else { return self }
        var copy = self
        copy.append(name, value)
        return copy
    }

    /// The lines for the wire, each with its line end.
    var wireText: String { lines.map { "\($0.name): \($0.value)\r\n" }.joined() }
}
