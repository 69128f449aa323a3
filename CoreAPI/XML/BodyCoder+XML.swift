public import CoreAPICore
internal import Foundation
public import XMLCoder

extension BodyCoder {
    /// XML with ISO 8601 dates, its root named after the type that is sent.
    ///
    /// ```swift
    /// channel.coder = .xml
    /// var modifiers: [any RequestModifier] { [BodyCoder.xml(root: "order")] }
    /// ```
    public static let xml = BodyCoder.xml()

    /// XML with settings of the channel's own.
    ///
    /// What a server could do by XML alone is refused before anything is parsed, with `DecodingError.dataCorrupted`; see
    /// ``XMLDefence``. A value that is sent must have names or be a list, because a document needs a root: a bare number is an
    /// `EncodingError`.
    ///
    /// Names come from keys, so each is checked: one with a `<` in it would be markup.
    ///
    /// - Parameters:
    ///   - contentType: default `application/xml` (RFC 7303 §9.1).
    ///   - root: the name of the outermost element that is sent; `nil` for the name of the type, or `root` where that is no
    ///     name in XML, as `Array<Order>`.
    ///   - defence: how deep and how wide a document may be.
    ///   - trimsValues: whether white space at the ends of texts is left out, also beside entities in the middle of a text.
    ///     Default `false`.
    ///   - configureEncoder: sets up the encoder of a call, on the pipeline's thread.
    ///   - configureDecoder: sets up the decoder of a call, on the pipeline's thread.
    public static func xml(
        contentType: String = "application/xml", root: String? = nil, defence: XMLDefence = XMLDefence(),
        trimsValues: Bool = false,
        configureEncoder: @escaping @Sendable (XMLEncoder) -> Void = { _ in },
        configureDecoder: @escaping @Sendable (XMLDecoder) -> Void = { _ in }
    ) -> BodyCoder {
        // A coder per call: neither says that several threads may use it at once.
        BodyCoder(contentType: contentType) { value in
            let root = root ?? XMLNames.root(for: type(of: value))
            try XMLNames.check(root)
            try XMLNames.check(value)
            let encoder = XMLEncoder()
            encoder.dateEncodingStrategy = .iso8601
            encoder.outputFormatting = .sortedKeys
            configureEncoder(encoder)
            return try encoder.encode(value, withRootKey: root, header: XMLHeader(version: 1.0, encoding: "UTF-8"))
        } decode: { type, data in
            let document = try defence.check(data)
            let decoder = XMLDecoder(trimValueWhitespaces: trimsValues)
            decoder.dateDecodingStrategy = .iso8601
            configureDecoder(decoder)
            // XMLCoder reads beyond its array of lines when it excerpts some malformed documents; the kit has excerpts of its
            // own.
            decoder.errorContextLength = 0
            return try decoder.decode(type, from: document)
        }
    }
}

extension InputEncoding {
    /// Into the body, as XML, whatever the channel's coder.
    public static let xml = InputEncoding.body(.xml)
}
