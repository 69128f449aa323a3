/// Arrays and dictionaries of scalars, read without a decoder for each.
extension Document {
    /// The number of elements to reserve room for: at most 1 MiB, because elements may be far larger than their text.
    static func capacity<Element>(_ count: Int, of type: Element.Type) -> Int {
        min(count, 1 + (1 << 20) / max(MemoryLayout<Element>.stride, 1))
    }

    /// - Returns: `nil` for elements of other types.
    @inline(__always)
    func scalarItems<Element>(of decoding: Decoding, as type: Element.Type) throws -> [Element]? {
        if type == String.self { return try same(items(of: decoding) { try string($0) }, as: [Element].self) }
        if type == Int.self { return try same(items(of: decoding) { try integer($0, Int.self) }, as: [Element].self) }
        if type == Double.self { return try same(items(of: decoding) { try double($0) }, as: [Element].self) }
        if type == Bool.self { return try same(items(of: decoding) { bool($0) }, as: [Element].self) }
        if type == Float.self { return try same(items(of: decoding) { try float($0) }, as: [Element].self) }
        if type == Int64.self { return try same(items(of: decoding) { try integer($0, Int64.self) }, as: [Element].self) }
        if type == Int32.self { return try same(items(of: decoding) { try integer($0, Int32.self) }, as: [Element].self) }
        if type == UInt8.self { return try same(items(of: decoding) { try integer($0, UInt8.self) }, as: [Element].self) }
        return nil
    }

    @inline(__always)
    private func items<Element>(of decoding: Decoding, _ read: (Int) throws -> Element?) throws -> [Element] {
        let entry = entry(decoding.value)
        var items: [Element] = []
        items.reserveCapacity(Self.capacity(entry.count, of: Element.self))
        // A scalar has one entry. Any other value ends the loop with an error.
        for index in (decoding.value &+ 1)..<(decoding.value &+ 1 &+ entry.count) {
            guard let item = try read(index) else {
                throw decoding.mismatch(Element.self, at: index, ItemKey(index - decoding.value - 1))
            }
            items.append(item)
        }
        return items
    }

    /// - Returns: `nil` for values of other types.
    func scalarMembers<Value>(of decoding: Decoding, as type: Value.Type) throws -> [String: Value]? {
        if type == String.self { return try same(members(of: decoding) { try string($0) }, as: [String: Value].self) }
        if type == Int.self { return try same(members(of: decoding) { try integer($0, Int.self) }, as: [String: Value].self) }
        if type == Double.self { return try same(members(of: decoding) { try double($0) }, as: [String: Value].self) }
        if type == Bool.self { return try same(members(of: decoding) { bool($0) }, as: [String: Value].self) }
        return nil
    }

    @inline(__always)
    private func members<Value>(of decoding: Decoding, _ read: (Int) throws -> Value?) throws -> [String: Value] {
        let entry = entry(decoding.value)
        // An invalid key is reported before any invalid value.
        let isIrregular = entry.has(TapeEntry.irregular)
        if isIrregular { try checkNames(of: decoding.value) }
        var members: [String: Value] = [:]
        members.reserveCapacity(Self.capacity(entry.count, of: Value.self))
        var index = decoding.value + 2
        while index < entry.end {
            let name = try key(index)
            // Of equal keys the first wins. With converted keys, Foundation also decodes the others.
            let isNew = !isIrregular || members.index(forKey: name) == nil
            if isNew || !hasDefaultKeys {
                guard let member = try read(index &+ 1) else {
                    throw decoding.mismatch(Value.self, at: index &+ 1, NameKey(name, hasNumber: hasDefaultKeys))
                }
                if isNew { members[name] = member }
            }
            index = self.index(after: index &+ 1)
        }
        return members
    }

    private func checkNames(of object: Int) throws {
        var index = object + 2
        let end = entry(object).end
        while index < end {
            // ASCII without escapes is always valid.
            if !entry(index).has(TapeEntry.simple | TapeEntry.ascii) { _ = try key(index) }
            index = self.index(after: index &+ 1)
        }
    }
}
