/// Members of objects by their keys.
extension Document {
    /// All keys of an object in document order, duplicates included.
    func names(of object: Int) throws -> [String] {
        var names: [String] = []
        let entry = entry(object)
        names.reserveCapacity(entry.count)
        var index = object + 2
        while index < entry.end {
            names.append(try key(index))
            index = self.index(after: index + 1)
        }
        return names
    }

    /// The key at a tape index.
    ///
    /// - Throws: ``JSONSyntaxError`` for invalid text, and for too many combining marks to compare.
    func key(_ index: Int) throws -> String {
        let key = try string(index) ?? ""
        if entry(index).has(TapeEntry.ascii | TapeEntry.simple) { return key }
        guard !key.hasEndlessCombiningMarks else {
            throw JSONSyntaxError(
                reason: "expected a key with at most \(String.combiningMarkLimit) combining marks in a row",
                offset: entry(index).offset)
        }
        return key
    }

    /// - Returns: the value's index, or ``TapeEntry/none``. Only for an object with regular keys.
    @inline(__always)
    func member(_ name: String, of object: Int) -> Int {
        let entry = entry(object)
        let (first, cursor) = (object &+ 2, Int(truncatingIfNeeded: tape[object &+ 1]))
        // Types ask for keys in document order, or in the order of the object before. In an object without arrays and objects,
        // every second word is a key.
        let isHinted = entry.end == first &+ 2 &* entry.count
        let index = isHinted ? first &+ 2 &* Int(self[hint: (cursor &- first) >> 1]) : cursor
        if index < entry.end, isKey(index, name) {
            tape[object &+ 1] = UInt64(truncatingIfNeeded: self.index(after: index &+ 1))
            return index &+ 1
        }
        return otherMember(name, of: object, isHinted)
    }

    @inline(never)
    private func otherMember(_ name: String, of object: Int, _ isHinted: Bool) -> Int {
        let (first, end) = (object &+ 2, entry(object).end)
        let cursor = Int(truncatingIfNeeded: tape[object &+ 1])
        if isHinted, cursor < end, isKey(cursor, name) {
            tape[object &+ 1] = UInt64(truncatingIfNeeded: cursor &+ 2)
            return cursor &+ 1
        }
        var index = first
        while index < end {
            let next = self.index(after: index &+ 1)
            if isKey(index, name) {
                if isHinted { self[hint: (cursor &- first) >> 1] = UInt8(truncatingIfNeeded: (index &- first) >> 1) }
                tape[object &+ 1] = UInt64(truncatingIfNeeded: next)
                return index &+ 1
            }
            index = next
        }
        return name.utf8.allSatisfy { $0 < 0x80 } ? TapeEntry.none : equivalentMember(name, of: object, end: end)
    }

    /// A few letters beyond ASCII equal one in ASCII: the Kelvin sign equals K.
    private func equivalentMember(_ name: String, of object: Int, end: Int) -> Int {
        var index = object + 2
        while index < end {
            if let key = try? key(index), key == name { return index + 1 }
            index = self.index(after: index + 1)
        }
        return TapeEntry.none
    }

    @inline(__always)
    private func isKey(_ index: Int, _ name: String) -> Bool {
        let entry = entry(index)
        let start = bytes + entry.offset
        let isEqual = name.utf8.withContiguousStorageIfAvailable { text in
            guard text.count == entry.length, let base = text.baseAddress else { return text.isEmpty && entry.length == 0 }
            return SWAR.isEqual(base, start, text.count)
        }
        return isEqual ?? name.utf8.elementsEqual(UnsafeBufferPointer(start: start, count: entry.length))
    }
}
