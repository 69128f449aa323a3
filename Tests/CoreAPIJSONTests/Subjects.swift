import Foundation

/// Types to decode, each of which uses the decoder in its own way.
struct Flat: Codable, Equatable {
    var id: Int
    var name: String
    var price: Double?
    var isActive: Bool
    var tags: [String]?
}

struct Tree: Codable, Equatable {
    var v: Int?
    var next: [Tree]?
    var a: [String: Tree]?
}

struct Integers: Decodable, Equatable {
    var a: Int8?
    var b: UInt8?
    var c: Int16?
    var d: UInt16?
    var e: Int32?
    var id: UInt32?
    var v: Int64?
    var x: UInt64?
    var y: Int?
    var z: UInt?
}

/// A floating-point number by its bits, because zero has a sign.
struct Bits: Decodable, Equatable {
    let double: UInt64
    let float: UInt32?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        double = try container.decode(Double.self).bitPattern
        float = try? container.decode(Float.self).bitPattern
    }
}

struct FloatBits: Decodable, Equatable {
    let float: UInt32
    init(from decoder: any Decoder) throws { float = try decoder.singleValueContainer().decode(Float.self).bitPattern }
}

struct Huge: Decodable, Equatable {
    let a: Int128
    let b: UInt128
    var c: Decimal?

    enum CodingKeys: CodingKey { case a, b, c }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        a = try container.decode(Int128.self, forKey: .a)
        b = try container.decode(UInt128.self, forKey: .b)
        c = try container.decodeIfPresent(Decimal.self, forKey: .c)
    }
}

enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case a(id: Int, name: String?)
    case named(String)
    case empty
}

enum Word: String, Codable { case a, b, name, red }
enum Level: Int, Codable { case low = 1, high = 2 }

struct Words: Codable, Equatable {
    var a: Word?
    var b: [Word]?
    var id: Level
}

struct Special: Decodable, Equatable {
    var date: Date?
    var data: Data?
    var url: URL?
    var id: Decimal?
    var a: [Date]?
    var b: [String: URL]?
    var c: [Decimal?]?
}

class Base: Decodable {
    var id: Int
    private enum CodingKeys: CodingKey { case id }
    required init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
    }
}

final class Derived: Base, Equatable {
    var name: String?
    private enum CodingKeys: CodingKey { case name, a }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        try super.init(from: container.contains(.a) ? container.superDecoder(forKey: .a) : container.superDecoder())
    }

    static func == (left: Derived, right: Derived) -> Bool { left.id == right.id && left.name == right.name }
}

/// Decodes arrays manually, with every method of an unkeyed container.
struct Walk: Decodable, Equatable {
    var found: [String] = []

    private enum CodingKeys: CodingKey { case a, id }

    init(from decoder: any Decoder) throws {
        var items = try decoder.unkeyedContainer()
        while !items.isAtEnd {
            found.append("\(items.currentIndex)/\(items.count ?? -1) \(items.codingPath.map(\.stringValue))")
            switch items.currentIndex % 8 {
            case 0: found.append("\(String(describing: try items.decodeIfPresent(Int.self)))")
            case 1: found.append("\(String(describing: try items.decodeIfPresent(String.self)))")
            case 2: found.append("\(try items.decodeNil())")
            case 3: found.append("\(String(describing: try items.decodeIfPresent(Bool.self)))")
            case 4: found.append("\(try items.nestedContainer(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id))")
            case 5:
                var nested = try items.nestedUnkeyedContainer()
                while !nested.isAtEnd { found.append("\(try nested.decode(Double?.self) ?? -1)") }
                found.append("\(String(describing: try nested.decodeIfPresent(Int.self))) \(nested.currentIndex)")
            case 6: found.append("\(try Flat(from: items.superDecoder()))")
            default: found.append("\(try items.decode([Int].self))")
            }
            if found.count > 100 { break }
        }
        _ = try? items.decode(Int.self)
    }
}

/// Nested containers, keys asked for twice, in another order, and by other types.
struct Maze: Decodable, Equatable {
    var found: [String] = []

    private enum Outer: String, CodingKey { case b, a, name, id, none = "nowhere" }
    private enum Inner: Int, CodingKey { case one = 1, two = 2 }

    init(from decoder: any Decoder) throws {
        let outer = try decoder.container(keyedBy: Outer.self)
        found.append("\(outer.contains(.a)) \(outer.contains(.none)) \(outer.allKeys.map(\.stringValue).sorted())")
        found.append("\(String(describing: try outer.decodeIfPresent(String.self, forKey: .name)))")
        found.append("\(try outer.decodeNil(forKey: .id)) \(try outer.decodeNil(forKey: .id))")
        let inner = try outer.nestedContainer(keyedBy: Inner.self, forKey: .a)
        found.append("\(inner.codingPath.map(\.stringValue)) \(inner.allKeys.count)")
        found.append("\(try inner.decode(Int.self, forKey: .two)) \(try inner.decodeIfPresent(Date.self, forKey: .one) as Any)")
        var list = try outer.nestedUnkeyedContainer(forKey: .b)
        found.append("\(try list.decode(Word.self)) \(list.codingPath.map(\.stringValue))")
        found.append("\(try outer.decode(Optional<Int>.self, forKey: .id) ?? -1)")
    }
}

/// Generic, so that scalars are decoded by the generic method.
struct Box<Value: Decodable & Equatable>: Decodable, Equatable {
    var a: Value
    var b: Value?
    enum CodingKeys: CodingKey { case a, b }
}
