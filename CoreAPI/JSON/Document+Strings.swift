/// Strings of a document (RFC 8259 §7).
extension Document {
    /// - Returns: `nil` for another kind of value.
    /// - Throws: ``Malformed``.
    @inline(__always)
    func string(_ place: Int) throws -> String? {
        let entry = entry(place)
        guard entry.is(.string) else { return nil }
        if entry.has(Entry.simple) {
            let text = UnsafeBufferPointer(start: bytes + entry.offset, count: entry.length)
            // ASCII needs no check; what is no UTF-8 would be repaired.
            if entry.has(Entry.ascii) { return String(decoding: text, as: UTF8.self) }
            return try Self.validated(text, offset: entry.offset)
        }
        return try unescaped(entry)
    }

    /// The bytes of a string that are its value; `nil` for another kind of value and for a string with escapes.
    @inline(__always)
    func simpleString(_ place: Int) -> UnsafeBufferPointer<UInt8>? {
        let entry = entry(place)
        guard entry.is(.string), entry.has(Entry.simple) else { return nil }
        return UnsafeBufferPointer(start: bytes + entry.offset, count: entry.length)
    }

    @inline(never)
    private static func validated(_ text: UnsafeBufferPointer<UInt8>, offset: Int) throws -> String {
        guard let string = String(validating: text, as: UTF8.self) else {
            throw Malformed(reason: "expected UTF-8, found other bytes in the string that begins here", offset: offset)
        }
        return string
    }

    @inline(never)
    private func unescaped(_ entry: Entry) throws -> String {
        // Nothing gets longer by being unescaped.
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: entry.length + Words.size) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            let count = try Unescaping(bytes: bytes, from: entry.offset, to: entry.offset + entry.length).write(to: base)
            let text = UnsafeBufferPointer(start: UnsafePointer(base), count: count)
            return try Self.validated(text, offset: entry.offset)
        }
    }
}
