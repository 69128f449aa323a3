internal import HTTPTypes

/// Turns the bytes of one head into status and fields (RFC 9112 §4 and §5). Pure: no I/O; nothing that a server sends makes it trap.
struct ResponseHeadParser {
    struct Malformed: Error {
        let reason: String
    }

    /// What framing needs to know besides the fields.
    struct Parsed {
        var head: ResponseHead
        /// `nil` when none was sent, or when a transfer coding takes its place (RFC 9112 §6.3).
        var contentLength: Int64?
    }

    static func parse(_ bytes: [UInt8]) throws(Malformed) -> Parsed {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Self.withoutCR)[...]
        guard let first = lines.popFirst() else { throw Malformed(reason: "the response has no status line") }
        var parsed = Parsed(head: ResponseHead(status: try status(first)))
        var pending: [UInt8]?
        for line in lines {
            if let start = line.first, start == 0x20 || start == 0x09 {
                // Folded lines are obsolete; a user agent puts a space in the fold's place (RFC 9112 §5.2).
                if pending != nil { pending?.append(0x20) }
                pending?.append(contentsOf: trimmed(line))
                continue
            }
            if let pending { append(pending[...], to: &parsed.head.headers) }
            pending = line.isEmpty ? nil : Array(line)
        }
        if let pending { append(pending[...], to: &parsed.head.headers) }
        parsed.contentLength = try contentLength(of: parsed.head.headers)
        return parsed
    }

    /// `HTTP/1.1 200 OK`, and `HTTP/2 200` as libcurl writes it for HTTP/2.
    private static func status(_ line: ArraySlice<UInt8>) throws(Malformed) -> HTTPResponse.Status {
        let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].starts(with: "HTTP/".utf8), parts[1].count == 3,
            let code = Int(String(decoding: parts[1], as: UTF8.self)), code >= 100
        else {
            throw Malformed(reason: "expected a status line, got '\(String(decoding: line.prefix(60), as: UTF8.self).escapingControls)'")
        }
        guard parts.count == 3, !parts[2].isEmpty else { return HTTPResponse.Status(code: code) }
        return HTTPResponse.Status(code: code, reasonPhrase: String(decoding: parts[2], as: UTF8.self))
    }

    /// A line whose name is no token is left out: nobody could ask for it by that name, and to mend it (`Content-Length :`) would
    /// give it a meaning that the connection's framing did not give it (RFC 9110 §5.1, RFC 9112 §5.1). Of a value, only CR, LF and
    /// NUL are replaced, as RFC 9110 §5.5 asks; bytes that are not UTF-8 stay, see `HTTPField.withUnsafeBytesOfValue(_:)`.
    private static func append(_ line: ArraySlice<UInt8>, to fields: inout HTTPFields) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { return }
        fields.append(HTTPField(name: name, lenientValue: trimmed(line[line.index(after: colon)...])))
    }

    /// Several fields, or a list in one, that all say the same are taken as one; if they differ, the message's end is unknown and
    /// the response is not usable (RFC 9112 §6.3).
    private static func contentLength(of fields: HTTPFields) throws(Malformed) -> Int64? {
        let values = Set(fields[values: .contentLength].flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            .map { $0.trimmingHTTPWhitespace() })
        guard values.count <= 1 else {
            throw Malformed(reason: "expected one Content-Length, got \(values.sorted().joined(separator: " and "))")
        }
        guard fields[.transferEncoding] == nil, let value = values.first else { return nil }
        guard value.utf8.allSatisfy(\.isDigit), let length = Int64(value) else {
            throw Malformed(reason: "expected a number as Content-Length, got '\(value)'")
        }
        return length
    }

    private static func withoutCR(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == 0x0D ? line.dropLast() : line
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes = bytes.dropFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
        return bytes
    }
}
