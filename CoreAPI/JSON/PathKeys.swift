/// A key that no type has declared: a key of a `[String: Value]`, or `super`.
struct NameKey: CodingKey {
    static let `super` = NameKey(stringValue: "super")

    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}

/// A key of a dictionary; one that is a number says so.
struct DictionaryKey: CodingKey {
    let stringValue: String
    var intValue: Int? { Int(stringValue) }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        stringValue = "\(intValue)"
    }
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
