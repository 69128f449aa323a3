/// Arrays without the container that the standard library would decode them from.
protocol ArrayDecodable: Decodable {
    /// The items of the value that `decoding` stands for.
    static func decodeItems(of decoding: Decoding) throws -> Self
}

extension Array: ArrayDecodable where Element: Decodable {
    static func decodeItems(of decoding: Decoding) throws -> [Element] {
        let document = decoding.document
        let entry = document.entry(decoding.value)
        guard entry.is(.array) else { throw decoding.mismatch([Any].self, at: decoding.value, decoding.codingPath) }
        var items: [Element] = []
        // No more at once than the document is worth, however large an element is.
        items.reserveCapacity(Swift.min(entry.count, 1 + (1 << 20) / Swift.max(MemoryLayout<Element>.stride, 1)))
        var place = decoding.value + 1
        for index in 0..<entry.count {
            items.append(try document.decode(Element.self, at: place, in: decoding, item: index))
            place = document.place(after: place)
        }
        return items
    }
}
