internal import Foundation

/// The members of an object, by a type's keys.
struct KeyedOutput<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoding: Encoding
    let object: UInt32
    /// The type's outermost container. When it is closed, so is this one.
    let owner: UInt32
    let path: NestedPath?

    @inline(__always) var tree: OutputTree { encoding.tree }

    var codingPath: [any CodingKey] { encoding.codingPath + (path?.keys ?? []) }

    @inline(__always)
    func write(_ key: Key, _ text: (OutputTree) throws -> Void) rethrows {
        let name = keyText(key)
        try text(tree)
        if isOpen { tree.appendText(to: object, key: name) }
    }

    @inline(__always)
    private func keyText(_ key: some CodingKey) -> KeyText {
        tree.key(tree.hasDefaultKeys ? key.stringValue : converted(key))
    }

    @inline(never)
    private func converted(_ key: some CodingKey) -> String {
        tree.converted(key) { codingPath }
    }

    @inline(__always) private var isOpen: Bool { !tree.nodes[Int(owner)].isClosed }
    @inline(__always) private var depth: UInt16 { tree.nodes[Int(object)].depth }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let name = keyText(key)
        let node = try encoding.child(value, depth: depth) { $0.key = key }
        if isOpen { tree.append(node, to: object, key: name) }
    }

    // MARK: - Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        OutputMakers.container(encoding, nested(.object, key), owner: owner, path: NestedPath(path, key))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedOutput(encoding, nested(.array, key), owner: owner, path: NestedPath(path, key))
    }

    /// The container that the key already has, or a new one.
    private func nested(_ kind: OutputNode.Kind, _ key: Key) -> UInt32 {
        let name = tree.hasDefaultKeys ? key.stringValue : converted(key)
        let existing = tree.member(name, of: object)
        if existing != 0, tree.nodes[Int(existing)].kind == kind { return existing }
        let text = tree.key(name)
        let node = tree.container(kind, in: depth)
        guard existing == 0 else {
            tree.end(.misused(codingPath + [key], "expected one value, found a container and another value for the same key"))
            return node
        }
        if isOpen { tree.append(node, to: object, key: text) }
        return node
    }

    func superEncoder() -> any Encoder {
        SuperEncoding(encoding, key: NameKey.super, keyText(NameKey.super), object, owner: owner)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        SuperEncoding(encoding, key: key, keyText(key), object, owner: owner)
    }
}

extension OutputTree {
    /// The key as the strategy converts it.
    ///
    /// - Parameter path: the container's path.
    func converted(_ key: some CodingKey, _ path: () -> [any CodingKey]) -> String {
        switch settings.keyEncodingStrategy {
        case .useDefaultKeys: key.stringValue
        case .convertToSnakeCase: convertedNames.converted(key.stringValue)
        case .custom(let convert): convert(path() + [key]).stringValue
        #if canImport(Darwin)
        @unknown default: key.stringValue
        #endif
        }
    }
}
