public import Foundation

/// Encodes `Encodable` types to JSON (RFC 8259) in the same bytes as `JSONEncoder`, and faster, several times on most
/// documents.
///
/// A value: set it up once and share it; encoding keeps no state in it, so that calls may run at the same time and within each
/// other. What one call hands to the values it encodes, an encoder and its containers, is for one thread at a time.
///
///     var encoder = JSONBodyEncoder()
///     encoder.outputFormatting = [.sortedKeys]
///     let body = try encoder.encode(order)
///
/// Where keys are not sorted, `JSONEncoder` promises no order; here it is the one in which they were encoded. As with
/// `JSONEncoder`, of equal keys the last counts, and 511 values may lie within each other. What `JSONEncoder` ends the process
/// for, as two values in one place, is an error here.
public struct JSONBodyEncoder: Sendable {
    /// How the text looks. `prettyPrinted` is left to `JSONEncoder` itself, with its speed and its order of keys: it is meant for
    /// people.
    public var outputFormatting: JSONEncoder.OutputFormatting = []
    /// How dates are told.
    public var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy = .deferredToDate
    /// How bytes are told.
    public var dataEncodingStrategy: JSONEncoder.DataEncodingStrategy = .base64
    /// How infinities and NaN are told.
    public var nonConformingFloatEncodingStrategy: JSONEncoder.NonConformingFloatEncodingStrategy = .throw
    /// How keys of types become keys of objects; keys of `[String: Value]` stay as they are.
    public var keyEncodingStrategy: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
    /// What `Encoder.userInfo` holds.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Values with more bytes of text are left to `JSONEncoder`, which encodes them once more; nodes have no more bits for places
    /// in it.
    package var sizeLimit = OutputTree.limit

    public init() {}

    /// On the caller's thread; any number of calls may run at once.
    ///
    /// - Throws: `EncodingError.invalidValue` for a number that is none, for a value that encodes nothing, for more than 511
    ///   values within each other and for two values in one place. What a type throws while it is encoded goes through as it is.
    public func encode<Value: Encodable>(_ value: Value) throws -> Data {
        guard outputFormatting.isSubset(of: [.sortedKeys, .withoutEscapingSlashes]) else { return try foundation.encode(value) }
        let tree = OutputTree(self)
        do throws(OutputTree.Stop) {
            return try tree.encodeRoot(value)
        } catch {
            switch error {
            case .tooLarge: return try foundation.encode(value)
            case .tooDeep:
                throw invalid(value, [], "expected at most \(OutputTree.depthLimit) values within each other, found more")
            case .nothing: throw invalid(value, [], "expected a value, found that \(Value.self) encodes none")
            case .misused(let path, let reason): throw invalid(value, path, reason)
            case .failed(let error): throw error
            }
        }
    }

    private func invalid(_ value: Any, _ path: [any CodingKey], _ reason: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: path, debugDescription: reason))
    }

    private var foundation: JSONEncoder {
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
