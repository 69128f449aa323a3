import Foundation

/// Random steps of a type with its encoder: all containers, nested in every way, in any order that Foundation allows.
indirect enum EncodingScript: Encodable {
    case null, nothing
    case bool(Bool)
    case int(Int), int8(Int8), uint64(UInt64), int128(Int128)
    case double(Double), float(Float)
    case string(String)
    case date(Date), data(Data), url(URL), decimal(Decimal)
    case ints([Int]), doubles([Double]), floats([Float]), strings([String]), bools([Bool]), optionals([Double?])
    case bytes([UInt8])
    case list([EncodingScript]), set(Set<Int>)
    case optional(EncodingScript?)
    case dictionary([String: EncodingScript]), numbered([Int: EncodingScript]), texts([String: String]), maybe([String: Double?]?)
    case word(Word), shape(Shape)
    /// Through a single value container.
    case single(EncodingScript)
    case keyed([Member])
    case unkeyed([Item])
    /// Two containers of one encoder.
    case twice([Member], [Member])
    /// One type that encodes another into its own object.
    case flattened([Member], [Member])

    struct Member {
        let key: AnyKey
        let step: Step
    }

    enum Step {
        case null
        case value(EncodingScript)
        case keyed([Member]), unkeyed([Item])
        /// Filled after the rest has been encoded.
        case late([Member])
        case superEncoder(EncodingScript), ownSuper(EncodingScript)
    }

    enum Item {
        case null
        case value(EncodingScript)
        case keyed([Member]), unkeyed([Item]), superEncoder(EncodingScript)
        case lateSuper(EncodingScript)
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .nothing: break
        case .bool(let value): try encoder.single(value)
        case .int(let value): try encoder.single(value)
        case .int8(let value): try encoder.single(value)
        case .uint64(let value): try encoder.single(value)
        case .int128(let value): try encoder.single(value)
        case .double(let value): try encoder.single(value)
        case .float(let value): try encoder.single(value)
        case .string(let value): try encoder.single(value)
        case .date(let value): try encoder.single(value)
        case .data(let value): try encoder.single(value)
        case .url(let value): try encoder.single(value)
        case .decimal(let value): try encoder.single(value)
        case .ints(let value): try encoder.single(value)
        case .doubles(let value): try encoder.single(value)
        case .floats(let value): try encoder.single(value)
        case .strings(let value): try encoder.single(value)
        case .bools(let value): try encoder.single(value)
        case .optionals(let value): try encoder.single(value)
        case .bytes(let value): try encoder.single(value)
        case .list(let value): try encoder.single(value)
        case .set(let value): try encoder.single(value)
        case .optional(let value): try encoder.single(value)
        case .dictionary(let value): try encoder.single(value)
        case .numbered(let value): try encoder.single(value)
        case .texts(let value): try encoder.single(value)
        case .maybe(let value): try encoder.single(value)
        case .word(let value): try encoder.single(value)
        case .shape(let value): try encoder.single(value)
        case .single(let value): try encoder.single(value)
        case .keyed(let members):
            var container = encoder.members()
            try Self.write(members, to: &container)
        case .unkeyed(let items):
            var container = encoder.unkeyedContainer()
            try Self.write(items, to: &container)
        case .twice(let first, let second):
            var container = encoder.members()
            try Self.write(first, to: &container)
            var again = encoder.members()
            try Self.write(second, to: &again)
            try Self.write(first, to: &container)
        case .flattened(let first, let second):
            try encoder.single(EncodingScript.keyed(first))
            try EncodingScript.keyed(second).encode(to: encoder)
        }
    }

    private static func write(_ members: [Member], to container: inout KeyedEncodingContainer<AnyKey>) throws {
        var late: [(KeyedEncodingContainer<AnyKey>, [Member])] = []
        for member in members {
            switch member.step {
            case .null: try container.encodeNil(forKey: member.key)
            case .value(.int(let value)): try container.encode(value, forKey: member.key)
            case .value(.int8(let value)): try container.encodeIfPresent(value, forKey: member.key)
            case .value(.uint64(let value)): try container.encode(value, forKey: member.key)
            case .value(.double(let value)): try container.encode(value, forKey: member.key)
            case .value(.float(let value)): try container.encode(value, forKey: member.key)
            case .value(.bool(let value)): try container.encode(value, forKey: member.key)
            case .value(.string(let value)): try container.encodeIfPresent(value, forKey: member.key)
            case .value(.optional(let value)): try container.encode(value, forKey: member.key)
            case .value(.date(let value)): try container.encode(value, forKey: member.key)
            case .value(.doubles(let value)): try container.encode(value, forKey: member.key)
            case .value(.dictionary(let value)): try container.encode(value, forKey: member.key)
            case .value(let value): try container.encode(value, forKey: member.key)
            case .keyed(let members):
                var nested = container.nestedContainer(
                    keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "{" + member.key.stringValue))
                try write(members, to: &nested)
            case .late(let members):
                let key = AnyKey(stringValue: "{" + member.key.stringValue)
                late.append((container.nestedContainer(keyedBy: AnyKey.self, forKey: key), members))
            case .unkeyed(let items):
                var nested = container.nestedUnkeyedContainer(forKey: AnyKey(stringValue: "[" + member.key.stringValue))
                try write(items, to: &nested)
            case .superEncoder(let value): try value.encode(to: container.superEncoder(forKey: member.key))
            case .ownSuper(let value): try value.encode(to: container.superEncoder())
            }
        }
        for (nested, members) in late {
            var nested = nested
            try write(members, to: &nested)
        }
    }

    private static func write(_ items: [Item], to container: inout any UnkeyedEncodingContainer) throws {
        var late: [(any Encoder, EncodingScript)] = []
        for item in items {
            try container.encode(container.count)
            switch item {
            case .null: try container.encodeNil()
            case .value(.double(let value)): try container.encode(value)
            case .value(.float(let value)): try container.encode(value)
            case .value(.string(let value)): try container.encode(value)
            case .value(.bool(let value)): try container.encode(value)
            case .value(.int128(let value)): try container.encode(value)
            case .value(.dictionary(let value)): try container.encode(value)
            case .value(let value): try container.encode(value)
            case .keyed(let members):
                var nested = container.nestedContainer(keyedBy: AnyKey.self)
                try write(members, to: &nested)
            case .unkeyed(let items):
                var nested = container.nestedUnkeyedContainer()
                try write(items, to: &nested)
            case .superEncoder(let value): try value.encode(to: container.superEncoder())
            case .lateSuper(let value): late.append((container.superEncoder(), value))
            }
        }
        // Each is released before the next.
        while !late.isEmpty {
            let (encoder, value) = late.removeFirst()
            try value.encode(to: encoder)
        }
    }
}
