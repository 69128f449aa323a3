internal import Foundation

/// Reads DER (X.690) element by element, as far as certificates need it.
struct DERReader {
    struct Element {
        let tag: UInt8
        // Slices: copies would make the reading of many elements quadratic.
        /// Including tag and length.
        let whole: Data
        let content: Data
    }

    private var rest: Data

    init(_ data: Data) {
        rest = data
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// - Returns: `nil` at the end, and for a length beyond the data or not in its shortest form.
    mutating func next() -> Element? {
        let bytes = Array(rest.prefix(6))
        guard bytes.count >= 2, bytes[0] & 0x1F != 0x1F else { return nil }
        var header = 2
        var length = Int(bytes[1])
        if length >= 0x80 {
            let count = length & 0x7F
            guard (1...4).contains(count), bytes.count >= 2 + count, bytes[2] != 0 else { return nil }
            length = bytes[2..<2 + count].reduce(0) { $0 << 8 | Int($1) }
            guard length >= 0x80 else { return nil }
            header += count
        }
        guard rest.count >= header + length else { return nil }
        let whole = rest.prefix(header + length)
        rest = rest.dropFirst(header + length)
        return Element(tag: bytes[0], whole: whole, content: whole.dropFirst(header))
    }

    /// The next element, if it has the tag.
    mutating func next(_ tag: UInt8) -> Element? {
        guard let element = next(), element.tag == tag else { return nil }
        return element
    }

    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let objectIdentifier: UInt8 = 0x06
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    /// `[0] EXPLICIT`, a certificate's version.
    static let version: UInt8 = 0xA0
}
