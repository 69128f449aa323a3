package import Foundation

/// One value of a document, looked at without a type.
package struct JSONNode {
    package enum Kind {
        case null
        case bool(Bool)
        /// The text of a number by the grammar of RFC 8259 §6.
        case number(String)
        case string(String)
        case array
        case object
    }

    private let document: Document
    private let index: Int

    /// The value that a document is. UTF-8, UTF-16 or UTF-32; at most 512 values within each other.
    ///
    /// - Parameter takesTrailingCommas: whether a comma may stand behind the last item, as decoders take it.
    /// - Returns: `nil` for a document that is larger than its index can tell (256 MiB).
    /// - Throws: ``JSONSyntaxError``.
    package static func root(of data: Data, takesTrailingCommas: Bool = false) throws -> JSONNode? {
        guard let document = try Document.read(data, SharedDecodingSettings(DecodingSettings())) else { return nil }
        if !takesTrailingCommas, let offset = document.trailingComma() {
            throw JSONSyntaxError(reason: "expected no comma behind the last item", offset: offset)
        }
        return JSONNode(document: document, index: Document.root)
    }

    /// Bytes of UTF-8 before the text of a number or a string.
    package var offset: Int { document.entry(index).offset }

    /// - Throws: ``JSONSyntaxError`` for a string or number that is none.
    package func kind() throws -> Kind {
        let entry = document.entry(index)
        if let string = try document.string(index) { return .string(string) }
        if let bool = document.bool(index) { return .bool(bool) }
        if entry.is(.number) { return .number(try document.checkedNumberText(entry)) }
        if entry.is(.array) { return .array }
        return entry.is(.object) ? .object : .null
    }

    /// - Returns: what `convert` makes of the items, in their order.
    package func mapItems<Item>(_ convert: (JSONNode) throws -> Item) rethrows -> [Item] {
        let entry = document.entry(index)
        var items: [Item] = []
        items.reserveCapacity(Document.capacity(entry.count, of: Item.self))
        var next = index + 1
        while next < entry.end {
            items.append(try convert(JSONNode(document: document, index: next)))
            next = document.place(after: next)
        }
        return items
    }

    /// - Returns: what `convert` makes of the members. Of equal keys the first counts, as it does for the decoder.
    /// - Throws: ``JSONSyntaxError`` for a key that is no string or cannot be compared, and what `convert` throws.
    package func mapMembers<Member>(_ convert: (JSONNode) throws -> Member) throws -> [String: Member] {
        let entry = document.entry(index)
        var members: [String: Member] = [:]
        members.reserveCapacity(Document.capacity(entry.count, of: Member.self))
        var next = index + 2
        while next < entry.end {
            let name = try document.key(next)
            // The value of an equal key is converted too: it may be malformed.
            let member = try convert(JSONNode(document: document, index: next + 1))
            if members.index(forKey: name) == nil { members[name] = member }
            next = document.place(after: next + 1)
        }
        return members
    }
}

extension Document {
    /// The offset of a comma behind the last item of an array or object, which the scanner takes and RFC 8259 does not.
    fileprivate func trailingComma() -> Int? {
        var comma: Int?
        var offset = 0
        // Zeros follow the text, and the scanner has refused any outside of a string.
        while bytes[offset] != 0 {
            switch bytes[offset] {
            case UInt8(ascii: ","): comma = offset
            case UInt8(ascii: "]"), UInt8(ascii: "}"): if let comma { return comma }
            case 0x09, 0x0A, 0x0D, 0x20: break
            case UInt8(ascii: "\""):
                comma = nil
                offset = endOfString(from: offset + 1)
            default: comma = nil
            }
            offset += 1
        }
        return nil
    }

    /// - Returns: the offset of the closing quote.
    private func endOfString(from start: Int) -> Int {
        var offset = start
        while bytes[offset] != UInt8(ascii: "\"") { offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1 }
        return offset
    }
}
