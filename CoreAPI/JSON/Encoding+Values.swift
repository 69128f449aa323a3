internal import Foundation

/// Values of any type. Some are told apart before their own methods are asked: those with a strategy, and those that go faster by
/// a way of their own.
extension Encoding {
    /// The node of a value, 0 for nothing.
    ///
    /// - Parameter isOwn: whether a type that is being encoded by this encoder hands it the value, rather than a container.
    @inline(__always)
    final func node<Value: Encodable>(of value: Value, isOwn: Bool) throws -> UInt32 {
        if let stop = tree.stop { throw stop }
        let way = EncodingStrategy.of(Value.self)
        guard case .plain = way else { return try special(value, way, isOwn: isOwn) }
        try value.encode(to: self)
        return take()
    }

    @inline(never)
    private final func special<Value: Encodable>(_ value: Value, _ way: EncodingStrategy, isOwn: Bool) throws -> UInt32 {
        switch way {
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

    // Opened, so that the value can be read as what it is.

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

    /// The node of a member or an item; never nothing.
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
        // Room first: only then is the text's beginning certain.
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
