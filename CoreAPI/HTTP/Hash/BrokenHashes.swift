// Both are broken, and only for protocols that require them.

/// For Digest with old servers, and the checksums of tus.
package typealias MD5 = BlockHash<MD5Function>

/// For the checksums of tus, and WebSocket.
package typealias SHA1 = BlockHash<SHA1Function>

/// RFC 1321.
package enum MD5Function: BlockHashFunction {
    package static let isLittleEndian = true
    package static let initial: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]

    package static func compress(
        _ block: UnsafeRawPointer, _ words: UnsafeMutablePointer<UInt32>, _ constants: UnsafePointer<UInt32>,
        into state: inout [UInt32]
    ) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for index in 0..<64 {
            let mixed: UInt32
            let offset: Int
            switch index / 16 {
            case 0: (mixed, offset) = ((b & c) | (~b & d), index)
            case 1: (mixed, offset) = ((d & b) | (~d & c), (5 * index + 1) % 16)
            case 2: (mixed, offset) = (b ^ c ^ d, (3 * index + 5) % 16)
            default: (mixed, offset) = (c ^ (b | ~d), 7 * index % 16)
            }
            let word = UInt32(littleEndian: block.loadUnaligned(fromByteOffset: 4 * offset, as: UInt32.self))
            let sum = a &+ mixed &+ constants[index] &+ word
            (a, b, c, d) = (d, b &+ rotate(sum, shifts[index / 16][index % 4]), b, c)
        }
        for (index, word) in [a, b, c, d].enumerated() { state[index] &+= word }
    }

    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]

    /// The table of §3.4: 2³² times the sine's absolute value.
    package static let constants: [UInt32] = [
        0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501, 0x6980_98d8,
        0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821, 0xf61e_2562, 0xc040_b340,
        0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8, 0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87,
        0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a, 0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c,
        0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70, 0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039,
        0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665, 0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92,
        0xffef_f47d, 0x8584_5dd1, 0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb,
        0xeb86_d391,
    ]
}

/// FIPS 180-4 §6.1.
package enum SHA1Function: BlockHashFunction {
    package static let initial: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]

    package static func compress(
        _ block: UnsafeRawPointer, _ words: UnsafeMutablePointer<UInt32>, _ constants: UnsafePointer<UInt32>,
        into state: inout [UInt32]
    ) {
        for index in 0..<16 { words[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)) }
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

    /// §4.2.1.
    package static let constants: [UInt32] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6]
}

private func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
