package import Foundation

/// The text of a document, whatever its encoding.
package enum JSONText {
    /// In UTF-8, without a mark; nothing of what is no text in the encoding that the first bytes tell.
    ///
    /// - Parameter count: bytes of UTF-8.
    package static func utf8(of document: Data, atMost count: Int) -> ArraySlice<UInt8> {
        document.withUnsafeBytes { bytes in
            let found = TextEncoding(of: bytes)
            let text = bytes[found.markLength...]
            guard let encoding = found.encoding else { return Array(text.prefix(count))[...] }
            // No character is longer than in UTF-32. What is cut in two is no text.
            let (needed, half) = (text.prefix(4 * count + 4), 2)
            let decoded = String(bytes: needed, encoding: encoding) ?? String(bytes: needed.dropLast(half), encoding: encoding)
            return Array((decoded ?? "").utf8).prefix(count)
        }
    }
}
