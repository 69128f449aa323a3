internal import Foundation

/// Values of any type. Types with a strategy, or with a faster way, do not decode themselves.
extension Document {
    @inline(__always)
    func bool(_ index: Int) -> Bool? {
        let entry = entry(index)
        guard entry.is(.true) || entry.is(.false) else { return nil }
        return entry.is(.true)
    }

    /// The value of `decoding` itself.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, at index: Int, from decoding: Decoding) throws -> Value {
        if TypeStrategy.of(type).isPlain { return try type.init(from: decoding) }
        return try decodeSpecial(type, from: decoding, isOwn: true)
    }

    /// A member of `parent`'s value.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, at index: Int, in parent: Decoding, key: some CodingKey) throws -> Value {
        let child = decoding(index, parent: parent)
        child.key.set(key)
        let value =
            TypeStrategy.of(type).isPlain ? try type.init(from: child) : try decodeSpecial(type, from: child, isOwn: false)
        recycle(consume child)
        return value
    }

    /// An item of `parent`'s value.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, at index: Int, in parent: Decoding, item: Int) throws -> Value {
        let child = decoding(index, parent: parent)
        child.key.remove()
        child.item = item
        let value =
            TypeStrategy.of(type).isPlain ? try type.init(from: child) : try decodeSpecial(type, from: child, isOwn: false)
        recycle(consume child)
        return value
    }

    /// - Parameter isOwn: whether a type is already being decoded from `decoding`.
    @inline(never)
    func decodeSpecial<Value: Decodable>(_ type: Value.Type, from decoding: Decoding, isOwn: Bool) throws -> Value {
        switch TypeStrategy.of(type) {
        case .plain: return try type.init(from: decoding)
        case .string: return try same(decoding.decode(String.self), as: type)
        case .date:
            let wasNested = decoding.isNested
            decoding.isNested = wasNested || !isOwn
            defer { decoding.isNested = wasNested }
            return try same(decoding.date(), as: type)
        case .data: return try same(decoding.data(), as: type)
        case .url: return try same(decoding.url(), as: type)
        case .decimal: return try same(decoding.decimal(), as: type)
        case .array(let array): return try same(array.decodeItems(of: decoding), as: type)
        case .dictionary(let dictionary): return try same(dictionary.decodeMembers(of: decoding), as: type)
        }
    }

    /// Returns a value as the type that it is known to have.
    @inline(__always)
    func same<Source, Value>(_ value: Source, as type: Value.Type) throws -> Value {
        guard Source.self == Value.self else {
            throw JSONSyntaxError(reason: "expected \(Value.self), made a \(Source.self)", offset: 0)
        }
        return withUnsafePointer(to: value) { UnsafeRawPointer($0).load(as: Value.self) }
    }
}
