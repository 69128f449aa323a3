internal import CCurl
internal import CoreAPICore
internal import Foundation

/// Takes the codings of a body off again (RFC 9110 §8.4), piece by piece.
///
/// libcurl's decoder does not check that a coding has come to its end. A page that breaks off inside a complete message would be
/// a success.
final class ContentDecoder {
    enum Failure: Error {
        /// More came out than may.
        case tooLarge
        case malformed(String)
    }

    /// What `Accept-Encoding` says.
    static let accepted = codings.joined(separator: ", ")

    /// The same as a header line.
    static let acceptLine = "Accept-Encoding: \(accepted)"

    /// The same as a list.
    static let codings = ["deflate", "gzip"] + (BrotliDecoder.library == nil ? [] : ["br"])

    /// More than anybody needs; each has buffers of its own.
    private static let stageLimit = 4

    /// The last coding that was applied first.
    private var stages: [any CodingStage]

    /// Bytes that each stage has made so far.
    private var made: [Int] = []
    /// Bytes that came so far.
    private var received = 0

    /// Whether every coding has come to its end.
    var isFinished: Bool { stages.allSatisfy(\.isFinished) }

    /// - Parameter head: the response's, as it came.
    /// - Returns: `nil` for a body without coding, and for one whose outermost coding is not known.
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
        case "gzip", "x-gzip": Inflater(isGzip: true)
        case "deflate", "x-deflate": Inflater(isGzip: false)
        case "br": BrotliDecoder()
        default: nil
        }
    }

    /// The codings that fields name, in the order in which they were applied and in lower case, without names that mean no
    /// coding.
    ///
    /// - Returns: `known`, the outer codings that are undone; `unknown`, what is left of the list before them. The body then
    ///   stays as those left it.
    static func codings(in values: [String]) -> (known: [String], unknown: [String]) {
        let all = values.flatMap { $0.split(separator: ",") }.compactMap { element -> String? in
            let name = element.prefix { $0 != ";" }.trimmingHTTPWhitespace().trimmingCharacters(in: ["\"", "'"]).lowercased()
            return isNoCoding(name) ? nil : name
        }
        let known = all.reversed().prefix { Self.names.contains($0) }.count
        return (Array(all.suffix(known)), Array(all.dropLast(known)))
    }

    private static let names: Set = ["gzip", "x-gzip", "deflate", "x-deflate", "br"]

    /// Careless servers put a charset there, or a word of other protocols for "as it is".
    private static func isNoCoding(_ name: String) -> Bool {
        ["", "identity", "none", "binary", "7bit", "8bit", "text", "plain"].contains(name) || (try? Charset(named: name)) != nil
    }

    /// Decodes a piece to the end of the body, of which at most `limit` bytes may be.
    ///
    /// - Throws: ``Failure``.
    func decode(_ bytes: UnsafeBufferPointer<UInt8>, into body: inout Data, limit: Int) throws {
        received += bytes.count
        // What follows the end of a coding is ignored, and must have an end itself.
        guard received / 2 <= max(limit, 64 * 1_024) else { throw Failure.tooLarge }
        try decode(bytes, from: 0, limit: limit) { decoded in
            let room = max(0, limit - body.count)
            body.append(decoded.baseAddress.unsafelyUnwrapped, count: min(decoded.count, room))
            if decoded.count > room { throw Failure.tooLarge }
        }
    }

    /// Decodes a piece of a body of any size.
    ///
    /// - Parameter limit: bytes that this piece may become, at each coding.
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
            // Each coding multiplies, a thousand times over; what is made in between must not be without a bound because little
            // or nothing comes out at the end. A body's encoded form is hardly longer than the body.
            guard made[stage] / 2 <= max(limit, 64 * 1_024) else { throw Failure.tooLarge }
            try decode(piece, from: stage + 1, limit: limit, take)
        }
    }
}

/// One coding.
protocol CodingStage: AnyObject {
    /// Whether its end mark came.
    var isFinished: Bool { get }

    /// Hands what becomes of a piece on, 64 KiB at a time at the most.
    ///
    /// - Throws: ``ContentDecoder/Failure``, and what `take` throws.
    func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ take: (UnsafeBufferPointer<UInt8>) throws -> Void) throws
}

extension Collection<UInt8> {
    fileprivate func starts(with text: StaticString, ignoringCase: Bool) -> Bool {
        text.withUTF8Buffer { wanted in
            count >= wanted.count && zip(self, wanted).allSatisfy { ($0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0) == $1 }
        }
    }
}
