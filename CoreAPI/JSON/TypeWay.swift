internal import Foundation

/// How values of a type are decoded.
enum TypeWay {
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

/// The ways of the types that a document was last decoded into. Finding out is slow, because it asks for conformances by name.
struct TypeWays {
    private struct Slot {
        var type: ObjectIdentifier?
        var way: TypeWay
    }

    private static let count = 8

    private let slots: UnsafeMutablePointer<Slot>

    init() {
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: Slot(type: nil, way: .plain), count: Self.count)
    }

    /// To be called once.
    func deallocate() {
        slots.deallocate()
    }

    @inline(__always)
    subscript(_ type: Any.Type) -> TypeWay {
        let slot = slots + Self.place(type)
        return slot.pointee.type == ObjectIdentifier(type) ? slot.pointee.way : find(type)
    }

    /// Whether the type is known to be plain; `false` says nothing.
    @inline(__always)
    func isPlain(_ type: Any.Type) -> Bool {
        let slot = slots + Self.place(type)
        guard slot.pointee.type == ObjectIdentifier(type), case .plain = slot.pointee.way else { return false }
        return true
    }

    @inline(never)
    private func find(_ type: Any.Type) -> TypeWay {
        let way = TypeWay(type)
        slots[Self.place(type)] = Slot(type: ObjectIdentifier(type), way: way)
        return way
    }

    @inline(__always)
    private static func place(_ type: Any.Type) -> Int {
        let address = UInt(bitPattern: ObjectIdentifier(type))
        return Int(truncatingIfNeeded: (address >> 4 ^ address >> 9) & UInt(count - 1))
    }
}
