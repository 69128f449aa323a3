/// The items of an array, in order.
struct UnkeyedContainer: UnkeyedDecodingContainer {
    private let decoding: Decoding
    private let end: Int
    /// The next item's index in the tape.
    private var index: Int
    private(set) var currentIndex = 0
    private let total: Int

    init(_ decoding: Decoding) {
        let entry = decoding.document.entry(decoding.value)
        (self.decoding, index, end, total) = (decoding, decoding.value + 1, entry.end, entry.count)
    }

    @inline(__always) private var document: Document { decoding.document }
    var codingPath: [any CodingKey] { decoding.codingPath }
    var count: Int? { total }
    var isAtEnd: Bool { currentIndex >= total }

    // MARK: - Steps

    @inline(__always)
    private func next(_ type: Any.Type) throws -> Int {
        guard index < end else { throw atEnd(type) }
        return index
    }

    @inline(never)
    private func atEnd(_ type: Any.Type) -> DecodingError {
        let reason = "expected \(type), found the end of an array of \(total)"
        return .valueNotFound(type, .init(codingPath: codingPath + [ItemKey(currentIndex)], debugDescription: reason))
    }

    @inline(__always)
    private mutating func advance() {
        currentIndex += 1
        if index < end { index = document.index(after: index) }
    }

    /// - Returns: `nil` at the end, and for null, which is skipped.
    @inline(__always)
    private mutating func present() -> Int? {
        guard index < end, !document.entry(index).is(.null) else {
            // Foundation advances beyond the end, too.
            advance()
            return nil
        }
        return index
    }

    // MARK: - Values

    mutating func decodeNil() throws -> Bool {
        guard document.entry(try next(Never.self)).is(.null) else { return false }
        advance()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try child(type, at: next(type)) }

    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        guard let index = present() else { return nil }
        return try child(type, at: index)
    }

    @inline(__always)
    private mutating func child<Value: Decodable>(_ type: Value.Type, at index: Int) throws -> Value {
        let value = try decoding.child(type, at: index) {
            $0.key.remove()
            $0.item = currentIndex
        }
        advance()
        return value
    }

    // MARK: - Scalars

    @inline(__always)
    private mutating func scalar<Value: Scalar>(at index: Int) throws -> Value {
        guard let found = try Value.read(document, index) else {
            throw decoding.mismatch(Value.self, at: index, ItemKey(currentIndex))
        }
        advance()
        return found
    }

    @inline(__always)
    private mutating func scalarIfPresent<Value: Scalar>() throws -> Value? {
        guard let index = present() else { return nil }
        return try scalar(at: index)
    }

    @inline(__always)
    mutating func decode<Value: Scalar>(_ type: Value.Type) throws -> Value { try scalar(at: next(type)) }

    // For the reason in `KeyedContainer`.
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try scalar(at: next(type)) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar(at: next(type)) }
    mutating func decodeIfPresent(_ type: Bool.Type) throws -> Bool? { try scalarIfPresent() }
    mutating func decodeIfPresent(_ type: String.Type) throws -> String? { try scalarIfPresent() }
    mutating func decodeIfPresent(_ type: Double.Type) throws -> Double? { try scalarIfPresent() }
    mutating func decodeIfPresent(_ type: Float.Type) throws -> Float? { try scalarIfPresent() }
    mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? { try scalarIfPresent() }
    mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? { try scalarIfPresent() }
    mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? { try scalarIfPresent() }
    mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? { try scalarIfPresent() }
    mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? { try scalarIfPresent() }
    mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? { try scalarIfPresent() }
    mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? { try scalarIfPresent() }
    mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? { try scalarIfPresent() }
    mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? { try scalarIfPresent() }
    mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? { try scalarIfPresent() }

    // MARK: - Nested containers

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let container = try nested(KeyedDecodingContainer<NestedKey>.self).container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try nested((any UnkeyedDecodingContainer).self).unkeyedContainer()
        advance()
        return container
    }

    private func nested(_ type: Any.Type) throws -> Decoding {
        let nested = decoding.super(try next(type), key: ItemKey(currentIndex))
        nested.isNested = true
        return nested
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = decoding.super(try next((any Decoder).self), key: ItemKey(currentIndex))
        advance()
        return decoder
    }
}
