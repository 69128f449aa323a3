internal import Foundation

/// How values of a type are decoded. Cached, because a lookup of conformances by name is slow.
///
/// `@unchecked`: metatypes are immutable.
enum TypeStrategy: BitwiseCopyable, @unchecked Sendable {
    /// Only by its own initializer.
    case plain
    case string, date, data, url, decimal
    case array(any ArrayDecodable.Type)
    case dictionary(any DictionaryDecodable.Type)

    private static let known = TypeRegistry<TypeStrategy>()

    @inline(__always)
    static func of(_ type: Any.Type) -> TypeStrategy {
        known.value(of: type) { TypeStrategy(type) }
    }

    private init(_ type: Any.Type) {
        switch type {
        case is String.Type: self = .string
        case is Date.Type: self = .date
        case is Data.Type: self = .data
        case is URL.Type: self = .url
        case is Decimal.Type: self = .decimal
        case let array as any ArrayDecodable.Type: self = .array(array)
        case let dictionary as any DictionaryDecodable.Type: self = .dictionary(dictionary)
        default: self = .plain
        }
    }

    @inline(__always) var isPlain: Bool {
        if case .plain = self { true } else { false }
    }
}
