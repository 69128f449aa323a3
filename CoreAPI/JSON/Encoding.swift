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

    init(_ tree: OutputTree, parent: Encoding?) {
        self.tree = tree
        self.parent = parent
    }

    final var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var step: Encoding? = self
        while let current = step {
            if let key = current.key {
                path.append(key)
            } else if current.item >= 0 {
                path.append(ItemKey(current.item))
            }
            step = current.parent
        }
        return path.reversed()
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
        let object = container(.object)
        return OutputMakers.container(self, object, owner: object, path: nil)
    }

    final func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let array = container(.array)
        return UnkeyedOutput(self, array, owner: array, path: nil)
    }

    final func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// A new container, or the one that is already open.
    @inline(__always)
    private func container(_ kind: OutputNode.Kind) -> UInt32 {
        guard value == 0 else { return continued(kind) }
        value = tree.container(kind, in: depth)
        return value
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

/// The path to a nested container from the value that it is a part of.
final class NestedPath {
    private let parent: NestedPath?
    private let key: any CodingKey

    init(_ parent: NestedPath?, _ key: any CodingKey) {
        self.parent = parent
        self.key = key
    }

    var keys: [any CodingKey] { (parent?.keys ?? []) + [key] }
}
