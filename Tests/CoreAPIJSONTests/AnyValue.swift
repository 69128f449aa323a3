import Foundation

/// Any value, read completely; numbers are compared by their bits.
enum AnyValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(UInt64)
    case string([UInt8])
    case array([AnyValue])
    case object([String: AnyValue])

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: AnyKey.self) {
            var members: [String: AnyValue] = [:]
            for key in container.allKeys { members[key.stringValue] = try container.decode(AnyValue.self, forKey: key) }
            self = .object(members)
        } else if var container = try? decoder.unkeyedContainer() {
            var items: [AnyValue] = []
            while !container.isAtEnd { items.append(try container.decode(AnyValue.self)) }
            self = .array(items)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let bool = try? container.decode(Bool.self) {
                self = .bool(bool)
            } else if let integer = try? container.decode(Int.self), integer != 0 {
                self = .integer(integer)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number.bitPattern)
            } else {
                self = .string(Array(try container.decode(String.self).utf8))
            }
        }
    }
}

/// Any well-formed value, of which nothing is read.
struct Anything: Decodable, Equatable {
    init(from decoder: any Decoder) {}
}
