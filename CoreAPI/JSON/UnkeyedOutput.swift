/// The items of an array, in order.
struct UnkeyedOutput: UnkeyedEncodingContainer {
    private let encoding: Encoding
    private let array: UInt32
    /// The type's outermost container. When it is closed, so is this one.
    private let owner: UInt32
    private let path: NestedPath?

    init(_ encoding: Encoding, _ array: UInt32, owner: UInt32, path: NestedPath?) {
        self.encoding = encoding
        self.array = array
        self.owner = owner
        self.path = path
    }

    @inline(__always) private var tree: OutputTree { encoding.tree }
    @inline(__always) private var isOpen: Bool { !tree.nodes[Int(owner)].isClosed }
    @inline(__always) private var depth: UInt16 { tree.nodes[Int(array)].depth }

    var codingPath: [any CodingKey] { encoding.codingPath + (path?.keys ?? []) }
    var count: Int { Int(tree.nodes[Int(array)].count) }

    /// As in Foundation, without the keys between the type and the item.
    private var itemPath: [any CodingKey] { encoding.codingPath + [ItemKey(count)] }

    @inline(__always)
    private func write(_ text: (OutputTree) throws -> Void) rethrows {
        append(try tree.scalar(text))
    }

    @inline(__always)
    private func append(_ node: UInt32) {
        if isOpen { tree.append(node, to: array) }
    }

    // MARK: - Values

    func encodeNil() { write { $0.plain("null") } }
    func encode(_ value: Bool) { write { $0.plain(value ? "true" : "false") } }
    func encode(_ value: String) { write { $0.string(value) } }
    func encode(_ value: Double) throws { try write { try $0.double(value) { itemPath } } }
    func encode(_ value: Float) throws { try write { try $0.float(value) { itemPath } } }
    func encode(_ value: Int) { write { $0.integer(value) } }
    func encode(_ value: Int8) { write { $0.integer(value) } }
    func encode(_ value: Int16) { write { $0.integer(value) } }
    func encode(_ value: Int32) { write { $0.integer(value) } }
    func encode(_ value: Int64) { write { $0.integer(value) } }
    func encode(_ value: Int128) { write { $0.integer(value) } }
    func encode(_ value: UInt) { write { $0.integer(value) } }
    func encode(_ value: UInt8) { write { $0.integer(value) } }
    func encode(_ value: UInt16) { write { $0.integer(value) } }
    func encode(_ value: UInt32) { write { $0.integer(value) } }
    func encode(_ value: UInt64) { write { $0.integer(value) } }
    func encode(_ value: UInt128) { write { $0.integer(value) } }

    func encode<Value: Encodable>(_ value: Value) throws {
        append(try encoding.child(value, depth: depth) { $0.item = count })
    }

    // MARK: - Nested containers

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        let path = NestedPath(path, ItemKey(count))
        return OutputMakers.container(encoding, nested(.object), owner: owner, path: path)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let path = NestedPath(path, ItemKey(count))
        return UnkeyedOutput(encoding, nested(.array), owner: owner, path: path)
    }

    private func nested(_ kind: OutputNode.Kind) -> UInt32 {
        let node = tree.container(kind, in: depth)
        append(node)
        return node
    }

    func superEncoder() -> any Encoder {
        SuperEncoding(encoding, item: count, array, owner: owner)
    }
}
