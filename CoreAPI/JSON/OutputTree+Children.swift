/// Members and items.
extension OutputTree {
    /// An empty container.
    @inline(__always)
    func container(_ kind: OutputNode.Kind, in depth: UInt16) -> UInt32 {
        var node = OutputNode(kind)
        node.depth = depth &+ 1
        if Int(depth) >= Self.depthLimit { end(.tooDeep) }
        return add(node)
    }

    /// An empty object, for a value that encodes nothing.
    func emptyObject(in depth: UInt16) -> UInt32 {
        let node = container(.object, in: depth)
        nodes[Int(node)].isClosed = true
        return node
    }

    /// A copy of a closed container, to continue it. The containers that wrote the original stay closed.
    func reopened(_ node: UInt32) -> UInt32 {
        var copy = nodes[Int(node)]
        copy.isClosed = false
        let reopened = add(copy)
        if oddObjects.contains(node) { oddObjects.insert(reopened) }
        return reopened
    }

    @inline(__always)
    func append(_ child: UInt32, to container: UInt32) {
        let parent = nodes + Int(container)
        if parent.pointee.end == 0 {
            parent.pointee.start = child
        } else {
            nodes[Int(parent.pointee.end)].next = child
        }
        parent.pointee.end = child
        parent.pointee.count &+= 1
    }

    @inline(__always)
    func append(_ child: UInt32, to container: UInt32, key: KeyText) {
        let node = nodes + Int(child)
        node.pointee.keyStart = UInt32(truncatingIfNeeded: key.start)
        node.pointee.keyLength = UInt32(truncatingIfNeeded: key.end &- key.start)
        if key.oddName != 0 {
            node.pointee.oddName = key.oddName
            oddObjects.insert(container)
        }
        append(child, to: container)
    }

    /// Appends the text that was written since the key.
    @inline(__always)
    func appendText(to container: UInt32, key: KeyText) {
        append(add(OutputNode(text: key.end, count)), to: container, key: key)
    }

    /// Inserts the value of a retained encoder at the index that it was made for.
    func insert(_ child: UInt32, at index: UInt32, of container: UInt32) {
        guard stop == nil, index < nodes[Int(container)].count else { return append(child, to: container) }
        var before: UInt32 = 0
        var after = nodes[Int(container)].start
        var passed: UInt32 = 0
        while after != 0, passed < index {
            passed &+= nodes[Int(after)].kind == .items ? nodes[Int(after)].count : 1
            before = after
            after = nodes[Int(after)].next
        }
        nodes[Int(child)].next = after
        if before == 0 { nodes[Int(container)].start = child } else { nodes[Int(before)].next = child }
        if after == 0 { nodes[Int(container)].end = child }
        nodes[Int(container)].count &+= 1
    }

    // MARK: - Names

    func name(of child: UInt32) -> String {
        let node = nodes[Int(child)]
        if node.oddName != 0 { return oddNames[Int(node.oddName) - 1] }
        // Without quotes and colon.
        return String(
            decoding: UnsafeBufferPointer(start: text + Int(node.keyStart) + 1, count: Int(node.keyLength) - 3), as: UTF8.self)
    }

    /// The last member with the key; 0 for none. Keys are compared as strings.
    func member(_ name: String, of object: UInt32) -> UInt32 {
        guard stop == nil, nodes[Int(object)].count > 0 else { return 0 }
        if nodes[Int(object)].count > 16 {
            return indexes[object, default: OutputIndex()].member(name, of: object, in: self)
        }
        var found: UInt32 = 0
        var child = nodes[Int(object)].start
        while child != 0 {
            if self.name(of: child) == name { found = child }
            child = nodes[Int(child)].next
        }
        return found
    }
}

/// The members of an object by key, up to the last one that was looked at.
struct OutputIndex {
    private var members: [String: UInt32] = [:]
    private var last: UInt32 = 0

    mutating func member(_ name: String, of object: UInt32, in tree: OutputTree) -> UInt32 {
        var child = last == 0 ? tree.nodes[Int(object)].start : tree.nodes[Int(last)].next
        while child != 0 {
            members[tree.name(of: child)] = child
            last = child
            child = tree.nodes[Int(child)].next
        }
        return members[name] ?? 0
    }
}
