internal import CoreAPIHTTPSupport

extension Response {
    /// The body as text, for a person. Never fails.
    ///
    /// The charset is the one that ``ResponseHead/mediaType`` declares; UTF-8 where none is declared, or an empty or unknown one.
    /// A byte order mark counts more. Bytes that do not fit become U+FFFD; ``exactText`` refuses them.
    public var rawString: String {
        (declaredCharset.flatMap { try? Charset(named: $0) } ?? .utf8).lenientText(of: data)
    }

    /// The body as text in the charset that the response declares, without any repair; UTF-8 where it declares none.
    ///
    /// - Throws: ``CharsetError`` for an unknown charset and for bytes that are not of the charset.
    public var exactText: String {
        get throws(CharsetError) {
            try (declaredCharset.map { name throws(CharsetError) in try Charset(named: name) } ?? .utf8).text(of: data)
        }
    }

    private var declaredCharset: String? { head?.mediaType?.parameters["charset"] }
}

extension ResponseDecoding where Value == String {
    /// The body as text for a person; see ``Response/rawString``. No body fails for its charset's sake.
    public static let text = ResponseDecoding { $0.rawString }

    /// The body as text, or an error when its bytes are not of the declared charset; see ``Response/exactText``.
    public static let exactText = ResponseDecoding { try $0.exactText }
}
