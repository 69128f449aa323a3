public import CoreAPICoding
public import CoreAPICore
internal import Foundation
public import XMLCoder

extension BodyCoder {
    /// XML with ISO 8601 dates. The root element is named after the encoded type.
    ///
    /// ```swift
    /// channel.coder = .xml
    /// var modifiers: [any RequestModifier] { [BodyCoder.xml(root: "order")] }
    /// ```
    public static let xml = BodyCoder.xml()

    /// XML with the channel's own settings.
    ///
    /// A document that could attack the parser is rejected before parsing, with `DecodingError.dataCorrupted`; see
    /// ``XMLDefence``. An encoded value must have names or be a list, because a document needs a root: a bare number is an
    /// `EncodingError`.
    ///
    /// Names are made from keys, so each is checked: a `<` in a name would be markup.
    ///
    /// - Parameters:
    ///   - contentType: default `application/xml` (RFC 7303 §9.1).
    ///   - root: the name of the root element that is sent. `nil` for the name of the type, or `root` if that is no name in XML,
    ///     as `Array<Order>`.
    ///   - defence: limits on the depth and width of a document.
    ///   - trimsValues: whether white space at the ends of texts is removed, also beside entities in the middle of a text.
    ///     Default `false`.
    ///   - configureEncoder: sets up the encoder of a call, in Swift's thread pool.
    ///   - configureDecoder: sets up the decoder of a call, in Swift's thread pool.
    public static func xml(
        contentType: String = "application/xml", root: String? = nil, defence: XMLDefence = XMLDefence(),
        trimsValues: Bool = false,
        configureEncoder: @escaping @Sendable (XMLEncoder) -> Void = { _ in },
        configureDecoder: @escaping @Sendable (XMLDecoder) -> Void = { _ in }
    ) -> BodyCoder {
        // A coder per call: XMLCoder does not promise that several threads may share one.
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
            // For some malformed documents XMLCoder's excerpt reads beyond its array of lines; the kit has its own excerpts.
            decoder.errorContextLength = 0
            return try decoder.decode(type, from: document)
        }
    }
}

extension InputEncoding {
    /// Into the body, as XML, whatever the channel's coder.
    public static let xml = InputEncoding.body(.xml)
}
