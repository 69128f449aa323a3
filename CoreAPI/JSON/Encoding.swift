/// The encoder of one value, and the path to it.
///
/// Exclusivity checks are off, here and in the tree: enums with payloads are 6.6 × as fast as with Foundation, instead of 5.6 ×.
class Encoding {
    let tree: OutputTree
    /// The node of the encoded value; 0 for none yet. An open container is still being filled.
    @exclusivity(unchecked) final var value: UInt32 = 0
    /// How many containers enclose the value.
    @exclusivity(unchecked) final var depth: UInt16 = 0
    /// The parent, and the key or index in it. The root has no key and index −1.
    @exclusivity(unchecked) final var parent: Encoding?
    @exclusivity(unchecked) final var key: (any CodingKey)?
    @exclusivity(unchecked) final var item = -1

    init(_ tree: OutputTree, parent: Encoding?) { (self.tree, self.parent) = (tree, parent) }

    final var codingPath: [any CodingKey] {
        sequence(first: self, next: \.parent).compactMap { $0.key ?? ($0.item >= 0 ? ItemKey($0.item) : nil) }.reversed()
    }

    /// Closes the node and returns it; 0 for none. No encoder writes to a closed node.
    @inline(__always)
    final func take() -> UInt32 {
        let taken = value
        value = 0
        if taken != 0 { tree.nodes[Int(taken)].isClosed = true }
        return taken
    }
}

extension Encoding: Encoder {
    final var userInfo: [CodingUserInfoKey: Any] { tree.userInfo }

    final func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        Key.maker.container(container(.object))
    }

    final func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedOutput(container(.array)) }
    final func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// A new container, or the one that is already open.
    @inline(__always)
    private func container(_ kind: OutputNode.Kind) -> Output {
        let node = value == 0 ? tree.container(kind, in: depth) : continued(kind)
        if value == 0 { value = node }
        return Output(encoding: self, node: node, owner: node)
    }

    @inline(never)
    private func continued(_ kind: OutputNode.Kind) -> UInt32 {
        guard tree.nodes[Int(value)].kind == kind else {
            tree.end(.misused(codingPath, "expected one value, found a second value or container"))
            return tree.container(kind, in: depth)
        }
        if tree.nodes[Int(value)].isClosed { value = tree.reopened(value) }
        return value
    }
}

extension Encoding: SingleValueEncodingContainer {
    final func encodeNil() throws {
        try check(String?.none)
        set(tree.scalar { $0.literal("null") })
    }

    @inline(__always)
    final func encode<Value: Scalar>(_ value: Value) throws { try scalar(value) }
    // A generic method does not replace a default of the standard library.
    final func encode(_ value: Int128) throws { try scalar(value) }
    final func encode(_ value: UInt128) throws { try scalar(value) }

    final func encode<Value: Encodable>(_ value: Value) throws {
        try check(value)
        set(tree.orEmpty(try node(of: value, isOwn: true), in: depth))
    }

    @inline(__always)
    private func scalar(_ value: some Scalar) throws {
        try check(value)
        set(try value.encode(in: self, isOwn: true))
    }

    /// - Throws: for a second value. A type may continue an open container.
    @inline(__always)
    private func check<Value>(_ value: Value) throws {
        guard self.value != 0 else { return }
        let node = tree.nodes[Int(self.value)]
        if node.isClosed || node.kind == .scalar { throw another(value) }
    }

    @inline(never)
    private func another<Value>(_ value: Value) -> EncodingError {
        .invalidValue(value, .init(codingPath: codingPath, debugDescription: "expected one value, found a second one"))
    }

    /// An open container wins over a scalar.
    @inline(__always)
    private func set(_ node: UInt32) {
        if value == 0 { value = node }
    }
}

/// The encoder of a member or an item that `superEncoder()` returns. Its value is stored when its last reference is gone.
final class SuperEncoding: Encoding {
    private let owner: UInt32
    private let store: (OutputTree, UInt32) -> Void

    init(in container: Output, store: @escaping (OutputTree, UInt32) -> Void) {
        owner = container.owner
        self.store = store
        super.init(container.tree, parent: container.encoding)
        depth = container.depth
    }

    deinit {
        // A finished container does not change any more.
        if !tree.nodes[Int(owner)].isClosed { store(tree, tree.orEmpty(take(), in: depth)) }
    }
}
