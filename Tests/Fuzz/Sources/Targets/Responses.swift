import CoreAPI
import Foundation

@testable import CoreAPICore
@testable import CoreAPICurl
@testable import CoreAPIFixtures
@testable import CoreAPIHTTP

extension FuzzTarget {
    /// Bytes as a connection delivers them: collected line by line, then parsed (RFC 9112 §4 and §5).
    static let responseHead = FuzzTarget(name: "response-head") { input in
        var collector = HeadCollector()
        let limit = 4_096
        collector.begin(size: limit, lines: 64)
        var rest = input.bytes
        while !rest.isEmpty, !collector.isComplete {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            let line = Array(rest[..<end])
            rest = rest[end...]
            let kind = line.withUnsafeBytes { collector.append($0) }
            if case .tooLarge = kind { break }
            if case .tooMany = kind { break }
        }
        expect(collector.bytes.count <= min(limit, input.bytes.count), "a collected head is within its limit")
        check(collector.bytes)
        check(Array(input.bytes))
        let (found, all) = (
            try? ResponseHeadParser.parse(collector.bytes, lines: collector.framing),
            try? ResponseHeadParser.parse(collector.bytes)
        )
        expect(
            found?.contentLength == all?.contentLength && found?.isChunked == all?.isChunked
                && found?.namesCodings == all?.namesCodings && (found == nil) == (all == nil),
            "where the body ends is found in the lines that were noted")
    }

    private static func check(_ bytes: [UInt8]) {
        guard let parsed = try? ResponseHeadParser.parse(bytes) else { return }
        expect((100...999).contains(parsed.head.status.code), "a status has three digits")
        expect(parsed.contentLength ?? 0 >= 0, "a length is not negative")
        var rendered = Array("HTTP/1.1 \(parsed.head.status.code) \(parsed.head.status.reasonPhrase)\r\n".utf8)
        for field in parsed.head.headers {
            let value = field.withUnsafeBytesOfValue { Array($0) }
            expect(!value.contains { [0x00, 0x0A, 0x0D].contains($0) }, "no CR, LF or NUL in \(field)")
            rendered += Array("\(field.name.rawName): ".utf8) + value + [0x0D, 0x0A]
        }
        expect(
            !parsed.head.status.reasonPhrase.utf8.contains { [0x00, 0x0A, 0x0D].contains($0) }, "no CR, LF or NUL in a reason")
        // An invalid byte of UTF-8 takes three bytes in a reason.
        expect(rendered.count <= 3 * bytes.count + 64, "a head is no larger than its bytes")
        let again = try? ResponseHeadParser.parse(rendered)
        expect(again?.head == parsed.head, "rendered and parsed again: \(parsed.head), \(String(describing: again?.head))")
        expect(again?.contentLength == parsed.contentLength, "the length stays")
    }

    /// A `Content-Encoding` on the first line, then a byte that says how the body is cut, then the body.
    static let contentCoding = FuzzTarget(name: "content-coding") { input in
        let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: ".utf8) + input.line() + [0x0D, 0x0A, 0x0D, 0x0A]
        let piece = Int(input.byte()) + 1
        _ = input.whole(cutEvery: piece) { decode($0, head: head) }
    }

    private struct Decoded: Equatable {
        var body = Data()
        var isFinished = false
        var failed = false
    }

    private static func decode(_ pieces: [[UInt8]], head: [UInt8]) -> Decoded? {
        guard let decoder = try? ContentDecoder(head: head) else { return nil }
        let limit = 256 << 10
        var decoded = Decoded()
        do {
            for piece in pieces {
                try piece.withUnsafeBufferPointer { try decoder.decode($0, into: &decoded.body, limit: limit) }
            }
            decoded.isFinished = decoder.isFinished
        } catch {
            // The length of a malformed body's output is not specified.
            decoded = Decoded(failed: true)
        }
        expect(decoded.body.count <= limit, "no more than the limit")
        return decoded
    }

    /// A fixture file, possibly malformed.
    static let fixture = FuzzTarget(name: "fixture") { input in
        let text = input.text
        guard let fixture = try? Fixture(parsing: text, file: "/nowhere/fuzz.http") else { return }
        expect((100...999).contains(fixture.status) || fixture.failure != nil, "a status or a failure")
        expect(fixture.delay >= .zero, "a delay is not negative")
        expect(fixture.body.count <= text.utf8.count, "a body is a part of the file")
        guard let fields = try? fixture.headers.fields() else { return expect(false, "sound headers") }
        for field in fields { expect(field.value.firstForbiddenControl == nil, "no control character in \(field)") }
        guard let method = fixture.method, let path = fixture.path else { return expect(false, "a method and a path") }
        expect(path.firstForbiddenControl == nil && path.utf8.allSatisfy { $0 < 0x80 }, "a path as on the wire: \(path)")

        // Written again in the file's own form, in which CR LF ends a line and a line that begins with # is a comment.
        guard fixture.failure == nil, !path.isEmpty, fixture.query.isEmpty, !fixture.body.contains(0x0D),
            !method.rawValue.hasPrefix("#")
        else { return }
        var lines = ["\(method.rawValue) /\(path)", "\(fixture.status)"] + fields.map { "\($0.name.rawName): \($0.value)" }
        lines += ["", String(decoding: fixture.body, as: UTF8.self) + "\n"]
        let again = try? Fixture(parsing: lines.joined(separator: "\n"), file: "/nowhere/fuzz.http")
        expect(again?.summary == fixture.summary && again?.status == fixture.status, "rendered and parsed again: \(lines)")
        expect(again?.headers == fixture.headers && again?.body == fixture.body, "rendered and parsed again: \(lines)")
    }
}
