internal import CZlib
public import CoreAPICore
internal import CoreAPIHTTP
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

    func makeCompressor() throws -> any Compressor {
        let compressor: (any Compressor)? = self == .gzip ? GzipCompressor() : ZstdCompressor()
        guard let compressor else { throw TransportError.unsupported(capability: "compression by \(rawValue)") }
        return compressor
    }
}

/// Compresses a body piece by piece. One task at a time may use it.
protocol Compressor: AnyObject {
    /// Compresses a piece, and returns the coded bytes that are ready, if any. The last piece completes the coding.
    func compress(_ bytes: Data, isLast: Bool) throws -> Data
}

extension Body {
    /// This body in a coding. Bytes in memory stay in memory; anything else becomes a stream of unknown length. `noting` receives
    /// the number of bytes read from the source.
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

final class GzipCompressor: Compressor {
    // Allocated, because zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableBufferPointer<UInt8>

    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        output = .allocate(capacity: 64 * 1_024)
        // A window of 15 bits; adding 16 selects gzip.
        guard czlib_begin_deflating(stream, 31) == Z_OK else { return nil }
    }

    deinit {
        _ = deflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    func compress(_ bytes: Data, isLast: Bool) throws -> Data {
        var (coded, rest) = (Data(), bytes)
        repeat {
            // zlib's counts have 32 bits.
            let piece = rest.prefix(1 << 30)
            rest = rest.dropFirst(piece.count)
            try piece.withUnsafeBytes { try deflate($0, isLast: isLast && rest.isEmpty, into: &coded) }
        } while !rest.isEmpty
        return coded
    }

    private func deflate(_ bytes: UnsafeRawBufferPointer, isLast: Bool, into coded: inout Data) throws {
        stream.pointee.next_in = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(bytes.count)
        repeat {
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(output.count)
            let code = CZlib.deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
            guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
                throw TransportError.other(code: Int(code), message: "zlib cannot compress the body")
            }
            coded.append(contentsOf: output[..<(output.count - Int(stream.pointee.avail_out))])
        } while stream.pointee.avail_out == 0
    }
}

private final class ZstdCompressor: Compressor {
    /// `ZSTD_inBuffer` and `ZSTD_outBuffer`; both have the same layout.
    struct Buffer {
        var bytes: UnsafeMutableRawPointer?
        var size: Int
        var position = 0
    }

    struct Library: Sendable {
        let create: @convention(c) () -> OpaquePointer?
        let step: @convention(c) (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer, _ directive: Int32) -> Int
        let isError: @convention(c) (Int) -> UInt32
        let destroy: @convention(c) (OpaquePointer) -> Int

        init() throws(LoadedLibrary.MissingFunction) {
            guard let zstd = LoadedLibrary("libzstd.so.1", "libzstd.1.dylib") else { throw .init() }
            (create, destroy) = try (zstd.function("ZSTD_createCCtx"), zstd.function("ZSTD_freeCCtx"))
            (step, isError) = try (zstd.function("ZSTD_compressStream2"), zstd.function("ZSTD_isError"))
        }
    }

    static let library = try? Library()
    /// `ZSTD_e_continue` and `ZSTD_e_end`. The library's default level uses a window of 2 MiB, which every receiver accepts (RFC
    /// 9659 §3).
    private static let (continuing, ending) = (Int32(0), Int32(2))

    private let library: Library
    private let state: OpaquePointer
    private let output: UnsafeMutableBufferPointer<UInt8>

    init?() {
        guard let library = Self.library, let state = library.create() else { return nil }
        (self.library, self.state) = (library, state)
        output = .allocate(capacity: 64 * 1_024)
    }

    deinit {
        _ = library.destroy(state)
        output.deallocate()
    }

    func compress(_ bytes: Data, isLast: Bool) throws -> Data {
        var coded = Data()
        try bytes.withUnsafeBytes { input in
            var source = Buffer(bytes: UnsafeMutableRawPointer(mutating: input.baseAddress), size: input.count)
            var isOver = false
            while !isOver {
                var room = Buffer(bytes: output.baseAddress, size: output.count)
                let left = library.step(state, &room, &source, isLast ? Self.ending : Self.continuing)
                guard library.isError(left) == 0 else {
                    throw TransportError.other(code: 0, message: "Zstandard cannot compress the body")
                }
                coded.append(contentsOf: output[..<room.position])
                isOver = isLast ? left == 0 : source.position == source.size
            }
        }
        return coded
    }
}
