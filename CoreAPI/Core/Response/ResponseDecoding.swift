internal import CoreAPIJSON
public import Foundation
internal import HTTPTypes

/// How the answer to a call becomes the value that was asked for. The last stage that can fail.
public struct ResponseDecoding<Value: Sendable>: Sendable {
    /// An object, so that a response keeps it without naming its type, which is looked up at run time: 300 instructions each time.
    let way: Way

    // `@unchecked`: what it adds is constant; a class that has heirs cannot say so.
    class Way: AnyWay, @unchecked Sendable {
        let use: AnswerUse
        /// Besides the response there is the body as enhancers left it; what was received is the response's.
        private let decode: @Sendable (Response<Data>, Data) throws -> Value
        private let box = Response<Value>.Box.self

        fileprivate init(use: AnswerUse, decode: @escaping @Sendable (Response<Data>, Data) throws -> Value) {
            self.use = use
            self.decode = decode
        }

        func value(of response: Response<Data>) throws(APIClientError) -> Response<Value>.Box {
            let body = try response.value
            do {
                return box.init(try decode(response, body))
            } catch {
                throw failure(error, response, body)
            }
        }

        /// - Parameter body: what was decoded, which an enhancer may have made of what came.
        private func failure(_ error: any Error, _ response: Response<Data>, _ body: Data) -> APIClientError {
            switch error {
            case let error as APIClientError: return error
            case let error as VerificationError: return .verification(error, ErrorContext(response))
            default:
                let failure = DecodingFailure(
                    error, expected: String(describing: Value.self), body: body,
                    redaction: response.call.channel.redaction)
                return .decoding(failure, ErrorContext(response))
            }
        }
    }

    init(_ way: Way) {
        self.way = way
    }

    /// - Parameter decode: called once per attempt that was verified, on the pipeline's thread and never the main one. An
    ///   ``APIClientError`` or a ``VerificationError`` that it throws is kept as it is, anything else becomes a ``DecodingFailure``.
    public init(_ decode: @escaping @Sendable (Response<Data>) throws -> Value) {
        self.init(wantsCoder: false) { response, body in
            var accepted = response
            accepted.data = body
            return try decode(accepted)
        }
    }

    private init(
        wantsCoder: Bool, readsBody: Bool = true, _ decode: @escaping @Sendable (Response<Data>, Data) throws -> Value
    ) {
        way = Way(use: AnswerUse(wantsCoder: wantsCoder, readsBody: readsBody), decode: decode)
    }
}

/// The ways of ``ResponseDecoding/decodable(_:)``, kept for good: to make one is 1,200 instructions, most of them to look up its own type.
private let knownWays = TypeRegistry<Unmanaged<AnyWay>>()

/// The way of any value.
///
/// `@unchecked`: it holds nothing; a class that has heirs cannot say so.
class AnyWay: @unchecked Sendable {}

/// What a call does with its answer, whatever value it makes of it.
struct AnswerUse: Sendable {
    /// Whether the answer is asked for in the channel coder's media type (`Accept`).
    let wantsCoder: Bool
    /// Whether more is done with the body than to hand it over.
    let readsBody: Bool
}

extension ResponseDecoding where Value == Data {
    /// The body's bytes.
    public static let data = ResponseDecoding(BodyWay(use: AnswerUse(wantsCoder: false, readsBody: false)) { $1 })
}

// `@unchecked`: it adds nothing.
private final class BodyWay: ResponseDecoding<Data>.Way, @unchecked Sendable {
    /// The body as it is kept already.
    override func value(of response: Response<Data>) throws(APIClientError) -> Response<Data>.Box { try response.box }
}

extension ResponseDecoding where Value == Void {
    /// Nothing: the body, if any, is not looked at.
    public static let nothing = ResponseDecoding(wantsCoder: false, readsBody: false) { _, _ in }
}

extension ResponseDecoding where Value: Decodable {
    /// The body, decoded by the channel's ``BodyCoder``: the whole, or what lies at the endpoint's ``Endpoint/keyPath``. `Data` is the body
    /// itself.
    ///
    /// An answer without a body is `nil` for an optional. For a type that holds nothing, `struct Empty: Decodable {}`, it is a value where
    /// the status may come without one (204 and 205, or what ``StatusCodeResponseVerifier/mayBeEmpty`` says). For every other type it is
    /// ``VerificationError/emptyBody(status:expected:)``.
    public static func decodable(_ type: Value.Type = Value.self) -> ResponseDecoding {
        // Of a class, `type` may be an heir; what is known was made for `Value`.
        guard type == Value.self else { return madeForDecodable(type) }
        if let known = knownWays[Value.self] {
            return ResponseDecoding(unsafeDowncast(known.takeUnretainedValue(), to: Way.self))
        }
        let decoding = madeForDecodable(type)
        let way = Unmanaged<AnyWay>.passRetained(decoding.way)
        if !knownWays.insert(way, of: Value.self) { way.release() }
        return decoding
    }

    private static func madeForDecodable(_ type: Value.Type) -> ResponseDecoding {
        if Value.self == Data.self, let raw = ResponseDecoding<Data>.data as? ResponseDecoding { return raw }
        if Value.self == Data?.self, let raw = ResponseDecoding<Data?>.dataOrNil as? ResponseDecoding { return raw }
        return ResponseDecoding(wantsCoder: true) { response, body in
            if body.isEmpty { return try nothing(in: response) }
            let path = response.call.keyPath
            guard path.isEmpty else { return try value(type, at: path.keys, in: body, of: response) }
            return try response.coder.decode(type, from: body)
        }
    }

    private static func value(_ type: Value.Type, at keys: [String], in body: Data, of response: Response<Data>) throws -> Value {
        try NestedPath.$current.withValue(NestedPath(keys: keys, type: type, coder: response.coder)) {
            try response.coder.decode(NestedValue<Value>.self, from: body).value
        }
    }

    /// The value under a path of keys, `data.items` or `orders.0.price`; a key with a dot in it cannot be named. For coders that tell
    /// lists from objects, as JSON does; XML does not.
    ///
    /// A key is spelled as the body has it or as the coder's key strategy converts it: `user_data` or `userData`. A key that is
    /// not there fails the call with a ``DecodingFailure``. The failure names the key, where it was looked for, and at most ten
    /// of the keys there.
    public static func decodable(_ type: Value.Type = Value.self, at path: String) -> ResponseDecoding {
        let keys = path.keys
        return ResponseDecoding(wantsCoder: true) { response, body in
            body.isEmpty ? try nothing(in: response) : try value(type, at: keys, in: body, of: response)
        }
    }

    /// What an answer without a body stands for.
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

    /// A value of a type without any property, which an empty object has all of.
    private static func valueThatHoldsNothing() -> Value? {
        guard let value = try? JSONBodyDecoder().decode(Value.self, from: Data("{}".utf8)) else { return nil }
        let mirror = Mirror(reflecting: value)
        let isEmptyShape = mirror.displayStyle == .struct || mirror.displayStyle == .class
        return isEmptyShape && mirror.children.isEmpty && mirror.superclassMirror == nil ? value : nil
    }
}

/// Tells an optional from another type that has a `nil` literal.
private protocol OptionalType {
    static var nothing: Self { get }
}

extension Optional: OptionalType {
    fileprivate static var nothing: Self { nil }
}

extension String {
    /// The keys of a path, `data.items`.
    fileprivate var keys: [String] { split(separator: ".", omittingEmptySubsequences: false).map(String.init) }
}

extension ResponseDecoding where Value == Data? {
    /// The body's bytes, or `nil` when there are none.
    fileprivate static let dataOrNil = ResponseDecoding(wantsCoder: false, readsBody: false) { $1.isEmpty ? nil : $1 }
}

extension ResponseDecoding where Value == JSONValue {
    /// Any JSON, to be mapped by hand, whatever the channel's coder: the whole body, or what lies at the endpoint's ``Endpoint/keyPath``.
    public static let json = ResponseDecoding(wantsCoder: true) { response, body in
        if body.isEmpty { return try nothing(in: response) }
        let path = response.call.keyPath
        return path.isEmpty ? try JSONValue(parsing: body) : try value(JSONValue.self, at: path.keys, in: body, of: response)
    }
}
