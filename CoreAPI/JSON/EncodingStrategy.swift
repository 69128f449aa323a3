internal import Foundation

/// How values of a type are encoded. Cached, because a lookup of conformances by name is slow.
///
/// `@unchecked`: metatypes are immutable.
enum EncodingStrategy: BitwiseCopyable, @unchecked Sendable {
    /// Only by its own method.
    case plain
    case bool, string, int, double
    case date, data, url, decimal
    case optional(any OptionalEncodable.Type)
    case array(any ArrayEncodable.Type)
    case dictionary(any DictionaryEncodable.Type)

    private static let known = TypeRegistry<EncodingStrategy>()

    @inline(__always)
    static func of(_ type: Any.Type) -> EncodingStrategy {
        known.value(of: type) { EncodingStrategy(type) }
    }

    private init(_ type: Any.Type) {
        switch type {
        case is Bool.Type: self = .bool
        case is String.Type: self = .string
        case is Int.Type: self = .int
        case is Double.Type: self = .double
        case is Date.Type: self = .date
        case is Data.Type: self = .data
        case is URL.Type: self = .url
        case is Decimal.Type: self = .decimal
        case let optional as any OptionalEncodable.Type: self = .optional(optional)
        case let array as any ArrayEncodable.Type: self = .array(array)
        case let dictionary as any DictionaryEncodable.Type: self = .dictionary(dictionary)
        default: self = .plain
        }
    }
}

/// Returns a value as the type that it is known to have.
@inline(__always)
func known<Source, Value>(_ value: Source, as type: Value.Type) throws -> Value {
    guard Source.self == Value.self else {
        throw JSONSyntaxError(reason: "expected \(Value.self), found a \(Source.self)", offset: 0)
    }
    return withUnsafePointer(to: value) { UnsafeRawPointer($0).load(as: Value.self) }
}
