/// Encodes dictionaries with string keys. The keys are data, so no strategy converts them.
protocol DictionaryEncodable: Encodable {
    /// The node of all members.
    func encodeMembers(in encoding: Encoding, isOwn: Bool) throws -> UInt32
}

extension Dictionary: DictionaryEncodable where Key == String, Value: Encodable {
    func encodeMembers(in encoding: Encoding, isOwn: Bool) throws -> UInt32 {
        let tree = encoding.tree
        guard tree.hasDefaultKeys else { return try encodeConverted(in: encoding, isOwn: isOwn) }
        if encoding.value != 0 { return try encodeMore(in: encoding) }
        let object = tree.container(.object, in: encoding.depth)
        for (name, value) in self {
            let key = tree.key(name)
            let node = try encoding.child(value, depth: encoding.depth &+ 1) { $0.key = NameKey(name, hasNumber: true) }
            tree.append(node, to: object, key: key)
        }
        tree.nodes[Int(object)].isClosed = true
        return object
    }

    /// Appends to the object that is already open.
    @inline(never)
    private func encodeMore(in encoding: Encoding) throws -> UInt32 {
        try encode(to: encoding)
        return encoding.take()
    }

    /// With a key strategy, Foundation's paths lack the dictionary's own key.
    @inline(never)
    private func encodeConverted(in encoding: Encoding, isOwn: Bool) throws -> UInt32 {
        let tree = encoding.tree
        let object = tree.container(.object, in: encoding.depth)
        for (name, value) in self {
            let key = tree.key(name)
            let member = Encoding(tree, parent: isOwn ? encoding : encoding.parent)
            member.depth = encoding.depth &+ 1
            member.key = NameKey(stringValue: name)
            let node = try member.node(of: value, isOwn: true)
            tree.append(node != 0 ? node : tree.emptyObject(in: member.depth), to: object, key: key)
        }
        tree.nodes[Int(object)].isClosed = true
        return object
    }
}
