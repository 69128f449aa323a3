internal import CoreAPIHTTP

extension Response {
    /// The body as text, for a person. Never fails.
    ///
    /// The charset is the one that ``ResponseHead/mediaType`` declares, and UTF-8 without a known one. A byte order mark wins
    /// over it. Invalid bytes become U+FFFD; ``exactText`` rejects them.
    public var rawString: String {
        (declaredCharset.flatMap { try? Charset(named: $0) } ?? .utf8).lenientText(of: data)
    }

    /// The body as text in the declared charset, without repair; UTF-8 if none is declared.
    ///
    /// - Throws: ``Charset/DecodingError`` for an unknown charset and for bytes that are invalid in the charset.
    public var exactText: String {
        get throws(Charset.DecodingError) {
            try (declaredCharset.map { name throws(Charset.DecodingError) in try Charset(named: name) } ?? .utf8).text(of: data)
        }
    }

    private var declaredCharset: String? { head?.mediaType?.parameters["charset"] }
}

extension ResponseDecoding where Value == String {
    /// The body as text for a person; see ``Response/rawString``. Never fails because of the charset.
    public static let text = ResponseDecoding { $0.rawString }

    /// The body as text, or an error if its bytes are invalid in the declared charset; see ``Response/exactText``.
    public static let exactText = ResponseDecoding { try $0.exactText }
}
