internal import CZlib
import Foundation

/// A gzip file (RFC 1952) of zero bytes only, written without holding them in memory.
enum GzipOfZeros {
    /// - Parameter decodedBytes: how many zeros the file decodes to; a smaller number than one counts as one.
    static func make(decodedBytes: Int) -> Data {
        let count = max(1, decodedBytes)
        let (repetitions, rest) = count.quotientAndRemainder(dividingBy: 1 << 20)
        var file = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF])
        var checksum: UInt = 0
        func append(_ part: (deflated: [UInt8], checksum: UInt), zeros: Int) {
            file += part.deflated
            checksum = crc32_combine(checksum, part.checksum, .init(zeros))
        }
        if repetitions > 0 {
            // What follows a full flush refers to nothing before it, so one part may stand many times.
            let mebibyte = part(zeros: 1 << 20, Z_FULL_FLUSH)
            for _ in 0..<repetitions { append(mebibyte, zeros: 1 << 20) }
        }
        append(part(zeros: rest, Z_FINISH), zeros: rest)
        for number in [UInt32(checksum), UInt32(truncatingIfNeeded: count)] {
            withUnsafeBytes(of: number.littleEndian) { file.append(contentsOf: $0) }
        }
        return file
    }

    private static func part(zeros count: Int, _ flush: Int32) -> (deflated: [UInt8], checksum: UInt) {
        let zeros = [UInt8](repeating: 0, count: count)
        // Deflate makes a thousandth of them.
        var output = [UInt8](repeating: 0, count: count / 500 + 64)
        var stream = z_stream()
        let room = zeros.withUnsafeBufferPointer { zeros in
            output.withUnsafeMutableBufferPointer { output in
                withUnsafeMutablePointer(to: &stream) { stream in
                    _ = czlib_begin_deflating(stream, -15)
                    (stream.pointee.next_in, stream.pointee.avail_in) = (zeros.baseAddress, UInt32(zeros.count))
                    (stream.pointee.next_out, stream.pointee.avail_out) = (output.baseAddress, UInt32(output.count))
                    _ = deflate(stream, flush)
                    _ = deflateEnd(stream)
                    return Int(stream.pointee.avail_out)
                }
            }
        }
        return (Array(output.dropLast(room)), crc32(0, zeros, UInt32(count)))
    }
}
