/// A hash of a whole message or of one that arrives in pieces. ``SHA256`` and its like give it their function.
package struct BlockHash<Function: BlockHashFunction>: Sendable {
    private var state = Function.initial
    /// The bytes of a block that is not whole yet.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    package init() {}

    /// The digest of a whole message.
    package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = BlockHash()
        hash.update(bytes)
        return hash.finish()
    }

    package mutating func update(_ bytes: some Sequence<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ update(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { update($0) }
        }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var bytes = bytes[...]
        if !rest.isEmpty {
            let missing = bytes.prefix(Function.blockSize - rest.count)
            rest += missing
            bytes = bytes.dropFirst(missing.count)
            guard rest.count == Function.blockSize else { return }
            rest.withUnsafeBytes { Function.compress($0, into: &state) }
            rest.removeAll(keepingCapacity: true)
        }
        let whole = bytes.prefix(bytes.count / Function.blockSize * Function.blockSize)
        if !whole.isEmpty { Function.compress(UnsafeRawBufferPointer(rebasing: whole), into: &state) }
        rest += bytes.dropFirst(whole.count)
    }

    /// The digest; the hash must not be used again.
    package mutating func finish() -> [UInt8] {
        // A one bit, zeros, and the length in bits, for which the last block keeps two words (RFC 1321 §3.1, FIPS 180-4 §5.1).
        let length = Function.bytes(of: count &* 8)
        let used = (rest.count + 1 + Function.blockSize / 8) % Function.blockSize
        let zeros = (used == 0 ? 0 : Function.blockSize - used) + Function.blockSize / 8 - length.count
        let end = [0x80] + [UInt8](repeating: 0, count: zeros) + length
        end.withUnsafeBytes { update($0) }
        return state.flatMap { Function.bytes(of: $0) }
    }
}

/// How a hash mixes a block of sixteen words into a few words.
package protocol BlockHashFunction: Sendable {
    associatedtype Word: FixedWidthInteger, Sendable
    static var isLittleEndian: Bool { get }
    static var initial: [Word] { get }
    static var constants: [Word] { get }
    /// - Parameter words: room for one word for each round.
    static func compress(
        _ block: UnsafeRawPointer, _ words: UnsafeMutablePointer<Word>, _ constants: UnsafePointer<Word>, into state: inout [Word]
    )
}

extension BlockHashFunction {
    package static var isLittleEndian: Bool { false }
    fileprivate static var blockSize: Int { 16 * MemoryLayout<Word>.size }

    /// - Parameter blocks: whole ones.
    fileprivate static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout [Word]) {
        withUnsafeTemporaryAllocation(of: Word.self, capacity: 80) { words in
            constants.withUnsafeBufferPointer { constants in
                // Pointers, because a buffer's subscript is a call in a debug build.
                guard let words = words.baseAddress, let constants = constants.baseAddress, let first = blocks.baseAddress else {
                    return
                }
                for offset in stride(from: 0, to: blocks.count, by: blockSize) {
                    compress(first + offset, words, constants, into: &state)
                }
            }
        }
    }

    fileprivate static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: isLittleEndian ? number.littleEndian : number.bigEndian) { Array($0) }
    }
}

extension Sequence<UInt8> {
    /// Two lowercase digits for each byte.
    package var hexadecimal: String { reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) } }
}
