internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// Parses the bytes of one head into status and fields (RFC 9112 §4 and §5). Pure: no I/O, and no input makes it trap.
struct ResponseHeadParser {
    /// The framing of the body, besides the fields.
    struct Parsed {
        var head: ResponseHead
        /// `nil` without one, and for a body in chunks, which override it (RFC 9112 §6.3).
        var contentLength: Int64?
        /// Whether a last chunk marks the end of the body.
        var isChunked = false
        /// Whether there is a `Transfer-Encoding` that codes nothing (`identity`). libcurl then reads the body to the
        /// connection's end.
        var namesIdentity = false
        /// Whether chunks are not the last coding; by RFC 9112 §6.3 the body then ends with the connection.
        var hasCodingBehindChunks = false
        var namesCodings = false
        /// Whether a body may follow, whatever the fields say: not after a HEAD, and with 204 and 304.
        let hasBody: Bool
    }

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    /// Reads the status and the framing of the body. The other fields are parsed on first access.
    ///
    /// - Parameters:
    ///   - lines: the lines to read; if they are incomplete, all lines are read.
    ///   - readsFramingOf204: whether to read the framing of a 204, although it has no body.
    static func parse(
        _ bytes: [UInt8], lines: FramingLines? = nil, isHEAD: Bool = false, readsFramingOf204: Bool = false
    ) throws(TransportError) -> Parsed {
        try bytes.withUnsafeBufferPointer { buffer throws(TransportError) in
            var rest = buffer[...]
            let status = try status(nextLine(&rest))
            let hasBody = !isHEAD && status.code != 304 && status.code != 204
            var parsed = Parsed(head: ResponseHead(status: status, bytes: bytes, read: fields), hasBody: hasBody)
            guard hasBody || status.code == 204 && readsFramingOf204 else { return parsed }
            if let lines, lines.isComplete {
                for index in 0..<lines.count {
                    rest = buffer[lines[index]...]
                    try readLine(&rest, into: &parsed)
                }
            } else {
                while let first = rest.first {
                    if FramingLines.mayBegin(with: first) { try readLine(&rest, into: &parsed) } else { _ = nextLine(&rest) }
                }
            }
            if parsed.hasCodingBehindChunks, let length = parsed.contentLength {
                throw .malformedResponse(
                    reason: "a Content-Length of \(length) beside chunks that are not the last coding (RFC 9112 §6.3)")
            }
            if parsed.isChunked { (parsed.contentLength, parsed.namesIdentity) = (nil, false) }
            return parsed
        }
    }

    private static func readLine(_ rest: inout Slice<Bytes>, into parsed: inout Parsed) throws(TransportError) {
        let line = nextLine(&rest)
        try checkForm(line, isFolded: isFolded(rest))
        if let value = value(of: "content-length", line) {
            parsed.contentLength = try length(value, agreeingWith: parsed.contentLength)
        } else if let value = value(of: "transfer-encoding", line) {
            let codings = try transferCodings(String(decoding: value, as: UTF8.self))
            if codings.contains("chunked") {
                guard !parsed.isChunked else { throw .malformedResponse(reason: Self.chunksWithinChunks) }
                parsed.isChunked = true
            } else {
                parsed.namesIdentity = true
            }
            if parsed.isChunked, codings.last != "chunked" { parsed.hasCodingBehindChunks = true }
        } else if isNamed("content-encoding", line) {
            parsed.namesCodings = true
        }
    }

    private static let framing: [StaticString] = ["content-length", "transfer-encoding", "content-encoding"]

    /// libcurl ignores a field whose name is followed by a space, or whose value begins in the next line. The body would then end
    /// elsewhere than its sender means (RFC 9112 §5.1, §5.2).
    private static func checkForm(_ line: Slice<Bytes>, isFolded: Bool) throws(TransportError) {
        // A name directly followed by its colon.
        let colon = first(UInt8(ascii: ":"), in: line) ?? line.startIndex
        guard isFolded || colon == line.startIndex || isBlank(line[colon - 1]) else { return }
        for name in framing {
            let count = name.utf8CodeUnitCount
            // The byte after a name of that length distinguishes most lines.
            guard line.count > count, isBlank(line[line.startIndex + count]) || isFolded, begins(line, with: name),
                line.dropFirst(count).first(where: { !isBlank($0) }) == UInt8(ascii: ":")
            else { continue }
            let isSpaced = isBlank(line[line.startIndex + count])
            let reason = isSpaced ? "a space between '\(name)' and its colon" : "the value of '\(name)' continues in another line"
            throw .malformedResponse(reason: reason)
        }
    }

    private static let chunksWithinChunks = "chunks within chunks (RFC 9112 §6.1)"

    /// No request asks for another coding (`TE`). And libcurl, which decodes them, does not check that they reached their end.
    private static func transferCodings(_ value: String) throws(TransportError) -> [String] {
        let codings = value.split(separator: ",").map { $0.trimmingHTTPWhitespace().lowercased() }
        let count = codings.count { $0 == "chunked" }
        guard count <= 1 else { throw .malformedResponse(reason: chunksWithinChunks) }
        for coding in codings {
            // libcurl treats the second name as the first.
            guard ["chunked", "identity", "none", ""].contains(coding) else {
                let name = coding.shortened().escapingControls
                throw .malformedResponse(reason: "the transfer coding '\(name)', which the request did not ask for")
            }
        }
        return codings
    }

    /// The heads of complete interim responses; those that are malformed are left out.
    static func informational(_ heads: [[UInt8]]) -> [ResponseHead] {
        heads.compactMap { try? parse($0, isHEAD: true).head }
    }

    static func trailers(_ bytes: [UInt8]) -> HTTPFields? { bytes.isEmpty ? nil : fields(Array("\r\n".utf8) + bytes) }

    private static func fields(_ bytes: [UInt8]) -> HTTPFields {
        bytes.withUnsafeBufferPointer { buffer in
            var rest = buffer[...]
            _ = nextLine(&rest)
            var fields = HTTPFields()
            while !rest.isEmpty {
                let line = nextLine(&rest)
                if let field = isFolded(rest) ? field(unfolding(line, &rest)) : field(line) { fields.append(field) }
            }
            return fields
        }
    }

    private static func begins(_ line: Slice<Bytes>, with name: StaticString) -> Bool {
        UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: line)).isNamed(name)
    }

    private static func isNamed(_ name: StaticString, _ line: Slice<Bytes>) -> Bool {
        let count = name.utf8CodeUnitCount
        guard line.count > count, line[line.startIndex + count] == UInt8(ascii: ":") else { return false }
        return begins(line, with: name)
    }

    private static func value(of name: StaticString, _ line: Slice<Bytes>) -> Slice<Bytes>? {
        isNamed(name, line) ? trimmed(line.dropFirst(name.utf8CodeUnitCount + 1)) : nil
    }

    /// `HTTP/1.1 200 OK`, and `HTTP/2 200` as libcurl writes it for HTTP/2.
    private static func status(_ line: Slice<Bytes>) throws(TransportError) -> HTTPResponse.Status {
        let space = UInt8(ascii: " ")
        let bytes = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: line))
        guard bytes.begins(with: "HTTP/"), let end = line.firstIndex(of: space), let code = code(line[(end + 1)...]) else {
            let found = String(decoding: line.prefix(60), as: UTF8.self).escapingControls
            throw .malformedResponse(reason: "expected a status line, got '\(found)'")
        }
        let phrase = line[(end + 1)...].dropFirst(4)
        guard !phrase.isEmpty else { return HTTPResponse.Status(code: code) }
        return HTTPResponse.Status(code: code, reasonPhrase: String(decoding: phrase, as: UTF8.self))
    }

    /// Three digits, at least 100, followed by a space or the end.
    private static func code(_ text: Slice<Bytes>) -> Int? {
        guard text.count == 3 || (text.count > 3 && text[text.startIndex + 3] == UInt8(ascii: " ")) else { return nil }
        var code = 0
        for byte in text.prefix(3) {
            guard byte.isDigit else { return nil }
            code = code * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return code >= 100 ? code : nil
    }

    /// A line whose name is no token is dropped, because no caller could look it up by that name. Repairing it (`Content-Length
    /// :`) would give it a meaning that the connection's framing did not give it (RFC 9110 §5.1, RFC 9112 §5.1). Of a value, only
    /// CR, LF and NUL are replaced, as RFC 9110 §5.5 asks; bytes that are not UTF-8 stay.
    private static func field(_ line: some BidirectionalCollection<UInt8>) -> HTTPField? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { return nil }
        let raw = line[line.index(after: colon)...]
        // A cookie with a control character must be ignored altogether (RFC 6265bis §5.6).
        if name == .setCookie, raw.contains(where: { $0 == 0 || $0 == 0x0D }) { return nil }
        return HTTPField(name: name, lenientValue: trimmed(raw))
    }

    /// Several equal fields, or a list of equal values in one, count as one. If they differ, the message's end is unknown and the
    /// response is unusable (RFC 9112 §6.3).
    private static func length(_ value: Slice<Bytes>, agreeingWith earlier: Int64?) throws(TransportError) -> Int64 {
        var agreed = earlier
        // Nine of ten are a plain number.
        if earlier == nil, !value.isEmpty, value.count <= 18, value.allSatisfy(\.isDigit) {
            return value.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        for text in String(decoding: value, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false) {
            let text = text.trimmingHTTPWhitespace()
            guard text.utf8.allSatisfy(\.isDigit), let length = Int64(text) else {
                let found = text.shortened().escapingControls
                throw .malformedResponse(reason: "expected a number as Content-Length, got '\(found)'")
            }
            guard agreed == nil || agreed == length else {
                throw .malformedResponse(reason: "expected one Content-Length, got \(agreed ?? 0) and \(length)")
            }
            agreed = length
        }
        guard let agreed else { throw .malformedResponse(reason: "expected a number as Content-Length, got nothing") }
        return agreed
    }

    /// The bytes up to the next LF, without it and without the CR before it.
    private static func nextLine(_ rest: inout Slice<Bytes>) -> Slice<Bytes> {
        let end = first(0x0A, in: rest) ?? rest.endIndex
        var line = rest[..<end]
        rest = rest[(end < rest.endIndex ? end + 1 : end)...]
        if line.last == 0x0D { line = line.dropLast() }
        return line
    }

    private static func first(_ byte: UInt8, in rest: Slice<Bytes>) -> Int? {
        guard let base = rest.base.baseAddress, !rest.isEmpty else { return nil }
        return memchr(base + rest.startIndex, Int32(byte), rest.count).map { UnsafeRawPointer($0) - UnsafeRawPointer(base) }
    }

    private static func isFolded(_ rest: Slice<Bytes>) -> Bool { rest.first?.isBlank == true }

    /// Folded lines are obsolete; a user agent replaces the fold with a space (RFC 9112 §5.2).
    private static func unfolding(_ line: Slice<Bytes>, _ rest: inout Slice<Bytes>) -> [UInt8] {
        var unfolded = Array(line)
        while isFolded(rest) {
            unfolded.append(0x20)
            unfolded.append(contentsOf: nextLine(&rest).drop(while: \.isBlank))
        }
        return unfolded
    }

    private static func trimmed<Line: BidirectionalCollection<UInt8>>(_ bytes: Line) -> Line.SubSequence
    where Line.SubSequence == Line {
        var bytes = bytes
        while let first = bytes.first, isBlank(first) { bytes = bytes.dropFirst() }
        while let last = bytes.last, isBlank(last) { bytes = bytes.dropLast() }
        return bytes
    }

    /// White space, and bytes that are later replaced by a space (RFC 9110 §5.5).
    private static func isBlank(_ byte: UInt8) -> Bool { byte.isBlank || byte == 0x0D || byte == 0x0A || byte == 0 }
}
