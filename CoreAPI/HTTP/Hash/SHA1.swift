/// SHA-1 (FIPS 180-4 §6.1). It is broken, and only for protocols that require it: the checksums of tus, and WebSocket.
package enum SHA1 {
    /// The 20 bytes of the digest.
    package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let message = padded(bytes, blockSize: 64, length: \.bigEndianBytes)
        var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
        var words = [UInt32](repeating: 0, count: 80)
        for start in stride(from: 0, to: message.count, by: 64) {
            for index in 0..<16 {
                let offset = start + 4 * index
                words[index] = message[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
            }
            compress(&words, into: &state)
        }
        return state.flatMap(\.bigEndianBytes)
    }

    /// - Parameter words: the 16 words of a block, and room for 64 that are made from them.
    private static func compress(_ words: inout [UInt32], into state: inout [UInt32]) {
        for index in 16..<80 {
            words[index] = rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let mixed: UInt32 =
                switch index / 20 {
                case 0: (b & c) | (~b & d)
                case 2: (b & c) | (b & d) | (c & d)
                default: b ^ c ^ d
                }
            let sum = rotate(a, 5) &+ mixed &+ e &+ constants[index / 20] &+ words[index]
            (a, b, c, d, e) = (sum, a, rotate(b, 30), c, d)
        }
        for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }

    /// §4.2.1.
    private static let constants: [UInt32] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6]
}
