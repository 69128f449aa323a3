internal import Foundation

/// A type that the decoder decodes itself: by a strategy, or faster than the type's own initializer.
protocol SpecialDecodable: Decodable {
    /// - Parameter isOwn: whether `decoding` already decodes a type, which asks for this one.
    static func decode(from decoding: Decoding, isOwn: Bool) throws -> Self
}

/// A type that the encoder encodes itself: by a strategy, or faster than the type's own method.
protocol SpecialEncodable: Encodable {
    /// - Parameter isOwn: whether `encoding` already encodes a type, which asks for this one.
    /// - Returns: the node, or 0 for nothing.
    func encode(in encoding: Encoding, isOwn: Bool) throws -> UInt32
}

/// How values of a type are decoded and encoded. Cached, because a lookup of conformances by name is slow.
///
/// `@unchecked`: metatypes are immutable.
struct Strategy: BitwiseCopyable, @unchecked Sendable {
    /// `nil` for a type that only its own initializer decodes.
    let decodable: (any SpecialDecodable.Type)?
    /// `nil` for a type that only its own method encodes.
    let encodable: (any SpecialEncodable.Type)?
    let scalar: (any Scalar.Type)?

    private static let known = TypeRegistry<Strategy>()

    @inline(__always)
    static func of(_ type: Any.Type) -> Strategy {
        known.value(of: type) {
            let decodable = type as? any SpecialDecodable.Type
            return Strategy(
                decodable: decodable, encodable: type as? any SpecialEncodable.Type, scalar: decodable as? any Scalar.Type)
        }
    }
}

extension Decoding {
    /// The value itself; see ``SpecialDecodable/decode(from:isOwn:)``.
    @inline(__always)
    func decoded<Value: Decodable>(_ type: Value.Type, isOwn: Bool) throws -> Value {
        guard let special = Strategy.of(type).decodable else { return try type.init(from: self) }
        return try decoded(type, special, isOwn)
    }

    /// Generic, so that the existential is opened.
    @inline(never)
    private func decoded<Special: SpecialDecodable, Value>(
        _ type: Value.Type, _ special: Special.Type, _ isOwn: Bool
    ) throws -> Value {
        try known(special.decode(from: self, isOwn: isOwn), as: type)
    }

    /// A member or an item, whose key or index `setKey` sets.
    @inline(__always)
    func child<Value: Decodable>(_ type: Value.Type, at index: Int, _ setKey: (Decoding) -> Void) throws -> Value {
        let child = document.decoding(index, parent: self)
        setKey(child)
        let value = try child.decoded(type, isOwn: false)
        document.recycle(consume child)
        return value
    }
}

extension Encoding {
    /// The value itself; see ``SpecialEncodable/encode(in:isOwn:)``.
    @inline(__always)
    final func node<Value: Encodable>(of value: Value, isOwn: Bool) throws -> UInt32 {
        if let stop = tree.stop { throw stop }
        if let special = Strategy.of(Value.self).encodable { return try node(of: value, special, isOwn) }
        try value.encode(to: self)
        return take()
    }

    /// Generic, so that the existential is opened, and the value can be read as its own type.
    @inline(never)
    private final func node<Special: SpecialEncodable>(
        of value: some Encodable, _ special: Special.Type, _ isOwn: Bool
    ) throws -> UInt32 {
        try known(value, as: special).encode(in: self, isOwn: isOwn)
    }

    /// The node of a member or an item; never 0.
    @inline(__always)
    final func child(_ value: some Encodable, depth: UInt16, _ setKey: (Encoding) -> Void) throws -> UInt32 {
        let child = tree.encoding(parent: self, depth: depth)
        setKey(child)
        let node = tree.orEmpty(try child.node(of: value, isOwn: false), in: depth)
        tree.recycle(consume child)
        return node
    }
}

/// Returns a value as the type that it is known to have.
@inline(__always)
func known<Source, Value>(_ value: Source, as type: Value.Type) throws -> Value {
    guard Source.self == Value.self else {
        throw JSONSyntaxError(reason: "expected \(Value.self), found a \(Source.self)", offset: 0)
    }
    return withUnsafePointer(to: value) { UnsafeRawPointer($0).load(as: Value.self) }
}
