public import CoreAPICore
internal import Foundation
internal import HTTPTypes

/// A content coding of a request's body (RFC 9110 §8.4.1).
public enum ContentCoding: String, Sendable, Hashable, CaseIterable {
    /// gzip (RFC 1952), by zlib.
    case gzip
    /// Zstandard (RFC 8878), if the process has loaded libzstd, as libcurl usually does.
    case zstd

    /// Whether this process can write the coding.
    public var isAvailable: Bool { self == .gzip || ZstdCompressor.library != nil }

    /// - Throws: `TransportError.unsupported(capability:)`.
    func makeCompressor() throws -> any Compressor {
        let compressor: (any Compressor)? =
            switch self {
            case .gzip: GzipCompressor()
            case .zstd: ZstdCompressor()
            }
        guard let compressor else { throw TransportError.unsupported(capability: "compression by \(rawValue)") }
        return compressor
    }
}

/// Compresses a body piece by piece. One task at a time may use it.
protocol Compressor: AnyObject {
    /// Compresses a piece, and returns the coded bytes that are ready; may be empty.
    ///
    /// - Parameters:
    ///   - bytes: the next bytes.
    ///   - isLast: whether this piece is the last one; it completes the coding.
    func compress(_ bytes: Data, isLast: Bool) throws -> Data
}

extension Body {
    /// This body in a coding. Bytes in memory stay in memory; anything else becomes a stream of unknown length.
    ///
    /// - Parameter noting: receives the number of bytes read from the source.
    func compressed(with coding: ContentCoding, noting: @escaping @Sendable (Int64) -> Void) throws -> Body {
        if case .bytes(let data) = self {
            noting(Int64(data.count))
            return .bytes(try coding.makeCompressor().compress(data, isLast: true))
        }
        if isNone { return self }
        let (source, length) = (self, try knownLength())
        let chunks = ChunkSource(isReplayable: isReplayable) {
            let compressor = try coding.makeCompressor()
            var iterator = source.makeAsyncIterator()
            var count: Int64 = 0
            var isEnded = false
            return {
                while !isEnded {
                    let chunk = try await iterator.next()
                    count += Int64(chunk?.count ?? 0)
                    isEnded = chunk == nil
                    // The transport cannot check the length of a coded body.
                    try UploadSourceChanged.check(count, of: length, isEnd: isEnded)
                    noting(count)
                    let coded = try compressor.compress(chunk ?? Data(), isLast: isEnded)
                    if !coded.isEmpty { return coded }
                }
                return nil
            }
        }
        return .stream(Body.Stream(length: nil, chunks))
    }
}

extension Request {
    mutating func compress(with coding: ContentCoding, noting: @escaping @Sendable (Int64) -> Void = { _ in }) throws {
        guard !body.isNone else { return }
        body = try body.compressed(with: coding, noting: noting)
        headers[.contentEncoding] = headers[.contentEncoding].map { "\($0), \(coding.rawValue)" } ?? coding.rawValue
    }
}

extension InputEncoding {
    /// The body that this encoding writes, compressed, with a `Content-Encoding`. Bytes in memory stay in memory; anything else
    /// becomes a stream of unknown length.
    ///
    /// ```swift
    /// let endpoint = TypedEndpoint.post("notes", body: note, encoding: .json.compressed(with: .gzip))
    /// ```
    ///
    /// A server may reject the coding, usually with 415 (RFC 9110 §15.5.16).
    public func compressed(with coding: ContentCoding) -> InputEncoding {
        InputEncoding(name) { parameters, request in
            try self(parameters, into: &request)
            try request.compress(with: coding)
        }
    }
}
