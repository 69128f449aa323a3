import Foundation

@testable import CoreAPICore
@testable import CoreAPICurl

extension FuzzTarget {
    /// A `Content-Encoding` on the first line, then a byte that says how the body is cut, then the body.
    static let contentCoding = FuzzTarget(name: "content-coding") { input in
        var input = input
        let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: ".utf8) + input.line() + [0x0D, 0x0A, 0x0D, 0x0A]
        let piece = Int(input.byte()) + 1
        let body = Array(input.bytes)
        guard let whole = decode(body, head: head, by: max(body.count, 1)), let cut = decode(body, head: head, by: piece) else {
            return
        }
        expect(whole == cut, "the same however it is cut, by \(piece): \(whole), \(cut)")
    }

    private static let limit = 256 << 10

    private struct Outcome: Equatable {
        var body = Data()
        var isFinished = false
        var failed = false
    }

    private static func decode(_ body: [UInt8], head: [UInt8], by piece: Int) -> Outcome? {
        guard let decoder = try? ContentDecoder(head: head) else { return nil }
        var outcome = Outcome()
        do {
            for start in stride(from: 0, to: body.count, by: piece) {
                try body[start..<min(start + piece, body.count)].withUnsafeBufferPointer {
                    try decoder.decode($0, into: &outcome.body, limit: limit)
                }
            }
            outcome.isFinished = decoder.isFinished
        } catch {
            // The length of a malformed body's output is not specified.
            outcome = Outcome(failed: true)
        }
        expect(outcome.body.count <= limit, "no more than the limit")
        return outcome
    }
}
