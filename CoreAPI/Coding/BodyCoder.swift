internal import CoreAPIJSON
public import Foundation
package import HTTPTypes

/// Encodes values as request bodies and decodes response bodies as values. Each channel has one, JSON by default. Attached to a
/// provider or an endpoint as a modifier, it applies there.
public struct BodyCoder: Sendable {
    /// The media type of sent bodies and of `Accept`.
    public let contentType: String

    /// The `Accept` field for it. Made once: a field costs some thousand instructions.
    package let accepting: HTTPFields
    private let encodeValue: @Sendable (any Encodable) throws -> Data
    private let decoding: Decoding

    private enum Decoding: Sendable {
        /// A separate case, so that a value need not go through an existential: 1,000 instructions.
        case json(JSONBodyDecoder)
        case other(@Sendable (any Decodable.Type, Data) throws -> any Decodable)
    }

    /// Makes a coder from two functions.
    ///
    /// - Parameters:
    ///   - contentType: the media type of sent bodies and of `Accept`.
    ///   - encode: called in Swift's thread pool, concurrently for different calls.
    ///   - decode: called like `encode`; must return a value of the given type.
    public init(
        contentType: String,
        encode: @escaping @Sendable (any Encodable) throws -> Data,
        decode: @escaping @Sendable (any Decodable.Type, Data) throws -> any Decodable
    ) {
        self.init(contentType, encode, .other(decode))
    }

    private init(_ contentType: String, _ encode: @escaping @Sendable (any Encodable) throws -> Data, _ decoding: Decoding) {
        (self.contentType, encodeValue, self.decoding) = (contentType, encode, decoding)
        accepting = [.accept: contentType]
    }

    /// Encodes a value as a body.
    public func encode(_ value: any Encodable) throws -> Data { try encodeValue(value) }

    /// Decodes a body into a value.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoded: any Decodable
        switch decoding {
        case .json(let decoder) where type != JSONValue.self: return try decoder.decode(type, from: data)
        case .json: decoded = try JSONValue(parsing: data)
        case .other(let decode): decoded = try decode(type, data)
        }
        guard let value = decoded as? Value else {
            throw DecodingError.typeMismatch(
                type, .init(codingPath: [], debugDescription: "the coder made a \(Swift.type(of: decoded))"))
        }
        return value
    }

    /// As ``decode(_:from:)``, but never on the caller's actor: an item of a stream is not decoded on the main thread.
    @concurrent
    package func decodeDetached<Value: Decodable & Sendable>(_ type: Value.Type, from data: Data) async throws -> Value {
        try decode(type, from: data)
    }

    /// JSON with ISO 8601 dates; keys are sent sorted, so that equal values are equal bytes.
    public static let json = BodyCoder.json()

    /// Selects the JSON decoder and encoder.
    public enum JSONCoding: Sendable {
        /// `JSONBodyDecoder` and `JSONBodyEncoder`. They return, write and fail as Foundation's do, with the three exceptions
        /// that `JSONBodyDecoder` names. They are faster, on most documents several times. ``JSONValue`` itself is always parsed
        /// by ``JSONValue/init(parsing:)``.
        case kit
        /// `JSONDecoder` and `JSONEncoder`. For their own options, such as JSON5, configure an instance yourself, see
        /// ``BodyCoder/init(contentType:encode:decode:)``.
        case foundation
    }

    /// JSON with the channel's own strategies.
    ///
    /// - Parameters:
    ///   - coding: the decoder and encoder. Default the kit's own.
    ///   - dates: as in `JSONDecoder`.
    ///   - encodedDates: as in `JSONEncoder`.
    ///   - keys: as in `JSONDecoder`.
    ///   - encodedKeys: as in `JSONEncoder`.
    public static func json(
        using coding: JSONCoding = .kit,
        dates: JSONDecoder.DateDecodingStrategy = .iso8601, encodedDates: JSONEncoder.DateEncodingStrategy = .iso8601,
        keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys, encodedKeys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
    ) -> BodyCoder {
        var encoder = JSONBodyEncoder()
        encoder.dateEncodingStrategy = encodedDates
        encoder.keyEncodingStrategy = encodedKeys
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var decoder = JSONBodyDecoder()
        decoder.dateDecodingStrategy = dates
        decoder.keyDecodingStrategy = keys
        switch coding {
        case .kit: return BodyCoder("application/json", { [encoder] in try encoder.encode($0) }, .json(decoder))
        case .foundation:
            let (encoder, decoder) = (encoder.foundation, decoder.foundation)
            return BodyCoder(contentType: "application/json") {
                try encoder.encode($0)
            } decode: { type, data in
                type == JSONValue.self ? try JSONValue(parsing: data) : try decoder.decodeWithinEnd(type, from: data)
            }
        }
    }
}
