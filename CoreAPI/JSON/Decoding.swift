/// One value while it is decoded, and how it was reached: what types are given as their decoder.
///
/// What every member touches is not checked for exclusive access: nested objects are 5.3 times as fast as Foundation's decoder
/// so, and 5.0 times with the check.
final class Decoding {
    let document: Document
    /// Where the value lies in the index.
    @exclusivity(unchecked) var value: Int
    /// The value that this one is a member or an item of, and by which key or at which place; no key with a negative place is the
    /// root.
    @exclusivity(unchecked) var parent: Decoding?
    @exclusivity(unchecked) var key = MemberKey()
    @exclusivity(unchecked) var item = -1
    /// Whether this stands for a nested container, which no type is decoded from by itself.
    @exclusivity(unchecked) var isNested = false
    /// For an object whose keys cannot be compared byte by byte, once it has been asked for members.
    @exclusivity(unchecked) var index: MemberIndex?

    init(_ document: Document, _ value: Int, parent: Decoding?) {
        self.document = document
        self.value = value
        self.parent = parent
    }

    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var step: Decoding? = self
        while let current = step {
            if let key = current.key.value {
                path.append(key)
            } else if current.item >= 0 {
                path.append(ItemKey(current.item))
            }
            step = current.parent
        }
        return path.reversed()
    }

    /// The path of the type that is being decoded, which Foundation gives for a date in an unknown form.
    var typePath: [any CodingKey] {
        var step = self
        while step.isNested, let parent = step.parent { step = parent }
        return step.codingPath
    }

    /// A decoder of its own, which may be kept.
    func `super`(_ value: Int, key: any CodingKey) -> Decoding {
        let decoding = Decoding(document, value, parent: self)
        decoding.key.setOther(key)
        return decoding
    }
}

extension Decoding: Decoder {
    var userInfo: [CodingUserInfoKey: Any] { document.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard document.entry(value).is(.object) else { throw noContainer([String: Any].self) }
        try prepareMembers()
        return ContainerMakers.container(self)
    }

    /// - Throws: ``JSONSyntaxError`` for a key that is no string of Unicode.
    @inline(__always)
    private func prepareMembers() throws {
        guard document.entry(value).has(TapeEntry.irregular) || !document.hasDefaultKeys, index == nil else { return }
        index = try MemberIndex.of(self)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard document.entry(value).is(.array) else { throw noContainer([Any].self) }
        return UnkeyedContainer(self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private func noContainer(_ type: Any.Type) -> DecodingError {
        mismatch(type, at: value, codingPath)
    }
}

extension Decoding {
    /// Another kind of value than was asked for, or null.
    func mismatch(_ type: Any.Type, at place: Int, _ path: [any CodingKey]) -> DecodingError {
        let entry = document.entry(place)
        // Foundation makes no difference for truth values.
        guard !entry.is(.null) || type == Bool.self else {
            return .valueNotFound(type, .init(codingPath: path, debugDescription: "expected \(Self.name(type)), found null"))
        }
        // A string's text lies behind its quote.
        let place = entry.isCollection ? "" : ", at byte \(entry.is(.string) ? entry.offset - 1 : entry.offset)"
        return .typeMismatch(
            type, .init(codingPath: path, debugDescription: "expected \(Self.name(type)), found \(entry.kind.name)\(place)"))
    }

    private static func name(_ type: Any.Type) -> String {
        if type == [String: Any].self { return "an object" }
        return type == [Any].self ? "an array" : "\(type)"
    }

    /// The same for a member or an item of this value.
    @inline(never)
    func mismatch(_ type: Any.Type, at place: Int, _ key: some CodingKey) -> DecodingError {
        mismatch(type, at: place, codingPath + [key])
    }
}
