internal import Foundation

/// Values of any type. Types with a strategy, or with a faster way, do not encode themselves.
extension Encoding {
    /// The node of a value, 0 for nothing.
    ///
    /// - Parameter isOwn: whether the value comes from a type that this encoder is encoding, not from a container.
    @inline(__always)
    final func node<Value: Encodable>(of value: Value, isOwn: Bool) throws -> UInt32 {
        if let stop = tree.stop { throw stop }
        let strategy = EncodingStrategy.of(Value.self)
        guard case .plain = strategy else { return try special(value, strategy, isOwn: isOwn) }
        try value.encode(to: self)
        return take()
    }

    @inline(never)
    private final func special<Value: Encodable>(_ value: Value, _ strategy: EncodingStrategy, isOwn: Bool) throws -> UInt32 {
        switch strategy {
        case .plain:
            try value.encode(to: self)
            return take()
        case .bool:
            let value = try known(value, as: Bool.self)
            return tree.scalar { $0.plain(value ? "true" : "false") }
        case .string:
            let value = try known(value, as: String.self)
            return tree.scalar { $0.string(value) }
        case .int:
            let value = try known(value, as: Int.self)
            return tree.scalar { $0.integer(value) }
        case .double:
            let value = try known(value, as: Double.self)
            return try tree.scalar { try $0.double(value) { self.codingPath } }
        case .date: return try date(known(value, as: Date.self))
        case .data: return try data(known(value, as: Data.self))
        case .url:
            let value = try known(value, as: URL.self)
            return tree.scalar { $0.string(value.absoluteString) }
        case .decimal:
            let value = try known(value, as: Decimal.self)
            return tree.scalar { $0.plain(value.description) }
        case .optional(let type): return try Self.optional(value, type, in: self, isOwn)
        case .array(let type): return try Self.items(value, type, in: self)
        case .dictionary(let type): return try Self.members(value, type, in: self, isOwn)
        }
    }

    // Generic, so that the existential is opened and the value can be read as its own type.

    private static func optional<Value: OptionalEncodable>(
        _ value: some Encodable, _ type: Value.Type, in encoding: Encoding, _ isOwn: Bool
    ) throws -> UInt32 {
        try known(value, as: type).encodeWrapped(in: encoding, isOwn: isOwn)
    }

    private static func items<Value: ArrayEncodable>(
        _ value: some Encodable, _ type: Value.Type, in encoding: Encoding
    ) throws -> UInt32 {
        try known(value, as: type).encodeItems(in: encoding)
    }

    private static func members<Value: DictionaryEncodable>(
        _ value: some Encodable, _ type: Value.Type, in encoding: Encoding, _ isOwn: Bool
    ) throws -> UInt32 {
        try known(value, as: type).encodeMembers(in: encoding, isOwn: isOwn)
    }

    /// The node of a member or an item; never 0.
    @inline(__always)
    final func child<Value: Encodable>(_ value: Value, depth: UInt16, _ name: (Encoding) -> Void) throws -> UInt32 {
        let child = tree.encoding(parent: self, depth: depth)
        name(child)
        var node = try child.node(of: value, isOwn: false)
        if node == 0 { node = tree.emptyObject(in: depth) }
        tree.recycle(consume child)
        return node
    }
}

extension OutputTree {
    /// The node of one value's text.
    @inline(__always)
    func scalar(_ write: (OutputTree) throws -> Void) rethrows -> UInt32 {
        // Reserved first, because `reserve` may reset `count`.
        reserve(1)
        let start = count
        try write(self)
        return add(OutputNode(text: start, count))
    }
}

protocol OptionalEncodable: Encodable {
    func encodeWrapped(in encoding: Encoding, isOwn: Bool) throws -> UInt32
}

extension Optional: OptionalEncodable where Wrapped: Encodable {
    func encodeWrapped(in encoding: Encoding, isOwn: Bool) throws -> UInt32 {
        guard let wrapped = self else { return encoding.tree.scalar { $0.plain("null") } }
        let node = try encoding.node(of: wrapped, isOwn: isOwn)
        return node != 0 ? node : encoding.tree.emptyObject(in: encoding.depth)
    }
}
