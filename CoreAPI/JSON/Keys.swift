/// A key that no type declares: a key of a `[String: Value]`, or `super`.
struct NameKey: CodingKey {
    static let `super` = NameKey(stringValue: "super")

    let stringValue: String
    /// A flag, because with the number the key would not fit into an existential without a box.
    private let hasNumber: Bool
    var intValue: Int? { hasNumber ? Int(stringValue) : nil }

    /// - Parameter hasNumber: whether a name that is a number has an ``intValue``, as in the standard library's dictionaries.
    ///   Foundation's coders have such keys only without a key strategy.
    init(_ name: String, hasNumber: Bool) { (stringValue, self.hasNumber) = (name, hasNumber) }
    init(stringValue: String) { self.init(stringValue, hasNumber: false) }
    init?(intValue: Int) { nil }
}

/// An index in an array.
struct ItemKey: CodingKey {
    let index: Int
    var stringValue: String { "Index \(index)" }
    var intValue: Int? { index }
    init(_ index: Int) { self.index = index }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { index = intValue }
}

/// The key of a value in its object.
///
/// Stores the key's raw byte, because most keys are payload-free enums, and builds the existential only when the path is
/// requested. Nested objects take 3 % less time than with the existential itself.
struct MemberKey {
    /// The type of a key of at most one byte.
    private var type: (any CodingKey.Type)?
    private var byte: UInt8 = 0
    /// A larger key. Unused while ``type`` is set.
    private var other: (any CodingKey)?

    /// The key that was set last; `nil` for none.
    var value: (any CodingKey)? { type?.made(of: byte) ?? other }

    @inline(__always)
    mutating func set<Key: CodingKey>(_ key: Key) {
        guard MemoryLayout<Key>.size <= 1 else { return setOther(key) }
        type = Key.self
        // A key of size 0 has no byte; any stored byte will do.
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
    /// A key of one byte holds no reference, so its byte is the whole key.
    fileprivate static func made(of byte: UInt8) -> any CodingKey {
        withUnsafePointer(to: byte) { UnsafeRawPointer($0).load(as: Self.self) }
    }
}
