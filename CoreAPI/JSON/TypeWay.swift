internal import Foundation

/// How values of a type are decoded. Finding out is slow, because it asks for conformances by name.
enum TypeWay: BitwiseCopyable {
    /// By its own initializer and nothing else.
    case plain
    case string, date, data, url, decimal
    case array(any ArrayDecodable.Type)
    case dictionary(any DictionaryDecodable.Type)

    init(_ type: Any.Type) {
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
}

extension TypeTable<TypeWay> {
    @inline(__always)
    func way(_ type: Any.Type) -> TypeWay {
        self[type] ?? find(type)
    }

    /// Whether the type is known to be plain; `false` says nothing.
    @inline(__always)
    func isPlain(_ type: Any.Type) -> Bool {
        if case .plain = self[type] { true } else { false }
    }

    @inline(never)
    private func find(_ type: Any.Type) -> TypeWay {
        let way = TypeWay(type)
        self[type] = way
        return way
    }
}
