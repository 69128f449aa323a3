package import Foundation

/// The text of a document, whatever its encoding.
package enum JSONText {
    /// In UTF-8, without a mark; nothing of what is no text in the encoding that the first bytes tell.
    package static func utf8(of document: Data) -> [UInt8] {
        read(document) { text, encoding in encoding.map { Array((String(bytes: text, encoding: $0) ?? "").utf8) } ?? Array(text) }
    }

    /// The beginning of it, as far as it is text but for a last character.
    ///
    /// - Parameter count: bytes of UTF-8.
    package static func utf8(of document: Data, atMost count: Int) -> [UInt8] {
        read(document) { text, encoding in
            guard let encoding else { return Array(text.prefix(count)) }
            // No character is longer than in UTF-32; one that is cut in two is left out.
            let needed = text.prefix(4 * count + 4)
            let decoded = String(bytes: needed, encoding: encoding) ?? String(bytes: needed.dropLast(2), encoding: encoding)
            return Array((decoded ?? "").utf8.prefix(count))
        }
    }

    /// - Parameter convert: given the bytes behind the mark, and their encoding, `nil` for UTF-8.
    private static func read(_ document: Data, _ convert: (Slice<UnsafeRawBufferPointer>, String.Encoding?) -> [UInt8]) -> [UInt8]
    {
        document.withUnsafeBytes { bytes in
            let found = TextEncoding(of: bytes)
            return convert(bytes[found.markLength...], found.encoding)
        }
    }
}
