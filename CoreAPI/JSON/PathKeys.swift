/// A key that no type declares: a key of a `[String: Value]`, or `super`.
struct NameKey: CodingKey {
    static let `super` = NameKey(stringValue: "super")

    let stringValue: String
    /// A flag, because with the number the key would not fit into an existential without a box.
    private let hasNumber: Bool
    var intValue: Int? { hasNumber ? Int(stringValue) : nil }

    /// - Parameter hasNumber: whether a name that is a number has an ``intValue``, as in the standard library's dictionaries.
    ///   Foundation's coders have such keys only without a key strategy.
    init(_ name: String, hasNumber: Bool) {
        stringValue = name
        self.hasNumber = hasNumber
    }

    init(stringValue: String) {
        self.init(stringValue, hasNumber: false)
    }

    init?(intValue: Int) { nil }
}

/// An index in an array.
struct ItemKey: CodingKey {
    let index: Int

    init(_ index: Int) {
        self.index = index
    }

    var stringValue: String { "Index \(index)" }
    var intValue: Int? { index }

    init?(stringValue: String) { nil }

    init?(intValue: Int) {
        index = intValue
    }
}
