/// The key that a value has in its object.
///
/// Stores the key's raw byte, because most keys are payload-free enums, and builds the existential only when the path is
/// requested. Nested objects take 3 % less time than with the existential itself.
struct MemberKey {
    /// Of a key of one byte at most.
    private var type: (any CodingKey.Type)?
    private var byte: UInt8 = 0
    /// A larger one, or what is left of it while ``type`` is set.
    private var other: (any CodingKey)?

    /// What was set last; `nil` for none.
    var value: (any CodingKey)? { type?.made(of: byte) ?? other }

    @inline(__always)
    mutating func set<Key: CodingKey>(_ key: Key) {
        guard MemoryLayout<Key>.size <= 1 else { return setOther(key) }
        type = Key.self
        // Of a key without a byte anything may be read that is there.
        if MemoryLayout<Key>.size == 1 { byte = withUnsafePointer(to: key) { UnsafeRawPointer($0).load(as: UInt8.self) } }
    }

    @inline(never)
    mutating func setOther(_ key: any CodingKey) {
        type = nil
        other = key
    }

    @inline(__always)
    mutating func remove() {
        type = nil
        if other != nil { other = nil }
    }
}

extension CodingKey {
    /// One-byte keys need no reference counting; equal bytes mean equal keys.
    fileprivate static func made(of byte: UInt8) -> any CodingKey {
        withUnsafePointer(to: byte) { UnsafeRawPointer($0).load(as: Self.self) }
    }
}
