import Foundation

/// The bytes of one input; a target cuts parts from its front.
struct FuzzInput {
    private(set) var bytes: ArraySlice<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = Array(bytes)[...] }

    var data: Data { Data(bytes) }
    /// Invalid UTF-8 becomes U+FFFD.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// A choice; 0 at the end of the input.
    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    /// The bytes up to the next LF, without it.
    mutating func line() -> ArraySlice<UInt8> {
        let line = bytes.prefix { $0 != 0x0A }
        bytes = bytes.dropFirst(line.count + 1)
        return line
    }

    mutating func lineOfText() -> String { String(decoding: line(), as: UTF8.self) }

    /// What a parser makes of these bytes, which must be the same however they are cut.
    func whole<Outcome: Equatable>(cutEvery size: Int, _ parse: ([[UInt8]]) -> Outcome) -> Outcome {
        let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes.dropFirst($0).prefix(size)) }
        let (whole, cut) = (parse(bytes.isEmpty ? [] : [Array(bytes)]), parse(pieces))
        expect(whole == cut, "the same however it is cut, by \(size): \(whole), \(cut)")
        return whole
    }
}
