/// The members of an object, by a type's keys.
struct KeyedContainer<Key: CodingKey>: MadeContainer {
    /// The only field, because the standard library copies the container for every call. A decoder is reused only after its last
    /// reference is gone.
    let decoding: Decoding

    @inline(__always)
    init(_ decoding: Decoding) { self.decoding = decoding }
    @inline(__always) private var document: Document { decoding.document }
    var codingPath: [any CodingKey] { decoding.codingPath }

    var allKeys: [Key] {
        // Without a member index all keys are ASCII, and valid.
        let names = decoding.memberIndex?.names ?? (try? document.names(of: decoding.value)) ?? []
        return names.compactMap { Key(stringValue: $0) }
    }

    // MARK: - Members

    /// - Returns: the value's index, or ``TapeEntry/none``.
    @inline(__always)
    private func find(_ name: String) -> Int {
        if let members = decoding.memberIndex { return members.index(of: name, in: decoding) }
        return document.member(name, of: decoding.value)
    }

    @inline(__always)
    private func require(_ key: Key) throws -> Int {
        let index = find(key.stringValue)
        guard index != TapeEntry.none else { throw missing(key) }
        return index
    }

    @inline(never)
    private func missing(_ key: Key) -> DecodingError {
        let reason = "expected the key '\(key.stringValue)', found no such key"
        return .keyNotFound(key, .init(codingPath: codingPath, debugDescription: reason))
    }

    /// - Returns: `nil` for a missing value and for null.
    @inline(__always)
    private func present(_ key: Key) -> Int? {
        let index = find(key.stringValue)
        // The entry of a missing value is a null.
        return document.entry(index).is(.null) ? nil : index
    }

    func contains(_ key: Key) -> Bool { find(key.stringValue) != TapeEntry.none }
    func decodeNil(forKey key: Key) throws -> Bool { document.entry(try require(key)).is(.null) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoding.child(type, at: try require(key)) { $0.key.set(key) }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let index = present(key) else { return nil }
        return try decoding.child(type, at: index) { $0.key.set(key) }
    }

    // MARK: - Scalars

    @inline(__always)
    private func scalar<Value: Scalar>(_ key: Key, at index: Int) throws -> Value {
        guard let found = try Value.read(document, index) else { throw decoding.mismatch(Value.self, at: index, key) }
        return found
    }

    @inline(__always)
    private func scalarIfPresent<Value: Scalar>(_ key: Key) throws -> Value? {
        guard let index = present(key) else { return nil }
        return try scalar(key, at: index)
    }

    @inline(__always)
    func decode<Value: Scalar>(_ type: Value.Type, forKey key: Key) throws -> Value { try scalar(key, at: require(key)) }

    // A generic method does not replace a default of the standard library. Its defaults look a key up three times.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try scalar(key, at: require(key)) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try scalar(key, at: require(key)) }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try scalarIfPresent(key) }

    // MARK: - Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try nested(key).unkeyedContainer() }

    private func nested(_ key: Key) throws -> Decoding {
        let nested = decoding.super(try require(key), key: key)
        nested.isNested = true
        return nested
    }

    func superDecoder() -> any Decoder { decoding.super(find(NameKey.super.stringValue), key: NameKey.super) }
    func superDecoder(forKey key: Key) -> any Decoder { decoding.super(find(key.stringValue), key: key) }
}
