import Foundation
import HTTPTypes

@testable import CoreAPICore
@testable import CoreAPICurl

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
}
