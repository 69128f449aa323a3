/// A key that no type has declared: a key of a `[String: Value]`, or `super`.
struct NameKey: CodingKey {
    static let `super` = NameKey(stringValue: "super")

    let stringValue: String
    /// Not the number itself: an existential has no room for it.
    private let tellsNumber: Bool
    var intValue: Int? { tellsNumber ? Int(stringValue) : nil }

    /// - Parameter tellsNumber: whether a number says so, as in the standard library's dictionaries. Foundation asks these with
    ///   default keys only.
    init(_ name: String, tellsNumber: Bool) {
        stringValue = name
        self.tellsNumber = tellsNumber
    }

    init(stringValue: String) {
        self.init(stringValue, tellsNumber: false)
    }

    init?(intValue: Int) { nil }
}

/// A place in an array.
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
