package import Foundation

/// The text of a document in any encoding that JSON may have.
package enum JSONText {
    /// The text in UTF-8, without a byte order mark. Empty if it is invalid in UTF-16 or UTF-32; UTF-8 is not checked.
    package static func utf8(of document: Data) -> [UInt8] {
        read(document) { text, encoding in encoding.map { Array((String(bytes: text, encoding: $0) ?? "").utf8) } ?? Array(text) }
    }

    /// The start of the text. Its last character may be incomplete.
    ///
    /// - Parameter count: the most bytes of UTF-8 to return.
    package static func utf8(of document: Data, atMost count: Int) -> [UInt8] {
        read(document) { text, encoding in
            guard let encoding else { return Array(text.prefix(count)) }
            // A character takes at most four bytes in any encoding. The second attempt drops half of a cut surrogate pair.
            let needed = text.prefix(4 * count + 4)
            let decoded = String(bytes: needed, encoding: encoding) ?? String(bytes: needed.dropLast(2), encoding: encoding)
            return Array((decoded ?? "").utf8.prefix(count))
        }
    }

    /// - Parameter convert: receives the bytes after the mark and their encoding, `nil` for UTF-8.
    private static func read(_ document: Data, _ convert: (Slice<UnsafeRawBufferPointer>, String.Encoding?) -> [UInt8]) -> [UInt8]
    {
        document.withUnsafeBytes { bytes in
            let found = TextEncoding(of: bytes)
            return convert(bytes[found.markLength...], found.encoding)
        }
    }
}
