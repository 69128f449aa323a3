/// Members of objects by their keys.
extension Document {
    /// All keys of an object, one after the other, as they stand there.
    func names(of object: Int) throws -> [String] {
        var names: [String] = []
        let entry = entry(object)
        names.reserveCapacity(entry.count)
        var place = object + 2
        while place < entry.end {
            names.append(try key(place))
            place = self.place(after: place + 1)
        }
        return names
    }

    /// A key that can be compared.
    ///
    /// - Throws: ``JSONSyntaxError``.
    func key(_ place: Int) throws -> String {
        let key = try string(place) ?? ""
        if entry(place).has(TapeEntry.ascii | TapeEntry.simple) { return key }
        guard !key.hasEndlessCombiningMarks else {
            throw JSONSyntaxError(
                reason: "expected a key with at most \(String.combiningMarkLimit) combining marks in a row",
                offset: entry(place).offset)
        }
        return key
    }

    /// - Returns: the place of the value, or ``TapeEntry/none``. Only for an object with regular keys.
    @inline(__always)
    func member(_ name: String, of object: Int) -> Int {
        let entry = entry(object)
        let (first, cursor) = (object &+ 2, Int(truncatingIfNeeded: tape[object &+ 1]))
        // Types ask for their keys in the order in which they are written, or in that of the object before. Without arrays and
        // objects in it, every second word of an object is a key.
        let isHinted = entry.end == first &+ 2 &* entry.count
        let place = isHinted ? first &+ 2 &* Int(self[hint: (cursor &- first) >> 1]) : cursor
        if place < entry.end, isKey(place, name) {
            tape[object &+ 1] = UInt64(truncatingIfNeeded: self.place(after: place &+ 1))
            return place &+ 1
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
        var place = first
        while place < end {
            let next = self.place(after: place &+ 1)
            if isKey(place, name) {
                if isHinted { self[hint: (cursor &- first) >> 1] = UInt8(truncatingIfNeeded: (place &- first) >> 1) }
                tape[object &+ 1] = UInt64(truncatingIfNeeded: next)
                return place &+ 1
            }
            place = next
        }
        return name.utf8.allSatisfy { $0 < 0x80 } ? TapeEntry.none : equivalentMember(name, of: object, end: end)
    }

    /// A few letters beyond ASCII are equivalent to one in it, as K is to the sign for Kelvin.
    private func equivalentMember(_ name: String, of object: Int, end: Int) -> Int {
        var place = object + 2
        while place < end {
            if let key = try? key(place), key == name { return place + 1 }
            place = self.place(after: place + 1)
        }
        return TapeEntry.none
    }

    @inline(__always)
    private func isKey(_ place: Int, _ name: String) -> Bool {
        let entry = entry(place)
        let start = bytes + entry.offset
        let isEqual = name.utf8.withContiguousStorageIfAvailable { text in
            guard text.count == entry.length, let base = text.baseAddress else { return text.isEmpty && entry.length == 0 }
            return SWAR.isEqual(base, start, text.count)
        }
        return isEqual ?? name.utf8.elementsEqual(UnsafeBufferPointer(start: start, count: entry.length))
    }
}
