internal import CZlib
internal import CoreAPICore
internal import Foundation

/// gzip (RFC 1952), by zlib.
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
        var coded = Data()
        try bytes.withUnsafeBytes { input in
            // zlib's counts have 32 bits.
            var rest = input[...]
            repeat {
                let piece = rest.prefix(1 << 30)
                rest = rest.dropFirst(piece.count)
                try deflate(UnsafeRawBufferPointer(rebasing: piece), isLast: isLast && rest.isEmpty, into: &coded)
            } while !rest.isEmpty
        }
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
