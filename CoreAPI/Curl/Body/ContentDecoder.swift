internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// Decodes the content codings of a body (RFC 9110 §8.4), piece by piece.
///
/// libcurl's decoder does not check that a coding has reached its end. A page cut inside a complete message would be a success.
final class ContentDecoder {
    enum Failure: Error {
        /// The decoded body exceeds its limit.
        case tooLarge
        case malformed(String)
    }

    /// The value of `Accept-Encoding`.
    static let accepted = codings.joined(separator: ", ")

    /// The same as a header line.
    static let acceptLine = "Accept-Encoding: \(accepted)"

    /// The same as a list.
    static let codings =
        ["deflate", "gzip"] + (BrotliDecoder.library == nil ? [] : ["br"]) + (ZstdDecoder.library == nil ? [] : ["zstd"])

    /// More than any real response has; each stage has its own buffers.
    private static let stageLimit = 4

    /// The decoders, that of the outermost coding first.
    private var stages: [any CodingStage]

    /// Bytes that each stage has produced so far.
    private var made: [Int] = []
    /// Bytes received so far.
    private var received = 0

    /// Whether every coding has reached its end.
    var isFinished: Bool { stages.allSatisfy(\.isFinished) }

    /// - Parameter head: the response's head, as received.
    /// - Returns: `nil` for a body without coding, and for one whose outermost coding is unknown.
    /// - Throws: ``Failure`` for more than `stageLimit` codings.
    init?(head: [UInt8]) throws {
        var values: [String] = []
        // Not at a CR alone, which is part of a value.
        let lines = head.split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0 }
        for line in lines where line.starts(with: "content-encoding:", ignoringCase: true) {
            values.append(String(decoding: line.dropFirst("content-encoding:".utf8.count), as: UTF8.self))
        }
        let names = Self.codings(in: values).known
        guard !names.isEmpty else { return nil }
        guard names.count <= Self.stageLimit else { throw Failure.malformed("more than \(Self.stageLimit) content codings") }
        stages = []
        for name in names.reversed() {
            guard let stage = Self.stage(name) else { throw Failure.malformed("the content coding '\(name)' cannot be undone") }
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
    ///
    /// - Returns: `known`, the outer codings, which are decoded; `unknown`, the inner codings before them. The body then stays
    ///   encoded by those.
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

    /// What a caller is told of an error of decoding.
    ///
    /// - Parameter limit: the bytes that were allowed.
    static func transportError(_ error: any Error, limit: Int) -> TransportError {
        switch error {
        case Failure.tooLarge: .responseTooLarge(limit: limit)
        case Failure.malformed(let reason): .malformedResponse(reason: reason)
        default: .malformedResponse(reason: error.readableDescription)
        }
    }

    /// Decodes a piece and appends it to the body, of at most `limit` bytes.
    ///
    /// - Throws: ``Failure``.
    func decode(_ bytes: UnsafeBufferPointer<UInt8>, into body: inout Data, limit: Int) throws {
        received += bytes.count
        // Bytes after the end of a coding are ignored, but must be bounded, too.
        guard received / 2 <= max(limit, 64 * 1_024) else { throw Failure.tooLarge }
        try decode(bytes, from: 0, limit: limit) { decoded in
            let room = max(0, limit - body.count)
            body.append(decoded.baseAddress.unsafelyUnwrapped, count: min(decoded.count, room))
            if decoded.count > room { throw Failure.tooLarge }
        }
    }

    /// Decodes a piece of a body of any size.
    ///
    /// - Parameter limit: the bytes that each coding may make of this piece.
    /// - Throws: ``Failure``.
    func decode(_ piece: Data, atMost limit: Int) throws -> Data {
        var decoded = Data()
        made = made.map { _ in 0 }
        try piece.withUnsafeBytes { bytes in
            try decode(bytes.bindMemory(to: UInt8.self), from: 0, limit: limit) { decoded.append($0) }
        }
        return decoded
    }

    private func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, from stage: Int, limit: Int, _ take: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        guard !bytes.isEmpty else { return }
        guard stage < stages.count else { return try take(bytes) }
        try stages[stage].decode(bytes) { piece in
            made[stage] += piece.count
            // Each coding can multiply the size a thousandfold. So the intermediate bytes need a bound, even if little comes out
            // at the end. A body's encoded form is hardly longer than the body.
            guard made[stage] / 2 <= max(limit, 64 * 1_024) else { throw Failure.tooLarge }
            try decode(piece, from: stage + 1, limit: limit, take)
        }
    }
}

/// One coding.
protocol CodingStage: AnyObject {
    /// Whether its end mark was received.
    var isFinished: Bool { get }

    /// Decodes a piece and passes the result on, at most 64 KiB at a time.
    ///
    /// - Throws: ``ContentDecoder/Failure``, and the errors of `take`.
    func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ take: (UnsafeBufferPointer<UInt8>) throws -> Void) throws
}

extension Collection<UInt8> {
    func starts(with text: StaticString, ignoringCase: Bool) -> Bool {
        text.withUTF8Buffer { wanted in
            count >= wanted.count && zip(self, wanted).allSatisfy { ($0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0) == $1 }
        }
    }
}
