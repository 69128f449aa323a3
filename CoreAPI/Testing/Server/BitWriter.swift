import Foundation

/// Packs bits into bytes from the lowest bit up, as deflate (RFC 1951 section 3.1.1) requires.
struct BitWriter {
    private var bytes: Data
    private var current: UInt8 = 0
    private var used = 0

    /// - Parameter bytes: The bytes before the first bit.
    init(bytes: Data) {
        self.bytes = bytes
    }

    /// Writes a number, lowest bit first.
    mutating func writeNumber(_ number: Int, length: Int) {
        for bit in 0..<length { write(number >> bit & 1) }
    }

    /// Writes a Huffman code, highest bit first.
    mutating func writeCode(_ code: Int, length: Int) {
        for bit in (0..<length).reversed() { write(code >> bit & 1) }
    }

    /// Writes `count` zero bits, whole bytes of them at once.
    mutating func writeZeros(_ count: Int) {
        var count = count
        while count > 0, used > 0 {
            write(0)
            count -= 1
        }
        bytes.append(Data(count: count / 8))
        for _ in 0..<(count % 8) { write(0) }
    }

    /// Fills the last byte with zero bits.
    mutating func finish() -> Data {
        while used > 0 { write(0) }
        return bytes
    }

    private mutating func write(_ bit: Int) {
        current |= UInt8(bit) << UInt8(used)
        used += 1
        guard used == 8 else { return }
        bytes.append(current)
        current = 0
        used = 0
    }
}
