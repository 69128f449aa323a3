import CoreAPIHTTP
import Foundation
import HTTPTypes

/// The catalogue as a file of JSON lines, with a validator, a digest (RFC 9530) and ranges (RFC 9110 §14).
enum TYExport {
    static let bytes: Data = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let lines = TYCatalogue.products.compactMap { try? encoder.encode(TYProductCard($0)) }
        return Data(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
    }()

    private static let digest = Data(SHA256.hash(bytes)).base64EncodedString()
    private static let tag = "\"\(digest.prefix(16))\""

    static func answer(to request: SandboxRequest) -> SandboxAnswer {
        var headers: [(name: String, value: String)] = [
            ("content-type", "application/jsonl"), ("accept-ranges", "bytes"), ("etag", tag),
            ("repr-digest", "sha-256=:\(digest):"),
        ]
        guard let first = start(in: request) else { return SandboxAnswer(status: .ok, headers: headers, body: bytes) }
        guard first < bytes.count else {
            headers.append(("content-range", "bytes */\(bytes.count)"))
            return SandboxAnswer(status: .rangeNotSatisfiable, headers: headers)
        }
        headers.append(("content-range", "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"))
        return SandboxAnswer(status: .partialContent, headers: headers, body: Data(bytes[first...]))
    }

    /// The first byte of an open range, `bytes=100-`; `nil` for the whole, also if the condition is about another file.
    private static func start(in request: SandboxRequest) -> Int? {
        guard let range = request.header("range"), range.hasPrefix("bytes="), range.hasSuffix("-"),
            request.header("if-range").map({ $0 == tag }) ?? true
        else { return nil }
        return Int(range.dropFirst("bytes=".count).dropLast())
    }
}
