/// The encoder of a member or an item, for `superEncoder()`. Its value is final when the last reference to it goes.
final class SuperEncoding: Encoding {
    private enum Place {
        case member(KeyText)
        case item(UInt32)
    }

    private let place: Place
    private let container: UInt32
    private let owner: UInt32

    init(_ encoding: Encoding, key: some CodingKey, _ text: KeyText, _ object: UInt32, owner: UInt32) {
        place = .member(text)
        container = object
        self.owner = owner
        super.init(encoding.tree, parent: encoding)
        self.key = key
        depth = tree.nodes[Int(object)].depth
    }

    init(_ encoding: Encoding, item: Int, _ array: UInt32, owner: UInt32) {
        place = .item(UInt32(truncatingIfNeeded: item))
        container = array
        self.owner = owner
        super.init(encoding.tree, parent: encoding)
        self.item = item
        depth = tree.nodes[Int(array)].depth
    }

    deinit {
        // What has been encoded already is not changed any more.
        if !tree.nodes[Int(owner)].isClosed {
            var node = take()
            if node == 0 { node = tree.emptyObject(in: depth) }
            switch place {
            case .member(let key): tree.append(node, to: container, key: key)
            case .item(let index): tree.insert(node, at: index, of: container)
            }
        }
    }
}
