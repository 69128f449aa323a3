/// The parameters of an endpoint: any `Encodable` value, or a literal.
///
/// ```swift
/// let query: Parameters = ["q": text, "page": page, "sort": sort]  // a nil value is left out
/// let list: Parameters = [3, 5, 8]                                 // a JSON array
/// let order = Parameters(NewOrder(items: items))
/// ```
///
/// The ``InputEncoding`` decides how they are written.
public struct Parameters: Encodable, Sendable, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// The given value, for a custom ``InputEncoding``.
    public let value: any Encodable & Sendable

    /// The parameters of an endpoint that has none; encoded as an empty object.
    public static let absent = Parameters(NoParameters())

    /// Whether the endpoint has no parameters.
    public var isAbsent: Bool { value is NoParameters }

    /// Keeps a value until the endpoint's encoding writes it.
    public init(_ value: some Encodable & Sendable) { self.value = (value as? Parameters)?.value ?? value }

    /// `nil` for a nil value, so that nothing is sent.
    package init?<Value: Encodable & Sendable>(unlessNil value: Value) {
        if Value.self is any ExpressibleByNilLiteral.Type {
            let mirror = Mirror(reflecting: value)
            if mirror.displayStyle == .optional, mirror.children.isEmpty { return nil }
        }
        self.init(value)
    }

    /// Keeps the order of the literal; of equal names the last value wins.
    public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
        value = Fields(elements: elements)
    }

    public init(arrayLiteral elements: (any Encodable & Sendable)?...) { value = Items(elements: elements) }
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

private struct NoParameters: Encodable, Sendable {}

private struct Fields: Encodable, Sendable {
    let elements: [(String, (any Encodable & Sendable)?)]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        for (name, value) in elements {
            if let value { try container.encode(value, forKey: FieldName(name)) }
        }
    }
}

private struct Items: Encodable, Sendable {
    let elements: [(any Encodable & Sendable)?]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for value in elements {
            if let value { try container.encode(value) } else { try container.encodeNil() }
        }
    }
}

extension Parameters: CustomReflectable, CustomStringConvertible {
    /// The type of the value, without the value.
    public var description: String { isAbsent ? "no parameters" : "parameters of \(type(of: value))" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// A coding key made from any text or index.
struct FieldName: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) { (stringValue, intValue) = (name, nil) }
    init(index: Int) { (stringValue, intValue) = (String(index), index) }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(index: intValue) }
}
