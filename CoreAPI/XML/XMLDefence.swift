internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// Limits on an XML document, checked before a parser gets it. The underlying parser continues after errors, and follows any
/// depth, until the stack overflows and the process ends. It takes quadratic time for an element's attributes, and traps on names
/// that are not UTF-8 and on instructions without content. So it gets only well-formed (XML 1.0 §2.1) and bounded documents.
///
/// Document type declarations are always rejected: their entities can make a small body a large one, and no service's answer
/// needs them. The parser gets valid UTF-8, without comments and processing instructions, whatever the document's encoding.
/// ``/CoreAPI/Charset`` lists the accepted encodings.
public struct XMLDefence: Sendable, Hashable {
    /// The largest depth of elements. Default 128.
    public var depth = 128
    /// The largest number of attributes of one element. Default 256.
    public var attributes = 256

    /// Makes a defence with the default bounds.
    public init() {}

    /// The document as the parser gets it: UTF-8, without the declaration that would contradict it.
    ///
    /// - Throws: `DecodingError.dataCorrupted`.
    func check(_ data: Data) throws -> Data {
        var text: Substring
        do {
            text = try Self.charset(of: data).text(of: data)[...]
        } catch {
            throw Self.rejection(error.localizedDescription)
        }
        if text.hasPrefix("<?xml"), let end = text.firstRange(of: "?>") { text = text[end.upperBound...] }
        var scanner = MarkupScanner(defence: self, document: Array(text.utf8))
        return try scanner.scan()
    }

    /// Guessed from the first bytes, then read from the declaration (XML 1.0 §F.1).
    private static func charset(of data: Data) throws(Charset.DecodingError) -> Charset {
        switch Array(data.prefix(2)) {
        case [0xFE, 0xFF], [0xFF, 0xFE]: return try Charset(named: "utf-16")
        case [0x3C, 0x00]: return try Charset(named: "utf-16le")
        case [0x00, 0x3C]: return try Charset(named: "utf-16be")
        default: break
        }
        let start = String(decoding: data.prefix(256), as: UTF8.self)
        let declaration = start.firstMatch(of: /^\u{FEFF}?<\?xml\s[^>]*?encoding\s*=\s*["']([^"']*)["']/)
        guard let name = declaration.map({ String($0.output.1) }) else { return .utf8 }
        // The escape sequences of ISO-2022-JP change what a byte of ASCII means.
        guard !name.contains("2022") else { throw .unknown(name) }
        return try Charset(named: name)
    }

    static func rejection(_ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "the XML is rejected: \(reason)"))
    }
}
