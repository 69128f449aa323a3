public import Foundation

/// Encodes `Encodable` types to JSON (RFC 8259) in the bytes of `JSONEncoder`, several times as fast on most documents.
///
/// A value: set it up once and share it. Encoding does not change it, so calls may be concurrent or nested. Use an encoder that
/// a value receives, and its containers, from one thread at a time.
///
///     var encoder = JSONBodyEncoder()
///     encoder.outputFormatting = [.sortedKeys]
///     let body = try encoder.encode(order)
///
/// `JSONEncoder` promises no order of unsorted keys. This type keeps the order in which they were encoded. As with `JSONEncoder`,
/// of equal keys the last wins, and nesting is limited to 511 levels. Misuse that ends the process in `JSONEncoder`, such as two
/// values under one key, is an error here.
public struct JSONBodyEncoder: Sendable {
    /// The form of the text. With `prettyPrinted`, `JSONEncoder` itself encodes, at its own speed and in its own order of keys.
    public var outputFormatting: JSONEncoder.OutputFormatting = []
    /// The form of dates. Default `.deferredToDate`.
    public var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy = .deferredToDate
    /// The form of `Data`. Default `.base64`.
    public var dataEncodingStrategy: JSONEncoder.DataEncodingStrategy = .base64
    /// The form of infinities and NaN. Default `.throw`.
    public var nonConformingFloatEncodingStrategy: JSONEncoder.NonConformingFloatEncodingStrategy = .throw
    /// How a type's keys become an object's. Keys of `[String: Value]` are not converted. Default `.useDefaultKeys`.
    public var keyEncodingStrategy: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
    /// The content of `Encoder.userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// The most bytes of text. `JSONEncoder` encodes larger values once more from the start: a node has 32 bits for an offset.
    package var sizeLimit = OutputTree.limit

    /// Makes an encoder with the default strategies.
    public init() {}

    /// Encodes a value on the caller's thread. Calls may be concurrent.
    ///
    /// - Throws: `EncodingError.invalidValue` for NaN or infinity, for no value, for two values under one key and for more than
    ///   511 levels of nesting. Errors of a type's own method pass unchanged.
    public func encode<Value: Encodable>(_ value: Value) throws -> Data {
        guard outputFormatting.isSubset(of: [.sortedKeys, .withoutEscapingSlashes]) else { return try foundation.encode(value) }
        do {
            return try OutputTree(self).encodeRoot(value)
        } catch OutputTree.Stop.tooLarge {
            return try foundation.encode(value)
        } catch OutputTree.Stop.misused(let path, let reason) {
            throw EncodingError.invalidValue(value, .init(codingPath: path, debugDescription: reason))
        }
    }

    /// `JSONEncoder` with the same settings.
    package var foundation: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = outputFormatting
        encoder.dateEncodingStrategy = dateEncodingStrategy
        encoder.dataEncodingStrategy = dataEncodingStrategy
        encoder.nonConformingFloatEncodingStrategy = nonConformingFloatEncodingStrategy
        encoder.keyEncodingStrategy = keyEncodingStrategy
        encoder.userInfo = userInfo
        return encoder
    }
}
