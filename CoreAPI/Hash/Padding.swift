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
