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

    // The words of both are the first 32 bits of what the words of SHA-512 are the first 64 bits of.

    /// §5.3.3.
    private static let initial = SHA512.initial.map { UInt32($0 >> 32) }

    /// §4.2.2.
    private static let constants = SHA512.constants.prefix(64).map { UInt32($0 >> 32) }
}
