/// Encodes arrays without the standard library's container.
protocol ArrayEncodable: Encodable {
    /// The node of all items.
    func encodeItems(in encoding: Encoding) throws -> UInt32
}

extension Array: ArrayEncodable where Element: Encodable {
    func encodeItems(in encoding: Encoding) throws -> UInt32 {
        let tree = encoding.tree
        // Appends to the array that is already open, as Foundation does except for strings and integers.
        if encoding.value != 0, !(Element.self is any FixedWidthInteger.Type), Element.self != String.self {
            try encode(to: encoding)
            return encoding.take()
        }
        let array = tree.container(.array, in: encoding.depth)
        if !isEmpty, try !encodeScalars(of: encoding, to: array) {
            let depth = encoding.depth &+ 1
            // Through the buffer, because iteration copies each item.
            try withUnsafeBufferPointer { items in
                for index in items.indices {
                    let node = try encoding.child(items[index], depth: depth) { $0.item = index }
                    tree.append(node, to: array)
                }
            }
        }
        tree.nodes[Int(array)].isClosed = true
        return array
    }

    /// Writes scalars as one text, without a node for each.
    ///
    /// - Returns: `false` for items of other types.
    private func encodeScalars(of encoding: Encoding, to array: UInt32) throws -> Bool {
        let tree = encoding.tree
        switch Element.self {
        case is String.Type: try write(String.self, tree, array) { $0.string($1) }
        case is Int.Type: try write(Int.self, tree, array) { $0.integer($1) }
        case is UInt8.Type: try write(UInt8.self, tree, array) { $0.integer($1) }
        case is Int32.Type: try write(Int32.self, tree, array) { $0.integer($1) }
        case is Int64.Type: try write(Int64.self, tree, array) { $0.integer($1) }
        case is Bool.Type: try write(Bool.self, tree, array) { $0.plain($1 ? "true" : "false") }
        case is Double.Type:
            var index = 0
            try write(Double.self, tree, array) { tree, value in
                try tree.double(value) { encoding.codingPath + [ItemKey(index)] }
                index += 1
            }
        case is Float.Type:
            var index = 0
            try write(Float.self, tree, array) { tree, value in
                try tree.float(value) { encoding.codingPath + [ItemKey(index)] }
                index += 1
            }
        default: return false
        }
        return true
    }

    @inline(__always)
    private func write<Scalar>(
        _ type: Scalar.Type, _ tree: OutputTree, _ array: UInt32, _ item: (OutputTree, Scalar) throws -> Void
    ) throws {
        let scalars = try known(self, as: [Scalar].self)
        tree.reserve(2 * scalars.count)
        let start = tree.count
        for scalar in scalars {
            try item(tree, scalar)
            tree.byte(UInt8(ascii: ","))
        }
        let items = tree.add(OutputNode(text: start, tree.count &- 1, kind: .items, count: scalars.count))
        tree.append(items, to: array)
        tree.nodes[Int(array)].count = UInt32(truncatingIfNeeded: scalars.count)
    }
}
