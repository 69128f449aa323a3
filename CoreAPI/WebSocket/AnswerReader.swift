internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// Reads a server's response to an upgrade from a connection: a head and, unless the response switches protocols, a body (RFC
/// 9112). Strict: unknown syntax is an error.
struct AnswerReader {
    struct Answer {
        let head: ResponseHead
        let body: Data
        /// The bytes after a 101, which belong to the new protocol.
        let rest: Data
    }

    /// The final head, once it was read.
    private(set) var head: ResponseHead?
    private let discardsBody: (ResponseHead) -> Bool
    private let next: () async throws -> Data?
    private let limits: Limits
    private var pending: [UInt8] = []
    /// Of all heads so far: interim responses must have an end, too.
    private var (headSize, headLines) = (0, 0)

    /// - Parameters:
    ///   - discardsBody: whether a response's body is not needed, such as that of a followed redirect. It is not read.
    ///   - next: reads the next bytes of the connection.
    init(
        _ limits: Limits, discardsBody: @escaping (ResponseHead) -> Bool = { _ in false },
        _ next: @escaping () async throws -> Data?
    ) {
        self.discardsBody = discardsBody
        self.limits = limits
        self.next = next
    }

    /// - Throws: `TransportError`.
    mutating func read() async throws -> Answer {
        while true {
            let head = try await readHead()
            let code = head.status.code
            if code == 101 || code >= 200 { self.head = head }
            if code == 101 { return Answer(head: head, body: Data(), rest: Data(pending)) }
            // Interim responses precede the final one (RFC 9110 §15.2).
            guard code >= 200 else { continue }
            let body = code == 204 || code == 304 || discardsBody(head) ? Data() : try await readBody(head.headers)
            return Answer(head: head, body: body, rest: Data())
        }
    }

    private var headTooLarge: TransportError { .headTooLarge(limit: limits.responseHeadSize) }

    private static func malformed(_ reason: String) -> TransportError { .malformedResponse(reason: reason.escapingControls) }

    // MARK: - Head

    private mutating func readHead() async throws -> ResponseHead {
        var lines: [[UInt8]] = []
        while true {
            let line = try await readLine(atMost: limits.responseHeadSize - headSize, else: headTooLarge)
            headSize += line.count + 2
            guard headSize <= limits.responseHeadSize else { throw headTooLarge }
            if line.isEmpty { break }
            headLines += 1
            guard headLines <= limits.responseHeadLines else {
                throw TransportError.tooManyHeadLines(limit: limits.responseHeadLines)
            }
            lines.append(line)
        }
        guard let first = lines.first, let status = Self.status(first) else {
            throw Self.malformed("expected a status line of HTTP/1.1 (RFC 9112 §4)")
        }
        guard !first.contains(0), !first.contains(0x0D) else {
            throw Self.malformed("the status line has a NUL or CR (RFC 9112 §2.2)")
        }
        guard status.code != 101 || first.starts(with: "HTTP/1.1 ".utf8) else {
            throw Self.malformed("it switches protocols in another version than HTTP/1.1 (RFC 9110 §7.8)")
        }
        var fields = HTTPFields()
        for line in lines.dropFirst() { fields.append(try Self.field(line)) }
        return ResponseHead(status: status, headers: fields)
    }

    private static func status(_ line: [UInt8]) -> HTTPResponse.Status? {
        let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].elementsEqual("HTTP/1.1".utf8) || parts[0].elementsEqual("HTTP/1.0".utf8),
            parts[1].count == 3,
            parts[1].allSatisfy(\.isDigit), let code = Int(String(decoding: parts[1], as: UTF8.self)), code >= 100
        else { return nil }
        return HTTPResponse.Status(code: code)
    }

    private static func field(_ line: [UInt8]) throws -> HTTPField {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { throw malformed("expected a header line with a name (RFC 9112 §5)") }
        guard !line.contains(0), !line.contains(0x0D) else {
            throw malformed("the field \(name) has a NUL or CR (RFC 9110 §5.5)")
        }
        return HTTPField(name: name, value: String(decoding: line[(colon + 1)...], as: UTF8.self).trimmingHTTPWhitespace())
    }

    // MARK: - Body

    private mutating func readBody(_ fields: HTTPFields) async throws -> Data {
        if let coding = fields[.transferEncoding] {
            guard coding.lowercased() == "chunked", fields[.contentLength] == nil else {
                throw Self.malformed("expected 'chunked' as coding, found '\(coding.shortened(to: 100))' (RFC 9112 §6.1)")
            }
            return try await readChunks()
        }
        guard let text = fields[.contentLength] else { return try await readToEnd() }
        guard text.utf8.allSatisfy(\.isDigit), let length = Int(text) else {
            throw Self.malformed("expected a number as Content-Length, found '\(text.shortened(to: 100))'")
        }
        guard length <= limits.responseBodySize else { throw tooLarge }
        return try await take(length, of: Int64(length), after: 0)
    }

    private var tooLarge: TransportError { .responseTooLarge(limit: limits.responseBodySize) }

    private mutating func readChunks() async throws -> Data {
        var body = Data()
        while true {
            let long = Self.malformed("a chunk's size has more than 1,024 bytes")
            let line = try await readLine(atMost: 1_024, else: long, after: body.count)
            let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self).trimmingHTTPWhitespace()
            // `Int` takes a sign, too.
            guard digits.allSatisfy(\.isHexDigit), let size = Int(digits, radix: 16) else {
                throw Self.malformed("expected a number as a chunk's size (RFC 9112 §7.1)")
            }
            if size == 0 { return body }
            guard size <= limits.responseBodySize - body.count else { throw tooLarge }
            body += try await take(size, of: nil, after: body.count)
            let longer = Self.malformed("a chunk is longer than its size")
            guard try await readLine(atMost: 2, else: longer, after: body.count).isEmpty else { throw longer }
        }
    }

    private mutating func readToEnd() async throws -> Data {
        var body = Data(pending)
        while body.count <= limits.responseBodySize {
            guard let bytes = try await next() else { return body }
            body += bytes
        }
        throw tooLarge
    }

    // MARK: - Bytes

    private mutating func take(_ count: Int, of expected: Int64?, after received: Int) async throws -> Data {
        while pending.count < count {
            guard let bytes = try await next() else {
                throw TransportError.truncated(received: Int64(received + pending.count), expected: expected)
            }
            pending += bytes
        }
        defer { pending.removeFirst(count) }
        return Data(pending.prefix(count))
    }

    /// Reads a line, and drops its end.
    ///
    /// - Parameter received: the bytes of the body so far; `nil` in the head.
    private mutating func readLine(
        atMost limit: Int, else error: TransportError, after received: Int? = nil
    ) async throws -> [UInt8] {
        var searched = 0
        while true {
            if let end = pending[searched...].firstIndex(of: 0x0A) {
                // As below, so that it does not matter how the bytes arrive.
                guard end <= limit else { throw error }
                var line = Array(pending[..<end])
                pending.removeFirst(end + 1)
                if line.last == 0x0D { line.removeLast() }
                return line
            }
            searched = pending.count
            guard searched <= limit else { throw error }
            guard let bytes = try await next() else {
                if let received { throw TransportError.truncated(received: Int64(received), expected: nil) }
                throw TransportError.connectionLost(
                    reason: "it ended before the response's head was complete", mayHaveBeenProcessed: false)
            }
            pending += bytes
        }
    }
}
