import Foundation

/// A gzip file (RFC 1952) of zero bytes only, written without holding them in memory.
///
/// One dynamic Huffman block (RFC 1951 section 3.2.7) encodes the match "258 bytes, one back" as the two bits 00. So each zero
/// byte of the file means four matches, 1032 decoded bytes, the highest density that deflate allows.
enum GzipOfZeros {
    private static let longestMatch = 258

    /// - Parameter decodedBytes: How many zeros the file decodes to; a smaller number than one counts as one.
    static func make(decodedBytes: Int) -> Data {
        let count = max(1, decodedBytes)
        var bits = BitWriter(bytes: Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF]))
        writeBlockHeader(to: &bits)

        // The first zero is a literal for the matches to copy. Zeros that do not fill a match are literals, too.
        let (matches, remainder) = (count - 1).quotientAndRemainder(dividingBy: longestMatch)
        for _ in 0...remainder { bits.writeCode(0b10, length: 2) }
        bits.writeZeros(2 * matches)
        bits.writeCode(0b11, length: 2)

        var file = bits.finish()
        file.appendLittleEndian(ZeroBytesCRC32.checksum(count: count))
        file.appendLittleEndian(UInt32(truncatingIfNeeded: count))
        return file
    }

    /// Codes: match of 258 = 0, literal zero = 10, end of block = 11, distance 1 = 0.
    private static func writeBlockHeader(to bits: inout BitWriter) {
        bits.writeNumber(1, length: 1)  // the last block
        bits.writeNumber(2, length: 2)  // with codes of its own
        bits.writeNumber(286 - 257, length: 5)
        bits.writeNumber(1 - 1, length: 5)
        bits.writeNumber(18 - 4, length: 4)

        // Code lengths are themselves coded, with 18 (a run of zeros) = 0, 1 = 10, 2 = 11. The order is deflate's own.
        let lengthsOfLengthCodes = [18: 1, 1: 2, 2: 2]
        for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
            bits.writeNumber(lengthsOfLengthCodes[symbol] ?? 0, length: 3)
        }
        func writeUnused(_ run: Int) {
            bits.writeCode(0, length: 1)
            bits.writeNumber(run - 11, length: 7)
        }
        bits.writeCode(0b11, length: 2)  // literal 0: two bits
        writeUnused(138)  // literals 1 … 255
        writeUnused(117)
        bits.writeCode(0b11, length: 2)  // end of block: two bits
        writeUnused(28)  // the shorter matches
        bits.writeCode(0b10, length: 2)  // match of 258: one bit
        bits.writeCode(0b10, length: 2)  // distance 1: one bit
    }
}

/// The CRC-32 of a run of zero bytes.
///
/// One zero byte changes the checksum's state by a linear map over GF(2), so a run is a power of that map. A gigabyte costs
/// thirty squarings instead of a pass over it.
private enum ZeroBytesCRC32 {
    static func checksum(count: Int) -> UInt32 {
        var state = UInt32.max
        var map = (0..<32).map { afterOneZeroByte(1 << UInt32($0)) }
        var remaining = count
        while remaining > 0 {
            if remaining & 1 == 1 { state = apply(map, to: state) }
            map = map.map { apply(map, to: $0) }
            remaining >>= 1
        }
        return ~state
    }

    private static func afterOneZeroByte(_ state: UInt32) -> UInt32 {
        (0..<8).reduce(state) { state, _ in state & 1 == 1 ? (state >> 1) ^ 0xEDB8_8320 : state >> 1 }
    }

    private static func apply(_ map: [UInt32], to state: UInt32) -> UInt32 {
        map.indices.reduce(0) { sum, bit in state >> UInt32(bit) & 1 == 1 ? sum ^ map[bit] : sum }
    }
}

extension Data {
    fileprivate mutating func appendLittleEndian(_ number: UInt32) {
        for shift in [0, 8, 16, 24] as [UInt32] { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}
