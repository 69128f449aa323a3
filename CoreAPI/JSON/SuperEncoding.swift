/// The encoder of a member or an item that `superEncoder()` returns. Its value is stored when its last reference is gone.
final class SuperEncoding: Encoding {
    private enum Target {
        case member(KeyText)
        case item(UInt32)
    }

    private let target: Target
    private let container: UInt32
    private let owner: UInt32

    init(_ encoding: Encoding, key: some CodingKey, _ text: KeyText, _ object: UInt32, owner: UInt32) {
        target = .member(text)
        container = object
        self.owner = owner
        super.init(encoding.tree, parent: encoding)
        self.key = key
        depth = tree.nodes[Int(object)].depth
    }

    init(_ encoding: Encoding, item: Int, _ array: UInt32, owner: UInt32) {
        target = .item(UInt32(truncatingIfNeeded: item))
        container = array
        self.owner = owner
        super.init(encoding.tree, parent: encoding)
        self.item = item
        depth = tree.nodes[Int(array)].depth
    }

    deinit {
        // A finished container does not change any more.
        if !tree.nodes[Int(owner)].isClosed {
            var node = take()
            if node == 0 { node = tree.emptyObject(in: depth) }
            switch target {
            case .member(let key): tree.append(node, to: container, key: key)
            case .item(let index): tree.insert(node, at: index, of: container)
            }
        }
    }
}
