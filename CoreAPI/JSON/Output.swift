internal import Foundation

/// An object or an array that is being filled.
struct Output {
    let encoding: Encoding
    let node: UInt32
    /// The type's outermost container. When it is closed, so is this one.
    let owner: UInt32
    var path: NestedPath?

    @inline(__always) var tree: OutputTree { encoding.tree }
    @inline(__always) var isOpen: Bool { !tree.nodes[Int(owner)].isClosed }
    @inline(__always) var depth: UInt16 { tree.nodes[Int(node)].depth }
    var codingPath: [any CodingKey] { encoding.codingPath + (path?.keys ?? []) }

    func nested(_ node: UInt32, _ key: any CodingKey) -> Output {
        Output(encoding: encoding, node: node, owner: owner, path: NestedPath(path, key))
    }
}

/// The keys from a type to a nested container.
final class NestedPath {
    private let parent: NestedPath?
    private let key: any CodingKey

    init(_ parent: NestedPath?, _ key: any CodingKey) { (self.parent, self.key) = (parent, key) }
    var keys: [any CodingKey] { (parent?.keys ?? []) + [key] }
}

/// The members of an object, by a type's keys.
struct KeyedOutput<Key: CodingKey>: MadeOutput {
    private let output: Output

    @inline(__always)
    init(_ output: Output) { self.output = output }
    @inline(__always) private var tree: OutputTree { output.tree }
    var codingPath: [any CodingKey] { output.codingPath }

    @inline(__always)
    private func name(_ key: some CodingKey) -> String { tree.hasDefaultKeys ? key.stringValue : converted(key) }

    @inline(never)
    private func converted(_ key: some CodingKey) -> String {
        switch tree.settings.keyEncodingStrategy {
        case .useDefaultKeys: key.stringValue
        case .convertToSnakeCase: tree.convertedNames.converted(key.stringValue)
        case .custom(let convert): convert(codingPath + [key]).stringValue
        #if canImport(Darwin)
        @unknown default: key.stringValue
        #endif
        }
    }

    // MARK: - Values. `encodeIfPresent` of the standard library ends here, too.

    @inline(__always)
    private func write(_ key: Key, _ text: (OutputTree) throws -> Void) rethrows {
        let name = tree.key(name(key))
        try text(tree)
        if output.isOpen { tree.appendText(to: output.node, key: name) }
    }

    func encodeNil(forKey key: Key) { write(key) { $0.literal("null") } }

    @inline(__always)
    func encode<Value: Scalar>(_ value: Value, forKey key: Key) throws {
        try write(key) { tree in try value.write(to: tree) { output.encoding.codingPath + [key] } }
    }
    // A generic method does not replace a default of the standard library.
    func encode(_ value: Int128, forKey key: Key) { write(key) { $0.integer(value) } }
    func encode(_ value: UInt128, forKey key: Key) { write(key) { $0.integer(value) } }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let name = tree.key(name(key))
        let node = try output.encoding.child(value, depth: output.depth) { $0.key = key }
        if output.isOpen { tree.append(node, to: output.node, key: name) }
    }

    // MARK: - Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        NestedKey.maker.container(nested(.object, key))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { UnkeyedOutput(nested(.array, key)) }

    /// The container that the key already has, or a new one.
    private func nested(_ kind: OutputNode.Kind, _ key: Key) -> Output {
        let name = name(key)
        let existing = tree.member(name, of: output.node)
        if existing != 0, tree.nodes[Int(existing)].kind == kind { return output.nested(existing, key) }
        let text = tree.key(name)
        let node = tree.container(kind, in: output.depth)
        if existing != 0 {
            tree.end(.misused(codingPath + [key], "expected one value, found a container and another value for the same key"))
        } else if output.isOpen {
            tree.append(node, to: output.node, key: text)
        }
        return output.nested(node, key)
    }

    func superEncoder() -> any Encoder { superEncoder(NameKey.super) }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key) }

    private func superEncoder(_ key: some CodingKey) -> any Encoder {
        let (object, text) = (output.node, tree.key(name(key)))
        let encoding = SuperEncoding(in: output) { $0.append($1, to: object, key: text) }
        encoding.key = key
        return encoding
    }
}

/// The items of an array, in order.
struct UnkeyedOutput: UnkeyedEncodingContainer {
    private let output: Output

    init(_ output: Output) { self.output = output }
    @inline(__always) private var tree: OutputTree { output.tree }
    var codingPath: [any CodingKey] { output.codingPath }
    var count: Int { Int(tree.nodes[Int(output.node)].count) }

    @inline(__always)
    private func append(_ node: UInt32) {
        if output.isOpen { tree.append(node, to: output.node) }
    }

    func encodeNil() { append(tree.scalar { $0.literal("null") }) }

    @inline(__always)
    func encode<Value: Scalar>(_ value: Value) throws {
        // As in Foundation, the path lacks the keys between the type and the item.
        append(try tree.scalar { tree in try value.write(to: tree) { output.encoding.codingPath + [ItemKey(count)] } })
    }
    // A generic method does not replace a default of the standard library.
    func encode(_ value: Int128) { append(tree.scalar { $0.integer(value) }) }
    func encode(_ value: UInt128) { append(tree.scalar { $0.integer(value) }) }

    func encode<Value: Encodable>(_ value: Value) throws {
        append(try output.encoding.child(value, depth: output.depth) { $0.item = count })
    }

    // MARK: - Nested containers

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        NestedKey.maker.container(nested(.object))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedOutput(nested(.array)) }

    private func nested(_ kind: OutputNode.Kind) -> Output {
        let (key, node) = (ItemKey(count), tree.container(kind, in: output.depth))
        append(node)
        return output.nested(node, key)
    }

    func superEncoder() -> any Encoder {
        let (array, index) = (output.node, count)
        let encoding = SuperEncoding(in: output) { $0.insert($1, at: index, of: array) }
        encoding.item = index
        return encoding
    }
}
