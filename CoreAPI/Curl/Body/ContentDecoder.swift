internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// Decodes the content codings of a body (RFC 9110 §8.4), piece by piece.
///
/// libcurl's decoder does not check that a coding has reached its end. A page cut inside a complete message would be a success.
final class ContentDecoder {
    static let acceptLine = "Accept-Encoding: \(codings.joined(separator: ", "))"

    /// Those of `Accept-Encoding`.
    static let codings =
        ["deflate", "gzip"] + (BrotliDecoder.library == nil ? [] : ["br"]) + (ZstdDecoder.library == nil ? [] : ["zstd"])

    /// More than any real response has; each stage has its own buffers.
    private static let stageLimit = 4

    /// The decoders, that of the outermost coding first.
    private var stages: [any CodingStage]
    private var made: [Int] = []
    private var received = 0
    var isFinished: Bool { stages.allSatisfy(\.isFinished) }

    /// - Parameter head: the response's head, as received.
    /// - Returns: `nil` for a body without coding, and for one whose outermost coding is unknown.
    init?(head: [UInt8]) throws(TransportError) {
        var values: [String] = []
        // Not at a CR alone, which is part of a value.
        let lines = head.split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0 }
        for line in lines where line.starts(with: "content-encoding:", ignoringCase: true) {
            values.append(String(decoding: line.dropFirst("content-encoding:".utf8.count), as: UTF8.self))
        }
        let names = Self.codings(in: values).known
        guard !names.isEmpty else { return nil }
        guard names.count <= Self.stageLimit else {
            throw .malformedResponse(reason: "more than \(Self.stageLimit) content codings")
        }
        stages = []
        for name in names.reversed() {
            guard let stage = Self.stage(name) else {
                throw .malformedResponse(reason: "the content coding '\(name)' cannot be undone")
            }
            stages.append(stage)
            made.append(0)
        }
    }

    private static func stage(_ name: String) -> (any CodingStage)? {
        switch name {
        case "gzip", "x-gzip": ZlibDecoder(isGzip: true)
        case "deflate", "x-deflate": ZlibDecoder(isGzip: false)
        case "br": BrotliDecoder()
        case "zstd": ZstdDecoder()
        default: nil
        }
    }

    /// The codings in field values, in the order in which they were applied and in lower case, without names that mean no coding.
    /// Returns `known`, the outer codings, which are decoded; `unknown`, the inner codings before them. The body then stays
    /// encoded by those.
    static func codings(in values: [String]) -> (known: [String], unknown: [String]) {
        let all = values.flatMap { $0.split(separator: ",") }.compactMap { element -> String? in
            let name = element.prefix { $0 != ";" }.trimmingHTTPWhitespace().trimming("\"'").lowercased()
            return isNoCoding(name) ? nil : name
        }
        let known = all.reversed().prefix { Self.names.contains($0) }.count
        return (Array(all.suffix(known)), Array(all.dropLast(known)))
    }

    private static let names: Set = ["gzip", "x-gzip", "deflate", "x-deflate", "br", "zstd"]

    /// Careless servers write a charset there, or another protocol's word for "unchanged".
    private static func isNoCoding(_ name: String) -> Bool {
        ["", "identity", "none", "binary", "7bit", "8bit", "text", "plain"].contains(name) || (try? Charset(named: name)) != nil
    }

    /// Decodes a piece and appends it to the body, of at most `limit` bytes.
    func decode(_ bytes: UnsafeBufferPointer<UInt8>, into body: inout Data, limit: Int) throws(TransportError) {
        received += bytes.count
        // Bytes after the end of a coding are ignored, but must be bounded, too.
        guard received / 2 <= max(limit, 64 * 1_024) else { throw .responseTooLarge(limit: limit) }
        try decode(bytes, from: 0, limit: limit) { decoded throws(TransportError) in
            let room = max(0, limit - body.count)
            body.append(decoded.baseAddress.unsafelyUnwrapped, count: min(decoded.count, room))
            if decoded.count > room { throw .responseTooLarge(limit: limit) }
        }
    }

    /// Decodes a piece of a body of any size.
    ///
    /// - Parameter limit: the bytes that each coding may make of this piece.
    func decode(_ piece: Data, atMost limit: Int) throws(TransportError) -> Data {
        var decoded = Data()
        made = made.map { _ in 0 }
        let result = piece.withUnsafeBytes { bytes in
            Result { () throws(TransportError) in
                try decode(bytes.bindMemory(to: UInt8.self), from: 0, limit: limit) { decoded.append($0) }
            }
        }
        try result.get()
        return decoded
    }

    private func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, from stage: Int, limit: Int, _ take: CodingStage.Take
    ) throws(TransportError) {
        guard !bytes.isEmpty else { return }
        guard stage < stages.count else { return try take(bytes) }
        try stages[stage].decode(bytes) { piece throws(TransportError) in
            made[stage] += piece.count
            // Each coding can multiply the size a thousandfold. So the intermediate bytes need a bound, even if little comes out
            // at the end. A body's encoded form is hardly longer than the body.
            guard made[stage] / 2 <= max(limit, 64 * 1_024) else { throw .responseTooLarge(limit: limit) }
            try decode(piece, from: stage + 1, limit: limit, take)
        }
    }
}

extension Collection<UInt8> {
    func starts(with text: StaticString, ignoringCase: Bool) -> Bool {
        text.withUTF8Buffer { wanted in
            count >= wanted.count && zip(self, wanted).allSatisfy { ($0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0) == $1 }
        }
    }
}
