internal import Foundation

/// The `Encoder` behind ``FieldEncoder``: builds ``Node``s and keeps the order of keys.
final class NodeEncoder: Encoder {
    let style: Parameters.QueryStyle
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    fileprivate var content = Content.empty
    /// By the bytes of the name: names that are equal in Unicode but differ in bytes are two names.
    private var indices: [[UInt8]: Int] = [:]
    /// The key type of the last requested container.
    private var keys: ObjectIdentifier?

    /// Containers are filled after they are handed out, so children stay encoders until the end.
    fileprivate enum Content {
        case empty
        case leaf(Node)
        case array([NodeEncoder])
        case object([Member])
    }

    fileprivate struct Member {
        let name: String
        var child: NodeEncoder
        /// Whether the content is a dictionary's.
        var isUnordered: Bool
    }

    init(style: Parameters.QueryStyle, codingPath: [any CodingKey]) {
        (self.style, self.codingPath) = (style, codingPath)
    }

    /// The node of a value; types with a special form are handled here.
    func node(for value: any Encodable) throws -> Node {
        switch value {
        case let date as Date: return .scalar(try style.text(date, at: codingPath))
        case let data as Data: return .scalar(data.base64EncodedString())
        case let url as URL: return .scalar(url.absoluteString)
        case let decimal as Decimal: return .scalar(decimal.description)
        default:
            let child = NodeEncoder(style: style, codingPath: codingPath)
            try value.encode(to: child)
            guard let unordered = value as? any UnorderedItems, case .array(let items) = child.finished else {
                return child.finished
            }
            return .array(Self.ordered(items, by: unordered.itemsOfOne))
        }
    }

    private var finished: Node {
        switch content {
        case .empty: .object([])
        case .leaf(let node): node
        case .array(let children): .array(children.map(\.finished))
        case .object(let members): .object(Self.ordered(members).map { ($0.name, $0.child.finished) })
        }
    }

    /// A dictionary's order differs between processes. Its members are sorted, so that the same call makes the same request.
    private static func ordered(_ members: [Member]) -> [Member] {
        var members = members
        let indices = members.indices.filter { members[$0].isUnordered }
        let sorted = indices.map { members[$0] }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for (index, member) in zip(indices, sorted) { members[index] = member }
        return members
    }

    /// - Parameter count: how many items form a group; the first of a group determines the order.
    private static func ordered(_ items: [Node], by count: Int) -> [Node] {
        let groups = stride(from: 0, to: items.count, by: count).map { index in
            (key: items[index].text ?? String(describing: items[index]), items: items[index..<min(index + count, items.count)])
        }
        return groups.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.flatMap(\.items)
    }

    /// The key type with which the standard library encodes dictionaries; it has no public name.
    private static let dictionaryKeys: ObjectIdentifier? = {
        let probe = NodeEncoder(style: .standard, codingPath: [])
        try? [String: Int]().encode(to: probe)
        return probe.keys
    }()

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = content {} else { content = .object([]) }
        keys = ObjectIdentifier(type)
        return KeyedEncodingContainer(KeyedNodes<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = content {} else { content = .array([]) }
        return UnkeyedNodes(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    fileprivate func child(_ key: any CodingKey) -> NodeEncoder {
        NodeEncoder(style: style, codingPath: codingPath + [key])
    }

    /// A repeated name keeps its index and takes the later value.
    fileprivate func add(_ key: any CodingKey) -> NodeEncoder {
        let child = child(key)
        guard case .object(var members) = content else { return child }
        // Taken out while it is changed, because otherwise every key would copy all keys before it.
        content = .empty
        let name = Array(key.stringValue.utf8)
        let isUnordered = ObjectIdentifier(type(of: key)) == Self.dictionaryKeys
        if let index = indices[name] {
            members[index].child = child
            members[index].isUnordered = isUnordered
        } else {
            indices[name] = members.count
            members.append(Member(name: key.stringValue, child: child, isUnordered: isUnordered))
        }
        content = .object(members)
        return child
    }

    fileprivate func append() -> NodeEncoder {
        guard case .array(var items) = content else { return child(FieldName(index: 0)) }
        content = .empty
        let child = child(FieldName(index: items.count))
        items.append(child)
        content = .array(items)
        return child
    }
}

/// A type whose items are ordered differently in every process.
private protocol UnorderedItems {
    /// The number of encoded items per element.
    var itemsOfOne: Int { get }
}

extension Set: UnorderedItems { fileprivate var itemsOfOne: Int { 1 } }

/// If its keys are not coding keys, it encodes keys and values alternately.
extension Dictionary: UnorderedItems { fileprivate var itemsOfOne: Int { 2 } }

extension Encodable {
    /// The encoded form of the value, for a coder that checks names and texts before it writes them.
    ///
    /// - Throws: the value's own errors; `EncodingError` for a number that is not finite.
    package func encodedNode() throws -> Node { try NodeEncoder(style: .standard, codingPath: []).node(for: self) }
}

// A generic method does not replace a default of the standard library, so each container names the integers of 128 bits.

extension NodeEncoder: SingleValueEncodingContainer {
    func encodeNil() { content = .leaf(.null) }
    func encode(_ value: Bool) { encode(style.text(value)) }
    func encode(_ value: String) { content = .leaf(.scalar(value)) }
    func encode(_ value: Int128) { encode(value.description) }
    func encode(_ value: UInt128) { encode(value.description) }
    func encode<Integer: BinaryInteger & Encodable>(_ value: Integer) { encode(value.description) }
    func encode<Value: Encodable>(_ value: Value) throws { content = .leaf(try node(for: value)) }

    func encode<Number: BinaryFloatingPoint & CustomStringConvertible & Encodable>(_ value: Number) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                Double(value), .init(codingPath: codingPath, debugDescription: "expected a finite number"))
        }
        encode(value.description)
    }
}

private struct KeyedNodes<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: NodeEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    func encodeNil(forKey key: Key) { encoder.add(key).encodeNil() }
    func encode(_ value: Int128, forKey key: Key) { encoder.add(key).encode(value) }
    func encode(_ value: UInt128, forKey key: Key) { encoder.add(key).encode(value) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let child = encoder.child(key)
        let node = try child.node(for: value)
        encoder.add(key).content = .leaf(node)
    }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        encoder.add(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.add(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder.add(FieldName("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.add(key) }
}

private struct UnkeyedNodes: UnkeyedEncodingContainer {
    let encoder: NodeEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { if case .array(let items) = encoder.content { items.count } else { 0 } }

    func encodeNil() { encoder.append().encodeNil() }
    func encode(_ value: Int128) { encoder.append().encode(value) }
    func encode(_ value: UInt128) { encoder.append().encode(value) }
    func encode<Value: Encodable>(_ value: Value) throws { try encoder.append().encode(value) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.append().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.append().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder.append() }
}
