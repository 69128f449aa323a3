import Foundation

/// Random steps of a type with its decoder: all containers, nested in every way and in any order, with errors that are caught.
indirect enum DecodingScript: Sendable {
    /// Through a single value container.
    case single(Scalar)
    case null
    case keyed([Member])
    case unkeyed([Item])
    /// Tries one after another until one succeeds, as a type with several forms does.
    case anyOf([DecodingScript])
    /// Another type from the same decoder.
    case same(DecodingScript)
    case optional(DecodingScript)
    case list(DecodingScript)

    enum Scalar: Sendable, CaseIterable {
        case bool, int, int8, uint16, int64, uint64, int128, double, float, string, decimal, date, data, url, word, ints, strings
    }

    struct Member: Sendable {
        let key: AnyKey
        let step: Step
    }

    enum Step: Sendable {
        case value(Scalar), maybe(Scalar)
        case isNull, isThere, keys
        case script(DecodingScript), maybeScript(DecodingScript)
        case keyed([Member]), unkeyed([Item])
        case superDecoder(DecodingScript), ownSuper(DecodingScript)
        /// Errors are recorded, and the rest continues.
        indirect case attempt(Step)
    }

    enum Item: Sendable {
        case value(Scalar), maybe(Scalar)
        case isNull
        case script(DecodingScript), maybeScript(DecodingScript)
        case keyed([Member]), unkeyed([Item])
        case superDecoder(DecodingScript)
        /// All remaining items.
        case rest(Scalar)
        indirect case attempt(Item)
    }
}

/// The results of a ``DecodingScript``.
struct Reading: Decodable, Equatable {
    @TaskLocal static var script = DecodingScript.null

    let found: String

    init(from decoder: any Decoder) throws {
        var trace = Trace()
        try trace.run(Self.script, decoder)
        found = trace.found
    }
}

/// Runs scripts and records the result of every step.
private struct Trace {
    var found = ""

    private mutating func write(_ text: String) { found += text + " " }

    /// Other errors than `DecodingError` differ between the decoders.
    private mutating func note(error: any Error) { write(error is DecodingError ? Verdict<Int>.label(error) : "another") }

    private mutating func note(_ value: Any) {
        let text =
            switch value {
            case let value as Double: "d\(value.bitPattern)"
            case let value as Float: "f\(value.bitPattern)"
            case let value as String: "s\(Array(value.utf8))"
            case let value as Date: "t\(value.timeIntervalSinceReferenceDate.bitPattern)"
            case let value as Data: "b\(value.base64EncodedString())"
            case let value as [String]: "\(value.map { Array($0.utf8) })"
            default: "\(value)"
            }
        write(text)
    }

    private mutating func note(_ path: [any CodingKey]) {
        write("@" + path.map { $0.intValue.map { "#\($0)" } ?? $0.stringValue }.joined(separator: "."))
    }

    mutating func run(_ script: DecodingScript, _ decoder: any Decoder) throws {
        note(decoder.codingPath)
        switch script {
        case .single(let scalar): note(try Self.single(scalar, decoder.singleValueContainer()))
        case .null: note(try decoder.singleValueContainer().decodeNil())
        case .keyed(let members): try read(members, decoder.container(keyedBy: AnyKey.self))
        case .unkeyed(let items):
            var container = try decoder.unkeyedContainer()
            try read(items, &container)
        case .anyOf(let scripts):
            for script in scripts { do { return try run(script, decoder) } catch { note(error: error) } }
        case .same(let script):
            write(try with(script) { try decoder.singleValueContainer().decode(Reading.self).found })
        case .optional(let script):
            write(try with(script) { try decoder.singleValueContainer().decode(Reading?.self)?.found ?? "none" })
        case .list(let script):
            write(try with(script) { "\(try decoder.singleValueContainer().decode([Reading].self).map(\.found))" })
        }
    }

    private func with<Result>(_ script: DecodingScript, _ body: () throws -> Result) rethrows -> Result {
        try Reading.$script.withValue(script, operation: body)
    }

    private mutating func read(_ members: [DecodingScript.Member], _ container: KeyedDecodingContainer<AnyKey>) throws {
        note(container.codingPath)
        for member in members { try read(member.step, member.key, container) }
    }

    private mutating func read(_ step: DecodingScript.Step, _ key: AnyKey, _ container: KeyedDecodingContainer<AnyKey>) throws {
        switch step {
        case .value(let scalar): note(try Self.keyed(scalar, key, container))
        case .maybe(let scalar): note(try Self.keyedIfPresent(scalar, key, container) ?? "none")
        case .isNull: note(try container.decodeNil(forKey: key))
        case .isThere: note(container.contains(key))
        case .keys:
            // By bytes: of a decomposed "é" and a composed "ét" neither precedes the other for Swift's `<`, although they
            // differ. So `sorted()` would keep the order of the keys, which is no promise of either decoder.
            note(container.allKeys.map(\.stringValue).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        case .script(let script): write(try with(script) { try container.decode(Reading.self, forKey: key).found })
        case .maybeScript(let script):
            write(try with(script) { try container.decodeIfPresent(Reading.self, forKey: key)?.found ?? "none" })
        case .keyed(let members): try read(members, container.nestedContainer(keyedBy: AnyKey.self, forKey: key))
        case .unkeyed(let items):
            var nested = try container.nestedUnkeyedContainer(forKey: key)
            try read(items, &nested)
        case .superDecoder(let script): try run(script, container.superDecoder(forKey: key))
        case .ownSuper(let script): try run(script, container.superDecoder())
        case .attempt(let step):
            do { try read(step, key, container) } catch { note(error: error) }
        }
    }

    private mutating func read(_ items: [DecodingScript.Item], _ container: inout any UnkeyedDecodingContainer) throws {
        note(container.codingPath)
        for item in items { try read(item, &container) }
    }

    private mutating func read(_ item: DecodingScript.Item, _ container: inout any UnkeyedDecodingContainer) throws {
        write("\(container.currentIndex)/\(container.count ?? -1)\(container.isAtEnd)")
        switch item {
        case .value(let scalar): note(try Self.unkeyed(scalar, &container))
        case .maybe(let scalar): note(try Self.unkeyedIfPresent(scalar, &container) ?? "none")
        case .isNull: note(try container.decodeNil())
        case .script(let script): write(try with(script) { try container.decode(Reading.self).found })
        case .maybeScript(let script):
            write(try with(script) { try container.decodeIfPresent(Reading.self)?.found ?? "none" })
        case .keyed(let members): try read(members, container.nestedContainer(keyedBy: AnyKey.self))
        case .unkeyed(let items):
            var nested = try container.nestedUnkeyedContainer()
            try read(items, &nested)
        case .superDecoder(let script): try run(script, container.superDecoder())
        case .rest(let scalar): while !container.isAtEnd { note(try Self.unkeyed(scalar, &container)) }
        case .attempt(let item):
            do { try read(item, &container) } catch { note(error: error) }
        }
    }

    // Containers have a requirement for each type, which generic code does not reach. The common types are here, the other
    // integers in `Integers`.

    private static func type(_ scalar: DecodingScript.Scalar) -> any Decodable.Type {
        switch scalar {
        case .bool: Bool.self
        case .int: Int.self
        case .int8: Int8.self
        case .uint16: UInt16.self
        case .int64: Int64.self
        case .uint64: UInt64.self
        case .int128: Int128.self
        case .double: Double.self
        case .float: Float.self
        case .string: String.self
        case .decimal: Decimal.self
        case .date: Date.self
        case .data: Data.self
        case .url: URL.self
        case .word: Word.self
        case .ints: [Int].self
        case .strings: [String].self
        }
    }

    private static func single(_ scalar: DecodingScript.Scalar, _ container: any SingleValueDecodingContainer) throws -> Any {
        switch scalar {
        case .bool: try container.decode(Bool.self)
        case .int: try container.decode(Int.self)
        case .int8: try container.decode(Int8.self)
        case .uint64: try container.decode(UInt64.self)
        case .double: try container.decode(Double.self)
        case .float: try container.decode(Float.self)
        case .string: try container.decode(String.self)
        default: try container.decode(type(scalar))
        }
    }

    private static func keyed(
        _ scalar: DecodingScript.Scalar, _ key: AnyKey, _ container: KeyedDecodingContainer<AnyKey>
    ) throws -> Any {
        switch scalar {
        case .bool: try container.decode(Bool.self, forKey: key)
        case .int: try container.decode(Int.self, forKey: key)
        case .int8: try container.decode(Int8.self, forKey: key)
        case .uint64: try container.decode(UInt64.self, forKey: key)
        case .double: try container.decode(Double.self, forKey: key)
        case .float: try container.decode(Float.self, forKey: key)
        case .string: try container.decode(String.self, forKey: key)
        default: try container.decode(type(scalar), forKey: key)
        }
    }

    private static func keyedIfPresent(
        _ scalar: DecodingScript.Scalar, _ key: AnyKey, _ container: KeyedDecodingContainer<AnyKey>
    ) throws -> Any? {
        func other<Value: Decodable>(_ type: Value.Type) throws -> Any? { try container.decodeIfPresent(type, forKey: key) }
        return switch scalar {
        case .bool: try container.decodeIfPresent(Bool.self, forKey: key)
        case .int: try container.decodeIfPresent(Int.self, forKey: key)
        case .int8: try container.decodeIfPresent(Int8.self, forKey: key)
        case .uint64: try container.decodeIfPresent(UInt64.self, forKey: key)
        case .double: try container.decodeIfPresent(Double.self, forKey: key)
        case .float: try container.decodeIfPresent(Float.self, forKey: key)
        case .string: try container.decodeIfPresent(String.self, forKey: key)
        default: try other(type(scalar))
        }
    }

    private static func unkeyed(_ scalar: DecodingScript.Scalar, _ container: inout any UnkeyedDecodingContainer) throws -> Any {
        switch scalar {
        case .bool: try container.decode(Bool.self)
        case .int: try container.decode(Int.self)
        case .int8: try container.decode(Int8.self)
        case .uint64: try container.decode(UInt64.self)
        case .double: try container.decode(Double.self)
        case .float: try container.decode(Float.self)
        case .string: try container.decode(String.self)
        default: try container.decode(type(scalar))
        }
    }

    private static func unkeyedIfPresent(
        _ scalar: DecodingScript.Scalar, _ container: inout any UnkeyedDecodingContainer
    ) throws -> Any? {
        func other<Value: Decodable>(_ type: Value.Type) throws -> Any? { try container.decodeIfPresent(type) }
        return switch scalar {
        case .bool: try container.decodeIfPresent(Bool.self)
        case .int: try container.decodeIfPresent(Int.self)
        case .int8: try container.decodeIfPresent(Int8.self)
        case .uint64: try container.decodeIfPresent(UInt64.self)
        case .double: try container.decodeIfPresent(Double.self)
        case .float: try container.decodeIfPresent(Float.self)
        case .string: try container.decodeIfPresent(String.self)
        default: try other(type(scalar))
        }
    }
}
