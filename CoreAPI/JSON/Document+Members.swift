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
    /// - Throws: ``Malformed``.
    func key(_ place: Int) throws -> String {
        let key = try string(place) ?? ""
        if entry(place).has(Entry.ascii | Entry.simple) { return key }
        guard !key.hasEndlessCombiningMarks else {
            throw Malformed(
                reason: "expected a key with at most \(String.combiningMarkLimit) combining marks in a row",
                offset: entry(place).offset)
        }
        return key
    }

    /// - Returns: the place of the value, or ``missing``. Only for an object with regular keys.
    @inline(__always)
    func member(_ name: String, of object: Int) -> Int {
        // Types ask for their keys in the order in which they mostly are written.
        let cursor = Int(truncatingIfNeeded: tape[object &+ 1])
        if cursor < entry(object).end, isKey(cursor, name) {
            tape[object &+ 1] = UInt64(truncatingIfNeeded: place(after: cursor &+ 1))
            return cursor &+ 1
        }
        return otherMember(name, of: object)
    }

    /// Where keys are in another order, sorted ones for instance, it is mostly that of the object before: what was asked for last tells
    /// where the next one is.
    @inline(never)
    private func otherMember(_ name: String, of object: Int) -> Int {
        let (first, end) = (object &+ 2, entry(object).end)
        // Without arrays and objects in it every second word is a key.
        let isFlat = end == first &+ 2 &* entry(object).count
        let last = (Int(truncatingIfNeeded: tape[object &+ 1]) &- first) >> 1 & (Self.hintCount &- 1)
        if isFlat {
            let place = first &+ 2 &* Int(self[hint: last])
            if place < end, isKey(place, name) {
                tape[object &+ 1] = UInt64(truncatingIfNeeded: place &+ 2)
                return place &+ 1
            }
        }
        var place = first
        while place < end {
            let next = self.place(after: place &+ 1)
            if isKey(place, name) {
                if isFlat { self[hint: last] = UInt8(truncatingIfNeeded: (place &- first) >> 1) }
                tape[object &+ 1] = UInt64(truncatingIfNeeded: next)
                return place &+ 1
            }
            place = next
        }
        return name.utf8.allSatisfy { $0 < 0x80 } ? Self.missing : equivalentMember(name, of: object, end: end)
    }

    /// A few letters beyond ASCII are equivalent to one in it, as K is to the sign for Kelvin.
    private func equivalentMember(_ name: String, of object: Int, end: Int) -> Int {
        var place = object + 2
        while place < end {
            if let key = try? key(place), key == name { return place + 1 }
            place = self.place(after: place + 1)
        }
        return Self.missing
    }

    @inline(__always)
    private func isKey(_ place: Int, _ name: String) -> Bool {
        let entry = entry(place)
        let start = bytes + entry.offset
        let isEqual = name.utf8.withContiguousStorageIfAvailable { text in
            guard text.count == entry.length, let base = text.baseAddress else { return text.isEmpty && entry.length == 0 }
            return Words.isEqual(base, start, text.count)
        }
        return isEqual ?? name.utf8.elementsEqual(UnsafeBufferPointer(start: start, count: entry.length))
    }
}
