/// Decodes arrays without the standard library's container. Integers are 17 × as fast as with Foundation, instead of 2.7 ×.
protocol ArrayDecodable: Decodable {
    /// The items of the value that `decoding` stands for.
    static func decodeItems(of decoding: Decoding) throws -> Self
}

extension Array: ArrayDecodable where Element: Decodable {
    static func decodeItems(of decoding: Decoding) throws -> [Element] {
        let document = decoding.document
        let entry = document.entry(decoding.value)
        guard entry.is(.array) else { throw decoding.mismatch([Any].self, at: decoding.value, decoding.codingPath) }
        if let items = try document.scalarItems(of: decoding, as: Element.self) { return items }
        guard entry.count > 0 else { return [] }
        var items: [Element] = []
        items.reserveCapacity(Document.capacity(entry.count, of: Element.self))
        let isPlain = TypeStrategy.of(Element.self).isPlain
        var index = decoding.value + 1
        var child = document.decoding(index, parent: decoding)
        child.key.remove()
        for item in 0..<entry.count {
            child.value = index
            child.item = item
            items.append(
                isPlain ? try Element(from: child) : try document.decodeSpecial(Element.self, from: child, isOwn: false))
            if isKnownUniquelyReferenced(&child) {
                child.memberIndex = nil
            } else {
                child = document.decoding(index, parent: decoding)
                child.key.remove()
            }
            index = document.index(after: index)
        }
        document.recycle(consume child)
        return items
    }
}
