import Foundation

/// Random steps of a type with its encoder: all containers, nested in every way, in any order that Foundation allows.
indirect enum EncodingScript: Encodable {
    case null, nothing
    case value(any Encodable)
    case optional(EncodingScript?)
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
        case .value(let value): try encoder.single(value)
        case .optional(let value): try encoder.single(value)
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
            case .value(.value(let value as Int)): try container.encode(value, forKey: member.key)
            case .value(.value(let value as Int8)): try container.encodeIfPresent(value, forKey: member.key)
            case .value(.value(let value as UInt64)): try container.encode(value, forKey: member.key)
            case .value(.value(let value as Double)): try container.encode(value, forKey: member.key)
            case .value(.value(let value as Float)): try container.encode(value, forKey: member.key)
            case .value(.value(let value as Bool)): try container.encode(value, forKey: member.key)
            case .value(.value(let value as String)): try container.encodeIfPresent(value, forKey: member.key)
            case .value(.optional(let value)): try container.encode(value, forKey: member.key)
            case .value(.value(let value as Date)): try container.encode(value, forKey: member.key)
            case .value(.value(let value as [Double])): try container.encode(value, forKey: member.key)
            case .value(.value(let value as [String: EncodingScript])): try container.encode(value, forKey: member.key)
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
            case .value(.value(let value as Double)): try container.encode(value)
            case .value(.value(let value as Float)): try container.encode(value)
            case .value(.value(let value as String)): try container.encode(value)
            case .value(.value(let value as Bool)): try container.encode(value)
            case .value(.value(let value as Int128)): try container.encode(value)
            case .value(.value(let value as [String: EncodingScript])): try container.encode(value)
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
