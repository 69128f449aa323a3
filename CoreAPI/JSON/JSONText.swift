package import Foundation

/// The text of a document, whatever its encoding.
package enum JSONText {
    /// In UTF-8, without a mark; nothing of what is no text in the encoding that the first bytes tell.
    package static func utf8(of document: Data) -> [UInt8] { utf8(of: document, atMost: document.count * 4) }

    /// The beginning of it.
    ///
    /// - Parameter count: bytes of UTF-8.
    package static func utf8(of document: Data, atMost count: Int) -> [UInt8] {
        document.withUnsafeBytes { bytes in
            let found = TextEncoding(of: bytes)
            let text = bytes[found.markLength...]
            guard let encoding = found.encoding else { return Array(text.prefix(count)) }
            // No character is longer than in UTF-32; one that is cut in two is left out.
            let needed = text.prefix(4 * count + 4)
            let decoded = String(bytes: needed, encoding: encoding) ?? String(bytes: needed.dropLast(2), encoding: encoding)
            return Array((decoded ?? "").utf8.prefix(count))
        }
    }
}
