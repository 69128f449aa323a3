public import CoreAPICoding
internal import CoreAPIHTTP
internal import CoreAPIJSON
public import Foundation
internal import HTTPTypes

/// How the response to a call becomes its value. The last stage that can fail.
public struct ResponseDecoding<Value: Sendable>: Sendable {
    /// Whether `Accept` asks for the media type of the channel's coder.
    let wantsCoder: Bool
    let streamsBody: Bool
    /// Gets the response with the received bytes, and the body as enhancers left it.
    private let decode: @Sendable (Response<Data>, Data) throws -> Value

    /// Decodes by a function, called once per verified attempt, in Swift's thread pool, never on the main actor. An
    /// ``APIClientError`` or a ``VerificationError`` that it throws is kept; any other error becomes a ``DecodingFailure``.
    public init(_ decode: @escaping @Sendable (Response<Data>) throws -> Value) {
        self.init { response, body in
            var accepted = response
            accepted.data = body
            return try decode(accepted)
        }
    }

    fileprivate init(
        wantsCoder: Bool = false, streamsBody: Bool = false, _ decode: @escaping @Sendable (Response<Data>, Data) throws -> Value
    ) { (self.wantsCoder, self.streamsBody, self.decode) = (wantsCoder, streamsBody, decode) }

    /// The value of a response that was verified and filtered.
    func value(of response: Response<Data>) throws(APIClientError) -> Value {
        let body = try response.value
        do {
            return try decode(response, body)
        } catch {
            throw failure(error, response, body)
        }
    }

    // `body` may differ from the received bytes: an enhancer may have changed it.
    private func failure(_ error: any Error, _ response: Response<Data>, _ body: Data) -> APIClientError {
        switch error {
        case let error as APIClientError: return error
        case let error as VerificationError: return .verification(error, APIClientError.Context(response))
        default:
            let failure = DecodingFailure(
                error, expected: valueName, body: body, type: response.head?.mediaType, redaction: response.redaction)
            return .decoding(failure, APIClientError.Context(response))
        }
    }
}

/// A decoding whose type of value only the caller knows, for storage in a ``Call``.
protocol RawResponseDecoding: Sendable {
    var wantsCoder: Bool { get }
    var streamsBody: Bool { get }
    /// The type of its values, for errors.
    var valueName: String { get }
    func anyValue(of response: Response<Data>) throws(APIClientError) -> any Sendable
    /// Whether a value is of its type.
    func makes(_ value: any Sendable) -> Bool
}

extension ResponseDecoding: RawResponseDecoding {
    var valueName: String { String(describing: Value.self) }
    func anyValue(of response: Response<Data>) throws(APIClientError) -> any Sendable { try value(of: response) }
    func makes(_ value: any Sendable) -> Bool { value is Value }
}

extension ResponseDecoding where Value == Data {
    /// The body's bytes.
    public static let data = ResponseDecoding { _, body in body }
}

extension ResponseDecoding where Value == Void {
    /// Nothing: the body, if any, is not looked at.
    public static let nothing = ResponseDecoding { _, _ in }
}

extension ResponseDecoding where Value == Body {
    /// The body as it arrives, chunk by chunk, if all verifiers accept the head; see ``Body``. Any other response is collected
    /// and verified as usual. For an accepted response, a filter sees the head and no bytes.
    public static let stream = ResponseDecoding(streamsBody: true) { response, _ in response.raw.body }
}

extension ResponseDecoding where Value: Decodable {
    /// The body, decoded by the channel's ``BodyCoder``: the value under a path of keys, `data.items` or `orders.0.price`.
    ///
    /// The path is by default the endpoint's ``Endpoint/keyPath``, else the channel's ``Channel/payload``. An empty one is the
    /// whole body. `Data` without a path, or with an empty one, is the body itself.
    ///
    /// A response without a body is `nil` for an optional. For a type without members, `struct Empty: Decodable {}`, it is a
    /// value if the status allows an empty body: 204, 205, or ``StatusCodeResponseVerifier/mayBeEmpty``. For every other type it
    /// is ``VerificationError/emptyBody(status:expected:)``.
    ///
    /// A path needs a coder that distinguishes lists from objects: JSON does, XML does not. A key is spelled as in the body or as
    /// the coder's key strategy converts it, `user_data` or `userData`; one with a dot in it cannot be named. A missing key fails
    /// the call with a ``DecodingFailure``, which names the key, its path, and at most ten of the keys there.
    public static func decodable(_ type: Value.Type = Value.self, at path: String? = nil) -> ResponseDecoding {
        if path?.isEmpty ?? true {
            if Value.self == Data.self, let raw = ResponseDecoding<Data>.data as? ResponseDecoding { return raw }
            if Value.self == Data?.self, let raw = ResponseDecoding<Data?>.dataOrNil as? ResponseDecoding { return raw }
        }
        return ResponseDecoding(wantsCoder: true) { response, body in
            if body.isEmpty { return try nothing(in: response) }
            let path = path ?? response.call.keyPath
            return path.isEmpty
                ? try response.coder.decode(type, from: body) : try value(type, at: path.keys, in: body, of: response)
        }
    }

    private static func value(_ type: Value.Type, at keys: [String], in body: Data, of response: Response<Data>) throws -> Value {
        try NestedPath.$current.withValue(NestedPath(keys: keys, type: type, coder: response.coder)) {
            try response.coder.decode(NestedValue<Value>.self, from: body).value
        }
    }

    private static func nothing(in response: Response<Data>) throws -> Value {
        if let optional = Value.self as? any OptionalType.Type, let nothing = optional.nothing as? Value { return nothing }
        let status = response.head?.status.code ?? 0
        let verifier = response.request?.modifier(StatusCodeResponseVerifier.self) ?? .successful
        if verifier.mayBeEmpty.contains(status) {
            if Value.self == JSONValue.self, let null = JSONValue.null as? Value { return null }
            if let nothing = valueThatHoldsNothing() { return nothing }
        }
        throw VerificationError.emptyBody(status: status, expected: String(describing: Value.self))
    }

    /// A value of a type without properties, decoded from an empty object.
    private static func valueThatHoldsNothing() -> Value? {
        guard let value = try? JSONBodyDecoder().decode(Value.self, from: Data("{}".utf8)) else { return nil }
        let mirror = Mirror(reflecting: value)
        let isEmptyShape = mirror.displayStyle == .struct || mirror.displayStyle == .class
        return isEmptyShape && mirror.children.isEmpty && mirror.superclassMirror == nil ? value : nil
    }
}

/// Distinguishes an optional from another type with a `nil` literal.
private protocol OptionalType {
    static var nothing: Self { get }
}

extension Optional: OptionalType {
    fileprivate static var nothing: Self { nil }
}

extension String {
    fileprivate var keys: [String] { split(separator: ".", omittingEmptySubsequences: false).map(String.init) }
}

extension ResponseDecoding where Value == Data? {
    /// The body's bytes, or `nil` if it is empty.
    fileprivate static let dataOrNil = ResponseDecoding { _, body in body.isEmpty ? nil : body }
}

extension ResponseDecoding where Value == JSONValue {
    /// JSON of any shape, without the channel's coder: the value at ``Endpoint/keyPath``, else at ``Channel/payload``.
    public static let json = ResponseDecoding(wantsCoder: true) { response, body in
        if body.isEmpty { return try nothing(in: response) }
        let path = response.call.keyPath
        return path.isEmpty ? try JSONValue(parsing: body) : try value(JSONValue.self, at: path.keys, in: body, of: response)
    }
}

extension Response {
    /// The body as text, for a person. Never fails: the charset is the one that ``ResponseHead/mediaType`` declares, and UTF-8
    /// without a known one. A byte order mark wins over it. Invalid bytes become U+FFFD; ``exactText`` rejects them.
    public var rawString: String { (declaredCharset.flatMap { try? Charset(named: $0) } ?? .utf8).lenientText(of: data) }

    /// The body as text in the declared charset, without repair; UTF-8 if none is declared. Throws ``Charset/DecodingError`` for
    /// an unknown charset and for bytes that are invalid in the charset.
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
