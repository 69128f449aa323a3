/// Strings of a document (RFC 8259 §7).
extension Document {
    /// - Returns: `nil` for another kind of value.
    /// - Throws: ``JSONSyntaxError``.
    @inline(__always)
    func string(_ index: Int) throws -> String? {
        let entry = entry(index)
        guard entry.is(.string) else { return nil }
        guard entry.has(TapeEntry.simple) else { return try unescaped(entry) }
        let text = UnsafeBufferPointer(start: bytes + entry.offset, count: entry.length)
        guard let string = UTF8Text.string(text, isASCII: entry.has(TapeEntry.ascii)) else { throw noUTF8(entry) }
        return string
    }

    /// The bytes of a string without escapes; `nil` for other strings and other kinds of value.
    @inline(__always)
    func simpleString(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
        let entry = entry(index)
        guard entry.is(.string), entry.has(TapeEntry.simple) else { return nil }
        return UnsafeBufferPointer(start: bytes + entry.offset, count: entry.length)
    }

    @inline(never)
    private func unescaped(_ entry: TapeEntry) throws -> String {
        let source = UnsafeBufferPointer(start: bytes + entry.offset, count: entry.length)
        // Each escape stands for a whole scalar, so it is enough to validate the source.
        let isASCII = entry.has(TapeEntry.ascii)
        guard isASCII || UTF8Text.isValid(source) else { throw noUTF8(entry) }
        // Unescaping never makes a string longer.
        return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: entry.length + Unescaping.excess) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            var unescaping = Unescaping(
                bytes: bytes, from: entry.offset, to: entry.offset + entry.length, hasControls: entry.has(TapeEntry.controls))
            let count = try unescaping.write(to: base)
            let text = UnsafeBufferPointer(start: UnsafePointer(base), count: count)
            return UTF8Text.string(valid: text, isASCII: isASCII && unescaping.isASCII)
        }
    }

    @inline(never)
    private func noUTF8(_ entry: TapeEntry) -> JSONSyntaxError {
        JSONSyntaxError(reason: "expected UTF-8, found invalid bytes in the string", offset: entry.offset)
    }
}
