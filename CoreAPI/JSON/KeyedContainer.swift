/// The members of an object, by a type's keys.
struct KeyedContainer<Key: CodingKey>: MadeContainer {
    /// The only field, because the standard library copies the container for every call. A decoder is reused only after its last
    /// reference is gone.
    let decoding: Decoding

    @inline(__always)
    init(prepared decoding: Decoding) {
        self.decoding = decoding
    }

    @inline(__always) var document: Document { decoding.document }

    var codingPath: [any CodingKey] { decoding.codingPath }

    var allKeys: [Key] {
        // Without a member index all keys are ASCII, and valid.
        let names = decoding.memberIndex?.names ?? (try? document.names(of: decoding.value)) ?? []
        return names.compactMap { Key(stringValue: $0) }
    }

    /// - Returns: the value's index, or ``TapeEntry/none``.
    @inline(__always)
    func find(_ key: Key) -> Int {
        find(key.stringValue)
    }

    @inline(__always)
    private func find(_ name: String) -> Int {
        if let members = decoding.memberIndex { return members.index(of: name, in: decoding) }
        return document.member(name, of: decoding.value)
    }

    @inline(__always)
    func require(_ key: Key) throws -> Int {
        let index = find(key)
        guard index != TapeEntry.none else { throw missing(key) }
        return index
    }

    @inline(never)
    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(
            key, .init(codingPath: codingPath, debugDescription: "expected the key '\(key.stringValue)', found no such key")
        )
    }

    func contains(_ key: Key) -> Bool {
        find(key) != TapeEntry.none
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        document.entry(try require(key)).is(.null)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try document.decode(type, at: try require(key), in: decoding, key: key)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let index = present(key) else { return nil }
        return try document.decode(type, at: index, in: decoding, key: key)
    }

    /// - Returns: `nil` for a missing value and for null.
    @inline(__always)
    func present(_ key: Key) -> Int? {
        let index = find(key)
        // The entry of a missing value is a null.
        return document.entry(index).is(.null) ? nil : index
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
