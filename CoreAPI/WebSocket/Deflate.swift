internal import CZlib
internal import Foundation

/// The agreed parameters of permessage-deflate (RFC 7692 §7.1).
struct DeflateAgreement: Equatable {
    /// Whether this side's compressor, or the peer's, resets its context with each message.
    var resetsOwn = false
    var resetsPeer = false
    /// The window of this side's compressor, in bits. zlib has no window of 8 bits; this side then sends messages uncompressed,
    /// which §6 always allows.
    var ownWindow: Int32 = 15
    var compresses: Bool { ownWindow >= 9 }
}

/// Compresses messages with DEFLATE (RFC 7692 §7.2.1), one at a time.
///
/// `@unchecked`: only the sender whose turn it is uses it.
final class MessageDeflater: @unchecked Sendable {
    private let stream: UnsafeMutablePointer<z_stream>
    private let resets: Bool

    init?(_ agreement: DeflateAgreement) {
        resets = agreement.resetsOwn
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard agreement.compresses, czlib_begin_deflating(stream, -agreement.ownWindow) == Z_OK else { return nil }
    }

    deinit {
        _ = deflateEnd(stream)
        stream.deallocate()
    }

    /// `nil` if zlib fails.
    func compress(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
        // An empty block (§7.2.3.6): zlib does not flush without input.
        guard !message.isEmpty else { return [0] }
        // Counts are 32 bits wide.
        guard message.count < Int(UInt32.max) else { return nil }
        if resets, deflateReset(stream) != Z_OK { return nil }
        stream.pointee.next_in = message.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(message.count)
        var output: [UInt8] = []
        var isDone = false
        while !isDone {
            let room = max(256, min(64 * 1_024, message.count / 2 + 64))
            let start = output.count
            output.append(contentsOf: repeatElement(0, count: room))
            let code = output.withUnsafeMutableBufferPointer { buffer in
                stream.pointee.next_out = buffer.baseAddress?.advanced(by: start)
                stream.pointee.avail_out = UInt32(room)
                return deflate(stream, Z_SYNC_FLUSH)
            }
            guard code == Z_OK || code == Z_BUF_ERROR else { return nil }
            isDone = stream.pointee.avail_out > 0
            output.removeLast(Int(stream.pointee.avail_out))
        }
        // The flush ends with an empty block. The protocol omits it (§7.2.1).
        guard output.suffix(4) == [0, 0, 0xFF, 0xFF] else { return nil }
        output.removeLast(4)
        return output
    }
}

/// Decompresses messages (RFC 7692 §7.2.2), a bounded piece at a time.
final class MessageInflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableRawBufferPointer
    private let resets: Bool
    /// Final blocks of the message. A sender needs one for each flush at most; each of two bytes costs 64 KiB to copy.
    private var finalBlocks = 0
    private static let mostFinalBlocks = 1_000
    private static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]

    init?(_ agreement: DeflateAgreement) {
        resets = agreement.resetsPeer
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        output = .allocate(byteCount: 16 * 1_024, alignment: 1)
        guard czlib_begin_inflating(stream, -15) == Z_OK else { return nil }
    }

    deinit {
        _ = inflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    func inflate(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) throws(Violation) -> Void) throws(Violation) {
        stream.pointee.next_in = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(bytes.count)
        var isFull = false
        while stream.pointee.avail_in > 0 || isFull {
            stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(output.count)
            let code = CZlib.inflate(stream, Z_SYNC_FLUSH)
            let count = output.count - Int(stream.pointee.avail_out)
            if count > 0 { try take(UnsafeRawBufferPointer(rebasing: output[..<count])) }
            isFull = stream.pointee.avail_out == 0
            switch code {
            case Z_OK: break
            // A final block ends the stream; later blocks use the same window (§7.2.3.4).
            case Z_STREAM_END: try resume()
            case Z_BUF_ERROR where count == 0 && stream.pointee.avail_in == 0: return
            default: throw Violation("a compressed message that zlib cannot read", code: .invalidData)
            }
        }
    }

    /// Ends a message: adds the bytes that its sender omitted.
    func endMessage(_ take: (UnsafeRawBufferPointer) throws(Violation) -> Void) throws(Violation) {
        try Self.tail.withUnsafeBufferPointer { bytes throws(Violation) in try inflate(UnsafeRawBufferPointer(bytes), take) }
        finalBlocks = 0
        if resets { _ = inflateReset(stream) }
    }

    private func resume() throws(Violation) {
        finalBlocks += 1
        guard finalBlocks <= Self.mostFinalBlocks else {
            throw Violation("a compressed message with more than \(Self.mostFinalBlocks) final blocks", code: .invalidData)
        }
        var window = [UInt8](repeating: 0, count: 32 * 1_024)
        var count: UInt32 = 0
        let isKept =
            inflateGetDictionary(stream, &window, &count) == Z_OK && inflateReset(stream) == Z_OK
            && inflateSetDictionary(stream, window, count) == Z_OK
        guard isKept else { throw Violation("a compressed message that zlib cannot continue", code: .invalidData) }
    }
}
