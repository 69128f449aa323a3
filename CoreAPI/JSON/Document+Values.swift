internal import Foundation

/// Values of any type. Some are told apart before their own initializers are asked: those with a strategy, and those that go faster
/// by a way of their own.
extension Document {
    @inline(__always)
    func bool(_ place: Int) -> Bool? {
        let entry = entry(place)
        guard entry.is(.true) || entry.is(.false) else { return nil }
        return entry.is(.true)
    }

    /// The value of `decoding` itself.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, at place: Int, from decoding: Decoding) throws -> Value {
        if isPlain(type) { return try Value(from: decoding) }
        return try decodeSpecial(type, from: decoding, isOwn: true)
    }

    /// A member of `parent`'s value.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, at place: Int, in parent: Decoding, key: some CodingKey) throws -> Value {
        var child = decoding(place, parent: parent)
        child.key = key
        let value = isPlain(type) ? try Value(from: child) : try decodeSpecial(type, from: child, isOwn: false)
        recycle(&child)
        return value
    }

    /// An item of `parent`'s value.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, at place: Int, in parent: Decoding, item: Int) throws -> Value {
        var child = decoding(place, parent: parent)
        child.item = item
        let value = isPlain(type) ? try Value(from: child) : try decodeSpecial(type, from: child, isOwn: false)
        recycle(&child)
        return value
    }

    /// - Parameter isOwn: whether a type is being decoded from `decoding` already.
    @inline(never)
    private func decodeSpecial<Value: Decodable>(_ type: Value.Type, from decoding: Decoding, isOwn: Bool) throws -> Value {
        let wasNested = decoding.isNested
        if !isOwn { decoding.isNested = true }
        defer { decoding.isNested = wasNested }
        if let value = try specialValue(type, from: decoding) { return value }
        decoding.isNested = wasNested
        if let array = type as? any ArrayDecodable.Type { return try same(array.decodeItems(of: decoding), as: type) }
        if let dictionary = type as? any DictionaryDecodable.Type {
            return try same(dictionary.decodeMembers(of: decoding), as: type)
        }
        markPlain(type)
        return try Value(from: decoding)
    }

    /// - Returns: `nil` for types that have no place of their own here.
    private func specialValue<Value: Decodable>(_ type: Value.Type, from decoding: Decoding) throws -> Value? {
        if type == String.self { return try same(decoding.decode(String.self), as: type) }
        if type == Date.self { return try same(decoding.date(), as: type) }
        if type == Data.self { return try same(decoding.data(), as: type) }
        if type == URL.self { return try same(decoding.url(), as: type) }
        if type == Decimal.self { return try same(decoding.decimal(), as: type) }
        return nil
    }

    /// A value as the type that it is already known to be of.
    @inline(__always)
    private func same<Source, Value>(_ value: Source, as type: Value.Type) throws -> Value {
        guard Source.self == Value.self else {
            throw Malformed(reason: "expected \(Value.self), made a \(Source.self)", offset: 0)
        }
        return withUnsafePointer(to: value) { UnsafeRawPointer($0).load(as: Value.self) }
    }
}
