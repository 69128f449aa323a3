/// One value while it is encoded, and how it was reached: what types are given as their encoder.
///
/// What every member touches, here and in the tree, is not checked for exclusive access: enums with payloads are 6.6 times as
/// fast as Foundation's encoder so, and 5.6 times with the check.
class Encoding {
    let tree: OutputTree
    /// The node of what has been encoded; 0 for nothing yet. An open container is still being filled.
    @exclusivity(unchecked) final var value: UInt32 = 0
    /// How many containers lie around the value.
    @exclusivity(unchecked) final var depth: UInt16 = 0
    /// The value that this one is a member or an item of, and by which key or at which place; a `nil` key with a negative place
    /// is the root.
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

    /// The node of the finished encoding, which no encoder writes to; 0 for nothing.
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

    /// A container of its own, or the one that there is already.
    @inline(__always)
    private func container(_ kind: OutputNode.Kind) -> UInt32 {
        guard value == 0 else { return continued(kind) }
        value = tree.container(kind, in: depth)
        return value
    }

    @inline(never)
    private func continued(_ kind: OutputNode.Kind) -> UInt32 {
        guard tree.nodes[Int(value)].kind == kind else {
            tree.end(.misused(codingPath, "expected one value, found another container or value in the same place"))
            return tree.container(kind, in: depth)
        }
        if tree.nodes[Int(value)].isClosed { value = tree.reopened(value) }
        return value
    }
}

/// The way to a nested container from the value that it is a part of.
final class NestedPath {
    private let parent: NestedPath?
    private let key: any CodingKey

    init(_ parent: NestedPath?, _ key: any CodingKey) {
        self.parent = parent
        self.key = key
    }

    var keys: [any CodingKey] { (parent?.keys ?? []) + [key] }
}
