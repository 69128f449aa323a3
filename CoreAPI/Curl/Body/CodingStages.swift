internal import CZlib
internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

protocol CodingStage: AnyObject {
    typealias Take = (UnsafeBufferPointer<UInt8>) throws(TransportError) -> Void

    var isFinished: Bool { get }

    /// Decodes a piece and passes the result on, at most 64 KiB at a time.
    func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ take: Take) throws(TransportError)
}

/// gzip (RFC 1952) and deflate (zlib's format, RFC 1950; bare RFC 1951 too, which some servers send under that name), by zlib.
final class ZlibDecoder: CodingStage {
    private let isGzip: Bool
    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableBufferPointer<UInt8>
    private var hasBegun = false
    /// The first byte, which alone does not show which of deflate's two forms follows.
    private var first: UInt8?
    private(set) var isFinished = false
    private var hasWholeMember = false
    private var isIgnoring = false

    init?(isGzip: Bool) {
        self.isGzip = isGzip
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        output = .allocate(capacity: 64 * 1_024)
        // 15 bits of window; 16 more mean gzip only.
        guard start(windowBits: isGzip ? 31 : 15) else { return nil }
    }

    deinit {
        _ = inflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    private func start(windowBits: Int32) -> Bool { czlib_begin_inflating(stream, windowBits) == Z_OK }

    func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ take: Take) throws(TransportError) {
        if hasBegun || isGzip { return try inflate(bytes, take) }
        guard let first else {
            first = bytes.first
            return bytes.count > 1 ? try begin(bytes, take) : ()
        }
        try ([first] + Array(bytes)).withUnsafeBufferPointer { bytes throws(TransportError) in try begin(bytes, take) }
    }

    private func begin(_ bytes: UnsafeBufferPointer<UInt8>, _ take: Take) throws(TransportError) {
        if !Self.isZlib(bytes) {
            _ = inflateEnd(stream)
            stream.pointee = z_stream()
            guard start(windowBits: -15) else { throw .malformedResponse(reason: "zlib cannot begin") }
        }
        hasBegun = true
        try inflate(bytes, take)
    }

    private func inflate(_ bytes: UnsafeBufferPointer<UInt8>, _ take: Take) throws(TransportError) {
        guard !isIgnoring else { return }
        stream.pointee.next_in = bytes.baseAddress
        stream.pointee.avail_in = UInt32(bytes.count)
        repeat {
            if isFinished, stream.pointee.avail_in > 0 {
                // A gzip file may contain several members in a row (RFC 1952 §2.2). Other bytes after the end are ignored:
                // checksum and length were checked, so the body is whole.
                guard isGzip, stream.pointee.next_in?.pointee == 0x1F, inflateReset(stream) == Z_OK else {
                    return isIgnoring = true
                }
                (isFinished, hasWholeMember) = (false, true)
            }
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(output.count)
            let code = CZlib.inflate(stream, Z_NO_FLUSH)
            let count = output.count - Int(stream.pointee.avail_out)
            if count > 0 { try take(UnsafeBufferPointer(rebasing: output[..<count])) }
            switch code {
            case Z_OK: break
            case Z_STREAM_END: isFinished = true
            // No progress is possible without more bytes.
            case Z_BUF_ERROR where stream.pointee.avail_in == 0: return
            // The bytes only began like another member: zlib rejected them within the magic number, the method and the flags (RFC
            // 1952 §2.3).
            case _ where hasWholeMember && stream.pointee.total_in <= 4:
                (isFinished, isIgnoring) = (true, true)
                return
            default:
                let reason = stream.pointee.msg.map { String(cString: $0) } ?? "zlib says \(code)"
                throw .malformedResponse(reason: "the body is no valid \(isGzip ? "gzip" : "deflate"): \(reason)")
            }
        } while stream.pointee.avail_in > 0 || (stream.pointee.avail_out == 0 && !isFinished)
    }

    /// Whether the first two bytes are a zlib header (RFC 1950 §2.2).
    private static func isZlib(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes[0] & 0x0F == 8 && (UInt(bytes[0]) << 8 | UInt(bytes[1])).isMultiple(of: 31)
    }
}

/// Brotli (RFC 7932), by the decoder that libcurl has loaded.
final class BrotliDecoder: CodingStage {
    struct Library: Sendable {
        let create: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
        let step:
            @convention(c) (
                OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<Int>,
                UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>?
            ) -> Int32
        let destroy: @convention(c) (OpaquePointer) -> Void

        init() throws(LoadedLibrary.MissingFunction) {
            guard let brotli = LoadedLibrary("libbrotlidec.so.1", "libbrotlidec.1.dylib") else { throw .init() }
            create = try brotli.function("BrotliDecoderCreateInstance")
            step = try brotli.function("BrotliDecoderDecompressStream")
            destroy = try brotli.function("BrotliDecoderDestroyInstance")
        }
    }

    static let library = try? Library()

    private let library: Library
    private let state: OpaquePointer
    private let output: UnsafeMutableBufferPointer<UInt8>
    private(set) var isFinished = false

    init?() {
        guard let library = Self.library, let state = library.create(nil, nil, nil) else { return nil }
        (self.library, self.state) = (library, state)
        output = .allocate(capacity: 64 * 1_024)
    }

    deinit {
        library.destroy(state)
        output.deallocate()
    }

    func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ take: Take) throws(TransportError) {
        // Bytes after the end are ignored: the body is whole.
        guard !isFinished else { return }
        var input: UnsafePointer<UInt8>? = bytes.baseAddress
        var available = bytes.count
        while true {
            var next: UnsafeMutablePointer<UInt8>? = output.baseAddress
            var room = output.count
            let result = library.step(state, &available, &input, &room, &next, nil)
            if room < output.count { try take(UnsafeBufferPointer(rebasing: output[..<(output.count - room)])) }
            switch result {
            case 1:
                isFinished = true
                return
            case 2: return  // More input is needed.
            case 3: continue  // More room is needed.
            default: throw .malformedResponse(reason: "the body cannot be decoded: it is no Brotli")
            }
        }
    }
}

/// Zstandard (RFC 8878), by the library that libcurl has loaded.
final class ZstdDecoder: CodingStage {
    /// `ZSTD_inBuffer` and `ZSTD_outBuffer`, whose members have the same layout.
    struct Buffer {
        var bytes: UnsafeMutableRawPointer?
        var size: Int
        var position = 0
    }

    struct Library: Sendable {
        let create: @convention(c) () -> OpaquePointer?
        let set: @convention(c) (OpaquePointer, _ parameter: Int32, _ value: Int32) -> Int
        let step: @convention(c) (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int
        let isError: @convention(c) (Int) -> UInt32
        let destroy: @convention(c) (OpaquePointer) -> Int

        init() throws(LoadedLibrary.MissingFunction) {
            guard let zstd = LoadedLibrary("libzstd.so.1", "libzstd.1.dylib") else { throw .init() }
            create = try zstd.function("ZSTD_createDCtx")
            set = try zstd.function("ZSTD_DCtx_setParameter")
            step = try zstd.function("ZSTD_decompressStream")
            isError = try zstd.function("ZSTD_isError")
            destroy = try zstd.function("ZSTD_freeDCtx")
        }
    }

    static let library = try? Library()
    /// 8 MiB, the window that a server may need at most (RFC 9659 §3). The parameter is `ZSTD_d_windowLogMax`.
    private static let (windowLogMax, windowBits) = (Int32(100), Int32(23))

    private let library: Library
    private let state: OpaquePointer
    private let output: UnsafeMutableBufferPointer<UInt8>
    /// Whether the last frame is whole. Several may follow each other (RFC 8878 §3.1).
    private(set) var isFinished = false
    private var hasBegun = false
    private var isIgnoring = false

    init?() {
        guard let library = Self.library, let state = library.create() else { return nil }
        guard library.isError(library.set(state, Self.windowLogMax, Self.windowBits)) == 0 else {
            _ = library.destroy(state)
            return nil
        }
        (self.library, self.state) = (library, state)
        output = .allocate(capacity: 64 * 1_024)
    }

    deinit {
        _ = library.destroy(state)
        output.deallocate()
    }

    func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ take: Take) throws(TransportError) {
        var input = Buffer(bytes: UnsafeMutableRawPointer(mutating: bytes.baseAddress), size: bytes.count)
        var isFull = false
        while !isIgnoring, input.position < input.size || isFull {
            if !hasBegun || isFinished, !Self.mayBeginFrame(with: bytes[input.position]) {
                guard isFinished else { throw Self.malformed }
                // Other bytes after the end are ignored, as after gzip: the body is whole.
                return isIgnoring = true
            }
            hasBegun = true
            var room = Buffer(bytes: output.baseAddress, size: output.count)
            let result = library.step(state, &room, &input)
            if room.position > 0 { try take(UnsafeBufferPointer(rebasing: output[..<room.position])) }
            guard library.isError(result) == 0 else { throw Self.malformed }
            isFinished = result == 0
            isFull = room.position == room.size && !isFinished
        }
    }

    private static let malformed = TransportError.malformedResponse(
        reason: "the body cannot be decoded: it is no Zstandard, or needs a window of more than 8 MiB")

    /// The first byte of a frame, or of one that is skipped (RFC 8878 §3.1.1, §3.1.2). libzstd would also read the formats from
    /// before the standard, whose result depends on how the bytes are cut.
    private static func mayBeginFrame(with byte: UInt8) -> Bool { byte == 0x28 || byte & 0xF0 == 0x50 }
}
