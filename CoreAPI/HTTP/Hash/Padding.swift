/// The bytes in whole blocks, padded as MD5 and SHA-2 pad a message: a one bit, zeros, and the length in bits (RFC 1321 §3.1,
/// FIPS 180-4 §5.1).
///
/// - Parameters:
///   - blockSize: in bytes.
///   - length: the bytes of the length, in the order and the number that the function wants.
func padded(_ bytes: some Sequence<UInt8>, blockSize: Int, length: (UInt64) -> [UInt8]) -> [UInt8] {
    var message = Array(bytes)
    let length = length(UInt64(message.count) * 8)
    message.append(0x80)
    while (message.count + length.count) % blockSize != 0 { message.append(0) }
    message += length
    return message
}

extension FixedWidthInteger {
    /// The most significant byte first.
    var bigEndianBytes: [UInt8] {
        stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }

    /// The least significant byte first.
    var littleEndianBytes: [UInt8] { bigEndianBytes.reversed() }
}

/// Cuts a message that arrives in pieces into the whole blocks that SHA-2 works on.
struct BlockBuffer: Sendable {
    private let blockSize: Int
    /// The bytes of a block that is not whole yet.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    init(blockSize: Int) {
        self.blockSize = blockSize
    }

    /// - Parameter compress: receives whole blocks.
    mutating func update(_ bytes: UnsafeRawBufferPointer, _ compress: (UnsafeRawBufferPointer) -> Void) {
        count &+= UInt64(bytes.count)
        var bytes = bytes[...]
        if !rest.isEmpty {
            let missing = bytes.prefix(blockSize - rest.count)
            rest += missing
            bytes = bytes.dropFirst(missing.count)
            guard rest.count == blockSize else { return }
            rest.withUnsafeBytes(compress)
            rest.removeAll(keepingCapacity: true)
        }
        let whole = bytes.prefix(bytes.count / blockSize * blockSize)
        if !whole.isEmpty { compress(UnsafeRawBufferPointer(rebasing: whole)) }
        rest += bytes.dropFirst(whole.count)
    }

    /// Adds the padding of FIPS 180-4 §5.1.
    ///
    /// - Parameter lengthSize: the bytes of the length, of which the last eight are used.
    mutating func finish(lengthSize: Int, _ compress: (UnsafeRawBufferPointer) -> Void) {
        let length = (count &* 8).bigEndianBytes
        let used = (rest.count + 1 + lengthSize) % blockSize
        let zeros = (used == 0 ? 0 : blockSize - used) + lengthSize - length.count
        let end = [0x80] + [UInt8](repeating: 0, count: zeros) + length
        end.withUnsafeBytes { update($0, compress) }
    }
}
