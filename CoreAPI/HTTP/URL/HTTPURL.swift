/// An absolute `http` or `https` address, parsed once and kept in its form on the wire.
///
/// libcurl receives the checked address byte for byte (RFC 3986 §3): a second parser between the check and the socket could
/// confuse hosts. The type rejects user information, control characters and hosts that are not plain ASCII. It has no fragment,
/// because fragments are not sent (RFC 9110 §7.1).
///
/// ```swift
/// var url = try HTTPURL("https://api.example.com/v1")
/// try url.append(path: "orders?page=1")
/// url.appendQuery("q", "kırmızı çanta")
/// print(url)  // https://api.example.com/v1/orders?page=1&q=k%C4%B1rm%C4%B1z%C4%B1%20%C3%A7anta
/// ```
public struct HTTPURL: Sendable, Hashable, CustomStringConvertible {
    /// The two schemes that the kit supports.
    public enum Scheme: String, Sendable, Hashable {
        /// Clear text.
        case http
        /// TLS.
        case https

        /// The port if none is written (RFC 9110 §4.2).
        public var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    /// `http` or `https`.
    public package(set) var scheme: Scheme
    /// The host in lower case; an IPv6 address keeps its brackets, and its zone as in `[fe80::1%25eth0]` (RFC 6874).
    public package(set) var host: String
    /// The port as written, or `nil` for the scheme's default.
    public package(set) var port: UInt16?
    /// The percent-encoded path; begins with `/`.
    public package(set) var path: String
    /// The percent-encoded query without its `?`, or `nil` if there is none.
    public package(set) var query: String?

    /// The port to connect to.
    public var effectivePort: UInt16 { port ?? scheme.defaultPort }
    /// The host, and the port unless it is the default: the value of the `Host` header and `:authority`. A zone belongs to this
    /// machine and is not sent (RFC 6874 §4).
    public var authority: String { named(hostAndZone.host) }

    /// The host without its zone, and the zone without `%25`.
    package var hostAndZone: (host: String, zone: String?) {
        guard host.utf8.first == UInt8(ascii: "["), let mark = host.firstRange(of: "%25") else { return (host, nil) }
        return ("\(host[..<mark.lowerBound])]", String(host[mark.upperBound...].dropLast()))
    }

    private func named(_ host: String) -> String { effectivePort == scheme.defaultPort ? host : "\(host):\(effectivePort)" }

    /// Scheme, host and port, with the host's zone.
    package var origin: String { "\(scheme.rawValue)://\(named(host))" }
    /// Path and query, as in the request line (RFC 9112 §3.2.1).
    public var target: String { query.map { "\(path)?\($0)" } ?? path }
    /// The whole address.
    public var string: String { String(unsafeUninitializedCapacity: longest, initializingUTF8With: write) }

    /// The same for C, ended by a NUL and valid during the call.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        Self.withCString(longest, write, body)
    }

    /// ``target`` for C, as above. Every request needs it, and a `String` costs three times as much.
    package func withTarget<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        guard query != nil else { return path.withCString(body) }
        return Self.withCString(longest, { writeTarget(into: $0, at: $0.startIndex) }, body)
    }

    private static func withCString<Result>(
        _ capacity: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int, _ body: (UnsafePointer<CChar>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity + 1) { buffer in
            let count = write(buffer)
            buffer.initializeElement(at: count, to: 0)
            return buffer.withMemoryRebound(to: CChar.self) { body(UnsafePointer($0.baseAddress.unsafelyUnwrapped)) }
        }
    }

    /// Whether it contains a character that would end or divide a line of HTTP.
    package var hasControlOrSpace: Bool { host.hasControlOrSpace || path.hasControlOrSpace || query?.hasControlOrSpace == true }
    private var start: String { scheme == .https ? "https://" : "http://" }
    /// The largest length of the address, in bytes. A port takes a colon and five digits.
    package var longest: Int { start.utf8.count + host.utf8.count + 6 + path.utf8.count + (query.map { $0.utf8.count + 1 } ?? 0) }

    /// Written manually: interpolation costs five times as much, and `+=` twice.
    private func write(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var end = Self.add(start, to: buffer, at: buffer.startIndex)
        end = Self.add(host, to: buffer, at: end)
        if let port, port != scheme.defaultPort {
            end = Self.add(String(port), to: buffer, at: Self.add(":", to: buffer, at: end))
        }
        return writeTarget(into: buffer, at: end)
    }

    private func writeTarget(into buffer: UnsafeMutableBufferPointer<UInt8>, at offset: Int) -> Int {
        let end = Self.add(path, to: buffer, at: offset)
        guard let query else { return end }
        return Self.add(query, to: buffer, at: Self.add("?", to: buffer, at: end))
    }

    private static func add(_ text: String, to buffer: UnsafeMutableBufferPointer<UInt8>, at offset: Int) -> Int {
        buffer[offset...].update(fromContentsOf: text.utf8)
    }

    /// Whether both addresses have the same scheme, host and port (RFC 6454 §4).
    public func hasSameOrigin(as other: HTTPURL) -> Bool {
        scheme == other.scheme && host == other.host && effectivePort == other.effectivePort
    }

    /// The whole address; its query may contain secrets, which logs and errors redact with ``Redaction``.
    public var description: String { string }

    /// Appends a path below the present one, and its query if it has one (`"orders?page=1"`).
    ///
    /// What a path may not have is percent-encoded; valid escapes are kept. `.` and `..` segments are rejected, so that a path
    /// from a user's input cannot leave the base.
    ///
    /// - Throws: ``RequestError/malformedPath(_:reason:)``.
    public mutating func append(path text: String) throws(RequestError) {
        // Most paths need none of the following steps, which cost 5,000 instructions.
        if text.isPlainPath { return join(text) }
        if let bad = text.firstForbiddenControl {
            throw .malformedPath(text.escapingControls, reason: "\(bad) is not allowed in a path")
        }
        if text.hasURLScheme, text.contains("://") {
            let reason =
                "a path is appended to the base URL, so it may not be an absolute URL; the modifier BaseURL.ignore sends the "
            throw .malformedPath(text, reason: reason + "call there")
        }
        let parts = text.dividedAtQuery
        let encoded = PercentEncoding.path(String(parts.path))
        guard !encoded.hasDotSegment else {
            throw .malformedPath(text, reason: "'.' and '..' segments are not allowed, so that a path cannot leave its base URL")
        }
        join(encoded)
        guard let added = parts.query else { return }
        // A question mark alone is sent as well (RFC 3986 §6.2.3: a URL with an empty query differs from one without).
        if added.isEmpty { query = query ?? "" } else { append(encodedQuery: PercentEncoding.query(String(added))) }
    }

    private mutating func join(_ encoded: String) {
        guard let first = encoded.utf8.first else { return }
        let slash = UInt8(ascii: "/")
        switch (path.utf8.last == slash, first == slash) {
        case (true, true) where path.utf8.count == 1: path = encoded
        case (true, true): path += Substring(encoded.utf8.dropFirst())
        case (false, false): path += "/" + encoded
        default: path += encoded
        }
    }

    /// Appends one query item: all but RFC 3986's unreserved characters is percent-encoded. A `nil` value appends the name only.
    public mutating func appendQuery(_ name: String, _ value: String?) {
        append(encodedQuery: PercentEncoding.component(name) + (value.map { "=" + PercentEncoding.component($0) } ?? ""))
    }

    package mutating func append(encodedQuery: String) {
        guard !encodedQuery.isEmpty else { return }
        query = query.map { $0.isEmpty ? encodedQuery : "\($0)&\(encodedQuery)" } ?? encodedQuery
    }

    /// The decoded query items in order, for logs and fixtures.
    public var queryItems: [(name: String, value: String?)] {
        (query ?? "").split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(PercentEncoding.decode)
            return (pair[0], pair.count == 2 ? pair[1] : nil)
        }
    }
}
