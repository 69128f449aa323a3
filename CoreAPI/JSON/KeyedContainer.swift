/// The members of an object, by the keys of a type.
struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoding: Decoding
    let document: Document
    /// The object's place, and the one behind its last member. The decoder is used for other values after this one.
    private let object: Int
    private let end: Int
    private let index: MemberIndex?

    /// - Throws: ``Malformed`` for a key that is no string of Unicode.
    init(_ decoding: Decoding) throws {
        self.decoding = decoding
        document = decoding.document
        object = decoding.value
        let entry = document.entry(decoding.value)
        end = entry.end
        index = entry.has(Entry.irregular) || !document.hasDefaultKeys ? try MemberIndex(decoding) : nil
    }

    var codingPath: [any CodingKey] { decoding.codingPath }

    var allKeys: [Key] {
        // Keys of an object without an index are ASCII, and cannot be wrong.
        let names = index?.names ?? (try? document.names(of: object)) ?? []
        return names.compactMap { Key(stringValue: $0) }
    }

    /// - Returns: the place of the value, or ``Document/missing``.
    @inline(__always)
    func find(_ key: Key) -> Int {
        find(key.stringValue)
    }

    @inline(__always)
    private func find(_ name: String) -> Int {
        if let index { return index.place(name) }
        return document.member(name, of: object, end: end)
    }

    @inline(__always)
    func require(_ key: Key) throws -> Int {
        let place = find(key)
        guard place != Document.missing else { throw missing(key) }
        return place
    }

    @inline(never)
    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(
            key, .init(codingPath: codingPath, debugDescription: "expected the key '\(key.stringValue)', found none of that name")
        )
    }

    func contains(_ key: Key) -> Bool {
        find(key) != Document.missing
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        document.entry(try require(key)).is(.null)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try document.decode(type, at: try require(key), in: decoding, key: key)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let place = present(key) else { return nil }
        return try document.decode(type, at: place, in: decoding, key: key)
    }

    /// - Returns: `nil` for null as well.
    @inline(__always)
    func present(_ key: Key) -> Int? {
        let place = find(key)
        // What is missing points to a null.
        return document.entry(place).is(.null) ? nil : place
    }

    // MARK: - Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    private func nested(_ key: Key) throws -> Decoding {
        let nested = decoding.super(try require(key), key: key)
        nested.isNested = true
        return nested
    }

    func superDecoder() -> any Decoder {
        decoding.super(find(NameKey.super.stringValue), key: NameKey.super)
    }

    func superDecoder(forKey key: Key) -> any Decoder {
        decoding.super(find(key), key: key)
    }
}
