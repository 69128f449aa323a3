/// The members of an object, by the keys of a type.
struct KeyedContainer<Key: CodingKey>: MadeContainer {
    /// The only field, because the standard library copies the container for every call. The decoder is reused for other values
    /// only when its last reference is gone.
    let decoding: Decoding

    @inline(__always)
    init(prepared decoding: Decoding) {
        self.decoding = decoding
    }

    @inline(__always) var document: Document { decoding.document }

    var codingPath: [any CodingKey] { decoding.codingPath }

    var allKeys: [Key] {
        // Keys of an object without an index are ASCII, and cannot be wrong.
        let names = decoding.index?.names ?? (try? document.names(of: decoding.value)) ?? []
        return names.compactMap { Key(stringValue: $0) }
    }

    /// - Returns: the place of the value, or ``TapeEntry/none``.
    @inline(__always)
    func find(_ key: Key) -> Int {
        find(key.stringValue)
    }

    @inline(__always)
    private func find(_ name: String) -> Int {
        if let index = decoding.index { return index.place(name, of: decoding) }
        return document.member(name, of: decoding.value)
    }

    @inline(__always)
    func require(_ key: Key) throws -> Int {
        let place = find(key)
        guard place != TapeEntry.none else { throw missing(key) }
        return place
    }

    @inline(never)
    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(
            key, .init(codingPath: codingPath, debugDescription: "expected the key '\(key.stringValue)', found none of that name")
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
