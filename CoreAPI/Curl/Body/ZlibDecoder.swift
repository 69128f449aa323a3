internal import CZlib
internal import CoreAPICore

/// gzip (RFC 1952) and deflate (zlib's format, RFC 1950; bare RFC 1951 too, which some servers send under that name), by zlib.
final class ZlibDecoder: CodingStage {
    private let isGzip: Bool
    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableBufferPointer<UInt8>
    private var hasBegun = false
    /// The first byte, which alone does not show which of deflate's two forms follows.
    private var first: UInt8?
    private(set) var isFinished = false
    /// Whether a whole member preceded this one.
    private var hasWholeMember = false
    /// Whether the following bytes are no member.
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

    private func start(windowBits: Int32) -> Bool {
        czlib_begin_inflating(stream, windowBits) == Z_OK
    }

    func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ take: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
        if hasBegun || isGzip { return try inflate(bytes, take) }
        guard let first else {
            first = bytes.first
            return bytes.count > 1 ? try begin(bytes, take) : ()
        }
        try ([first] + Array(bytes)).withUnsafeBufferPointer { try begin($0, take) }
    }

    private func begin(_ bytes: UnsafeBufferPointer<UInt8>, _ take: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
        if !Self.isZlib(bytes) {
            _ = inflateEnd(stream)
            stream.pointee = z_stream()
            guard start(windowBits: -15) else { throw ContentDecoder.Failure.malformed("zlib cannot begin") }
        }
        hasBegun = true
        try inflate(bytes, take)
    }

    private func inflate(_ bytes: UnsafeBufferPointer<UInt8>, _ take: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
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
                throw ContentDecoder.Failure.malformed("the body is no valid \(isGzip ? "gzip" : "deflate"): \(reason)")
            }
        } while stream.pointee.avail_in > 0 || (stream.pointee.avail_out == 0 && !isFinished)
    }

    /// Whether the first two bytes are a zlib header (RFC 1950 §2.2).
    private static func isZlib(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes[0] & 0x0F == 8 && (UInt(bytes[0]) << 8 | UInt(bytes[1])).isMultiple(of: 31)
    }
}
