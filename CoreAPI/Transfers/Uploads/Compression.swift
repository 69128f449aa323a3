public import CoreAPICore
internal import Foundation
internal import HTTPTypes

/// A coding of a request's body (RFC 9110 §8.4.1).
public enum ContentCoding: String, Sendable, Hashable, CaseIterable {
    /// gzip (RFC 1952), by zlib.
    case gzip
    /// Zstandard (RFC 8878), where the process has loaded its library, as libcurl usually does.
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

/// Writes one coding, piece by piece. Used by one task at a time.
protocol Compressor: AnyObject {
    /// The coded bytes that are ready; possibly none.
    ///
    /// - Parameters:
    ///   - bytes: the next bytes.
    ///   - isLast: whether no more follow. The coding is then whole.
    func compress(_ bytes: Data, isLast: Bool) throws -> Data
}

extension Body {
    /// This body in a coding. Bytes in memory stay in memory; anything else becomes a stream of unknown length.
    ///
    /// - Parameter noting: gets the number of the source's bytes that were read.
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
                    // The coded body has no length that the transport could check.
                    try UploadSourceChanged.check(count, of: length, isEnd: isEnded)
                    noting(count)
                    let coded = try compressor.compress(chunk ?? Data(), isLast: isEnded)
                    if !coded.isEmpty { return coded }
                }
                return nil
            }
        }
        return .stream(BodyStream(length: nil, chunks))
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
    /// let note = AdHocEndpoint.post("notes", body: note, encoding: .json.compressed(with: .gzip))
    /// ```
    ///
    /// No server has to accept it; 415 is the usual refusal (RFC 9110 §15.5.16).
    public func compressed(with coding: ContentCoding) -> InputEncoding {
        InputEncoding(name) { parameters, request in
            try self(parameters, into: &request)
            try request.compress(with: coding)
        }
    }
}
