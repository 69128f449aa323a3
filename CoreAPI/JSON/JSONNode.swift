package import Foundation

/// One value of a document, read without a type.
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

    /// The root of a document in UTF-8, UTF-16 or UTF-32, with at most 512 levels of nesting.
    ///
    /// - Parameter takesTrailingCommas: whether a comma may follow the last item, as decoders allow.
    /// - Returns: `nil` for a document of more than 256 MiB, the limit of its tape.
    /// - Throws: ``JSONSyntaxError``.
    package static func root(of data: Data, takesTrailingCommas: Bool = false) throws -> JSONNode? {
        try Document.read(data, SharedDecodingSettings(), takesTrailingCommas: takesTrailingCommas).map {
            JSONNode(document: $0, index: Document.root)
        }
    }

    private func at(_ index: Int) -> JSONNode { JSONNode(document: document, index: index) }

    /// The byte offset in UTF-8 of the text of a number or a string.
    package var offset: Int { document.entry(index).offset }

    /// - Throws: ``JSONSyntaxError`` for an invalid string or number.
    package func kind() throws -> Kind {
        let entry = document.entry(index)
        if let string = try document.string(index) { return .string(string) }
        if let bool = Bool.read(document, index) { return .bool(bool) }
        if entry.is(.number) { return .number(try document.numberText(entry)) }
        if entry.is(.array) { return .array }
        return entry.is(.object) ? .object : .null
    }

    /// Whether it has items or members.
    package var isObjectOrArray: Bool { document.entry(index).isCollection }

    /// - Returns: the converted items, in order.
    package func mapItems<Item>(_ convert: (JSONNode) throws -> Item) rethrows -> [Item] {
        let entry = document.entry(index)
        var items: [Item] = []
        items.reserveCapacity(Document.capacity(entry.count, of: Item.self))
        var next = index + 1
        while next < entry.end {
            items.append(try convert(at(next)))
            next = document.index(after: next)
        }
        return items
    }

    /// - Returns: the members in order, also those of equal keys.
    /// - Throws: ``JSONSyntaxError`` for a key that is invalid or cannot be compared.
    package func members() throws -> [(name: String, value: JSONNode)] {
        var members: [(name: String, value: JSONNode)] = []
        try document.forEachKey(of: index) { members.append((try document.key($0), at($0 + 1))) }
        return members
    }

    /// - Returns: the converted members. Of equal keys the first wins, as in the decoder.
    /// - Throws: as ``members()``, and the errors of `convert`.
    package func mapMembers<Member>(_ convert: (JSONNode) throws -> Member) throws -> [String: Member] {
        var members: [String: Member] = [:]
        members.reserveCapacity(Document.capacity(document.entry(index).count, of: Member.self))
        try document.forEachKey(of: index) {
            let name = try document.key($0)
            // The values of equal keys are converted too: they may be malformed.
            let member = try convert(at($0 + 1))
            if members.index(forKey: name) == nil { members[name] = member }
        }
        return members
    }
}
