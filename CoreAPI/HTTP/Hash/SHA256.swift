/// SHA-256 (FIPS 180-4 §6.2), of a whole message or of one that arrives in pieces.
package struct SHA256: Sendable {
    private var state = SHA256.initial
    private var blocks = BlockBuffer(blockSize: 64)

    /// A hash of no bytes.
    package init() {}

    /// The 32 bytes of the digest.
    package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    /// Adds bytes to the message.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ update(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { update($0) }
        }
    }

    /// Adds bytes to the message.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        blocks.update(bytes) { Self.compress($0, into: &state) }
    }

    /// The 32 bytes of the digest; the hash must not be used again.
    package mutating func finish() -> [UInt8] {
        blocks.finish(lengthSize: 8) { Self.compress($0, into: &state) }
        return state.flatMap(\.bigEndianBytes)
    }

    /// - Parameter bytes: whole blocks.
    private static func compress(_ bytes: UnsafeRawBufferPointer, into state: inout [UInt32]) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
            constants.withUnsafeBufferPointer { constants in
                state.withUnsafeMutableBufferPointer { state in
                    // A buffer's subscript is a call in a debug build: 4 MiB then take 2.6 s in place of 1.5.
                    guard let words = words.baseAddress, let constants = constants.baseAddress, let state = state.baseAddress
                    else { return }
                    for start in stride(from: 0, to: bytes.count, by: 64) {
                        compress(bytes, start, words, constants, state)
                    }
                }
            }
        }
    }

    private static func compress(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ words: UnsafeMutablePointer<UInt32>,
        _ constants: UnsafePointer<UInt32>, _ state: UnsafeMutablePointer<UInt32>
    ) {
        var index = 0
        while index < 16 {
            words[index] = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start &+ 4 &* index, as: UInt32.self))
            index &+= 1
        }
        while index < 64 {
            let (before, last) = (words[index &- 15], words[index &- 2])
            let low = rotate(before, 7) ^ rotate(before, 18) ^ (before &>> 3)
            let high = rotate(last, 17) ^ rotate(last, 19) ^ (last &>> 10)
            words[index] = words[index &- 16] &+ low &+ words[index &- 7] &+ high
            index &+= 1
        }
        var (a, b, c, d, e, f, g, h) = (state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7])
        index = 0
        while index < 64 {
            let choice = (e & f) ^ (~e & g)
            let first = h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ choice &+ constants[index] &+ words[index]
            let majority = (a & b) ^ (a & c) ^ (b & c)
            let second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ majority
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
            index &+= 1
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }

    /// §5.3.3.
    private static let initial: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]

    /// §4.2.2.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5, 0xd807_aa98,
        0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786,
        0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8,
        0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
        0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819,
        0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a,
        0x5b9c_ca4f, 0x682e_6ff3, 0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]
}
