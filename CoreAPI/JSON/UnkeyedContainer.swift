/// The items of an array, in order.
struct UnkeyedContainer: UnkeyedDecodingContainer {
    let decoding: Decoding
    private let end: Int
    /// The next item's index in the tape.
    private var index: Int
    private(set) var currentIndex = 0
    private let total: Int

    init(_ decoding: Decoding) {
        self.decoding = decoding
        let entry = decoding.document.entry(decoding.value)
        index = decoding.value + 1
        end = entry.end
        total = entry.count
    }

    @inline(__always) var document: Document { decoding.document }

    var codingPath: [any CodingKey] { decoding.codingPath }
    var count: Int? { total }
    var isAtEnd: Bool { currentIndex >= total }

    // MARK: - Steps

    @inline(__always)
    func next(_ type: Any.Type) throws -> Int {
        guard index < end else { throw atEnd(type) }
        return index
    }

    @inline(never)
    private func atEnd(_ type: Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            .init(
                codingPath: codingPath + [ItemKey(currentIndex)],
                debugDescription: "expected \(type), found the end of an array of \(total)"))
    }

    @inline(__always)
    mutating func advance() {
        currentIndex += 1
        if index < end { index = document.index(after: index) }
    }

    /// - Returns: `nil` at the end, and for null, which is skipped.
    @inline(__always)
    mutating func present() -> Int? {
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

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try document.decode(type, at: try next(type), in: decoding, item: currentIndex)
        advance()
        return value
    }

    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        guard let index = present() else { return nil }
        let value = try document.decode(type, at: index, in: decoding, item: currentIndex)
        advance()
        return value
    }

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
