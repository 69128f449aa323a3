public import CoreAPIHTTPSupport
public import HTTPTypes

/// Header fields of a description: an ordered list of names and values, not yet checked.
///
/// Endpoints, environments and channels describe their headers with it, as a dictionary literal: `["X-Locale": locale]`. A
/// request carries `HTTPFields` instead. Between the two, ``fields()`` checks every name and value. So a CR, LF or NUL is a typed
/// error, where `HTTPField` would silently write a space.
public struct Headers: RequestModifier, Hashable, ExpressibleByDictionaryLiteral {
    /// One name and its value, unchecked.
    public struct Element: Sendable, Hashable {
        public var name: String
        public var value: String
    }

    public private(set) var elements: [Element]

    public init(dictionaryLiteral elements: (String, String)...) {
        self.elements = elements.map { Element(name: $0.0, value: $0.1) }
    }

    /// The headers of a dictionary, sorted by name so that two builds of it are equal.
    public init(_ dictionary: [String: String] = [:]) {
        elements = dictionary.sorted { $0.key < $1.key }.map { Element(name: $0.key, value: $0.value) }
    }

    public var isEmpty: Bool { elements.isEmpty }

    /// The first value under a name, whatever its case; setting replaces all of them, `nil` removes them.
    public subscript(name: String) -> String? {
        get { elements.first { $0.name.lowercased() == name.lowercased() }?.value }
        set {
            elements.removeAll { $0.name.lowercased() == name.lowercased() }
            if let newValue { elements.append(Element(name: name, value: newValue)) }
        }
    }

    /// These lines and the other's; a name of the other replaces the same name here.
    public func merging(_ other: Headers) -> Headers {
        let names = Set(other.elements.map { $0.name.lowercased() })
        var merged = Headers()
        merged.elements = elements.filter { !names.contains($0.name.lowercased()) } + other.elements
        return merged
    }

    /// Adds a line; existing lines of the name stay, as `Set-Cookie` needs it.
    public mutating func append(_ name: String, _ value: String) {
        elements.append(Element(name: name, value: value))
    }

    /// The checked fields.
    ///
    /// - Throws: ``RequestError/malformedHeader(name:reason:)`` for a name that is no token (RFC 9110 §5.1) and a value with
    ///   control characters (§5.5).
    public func fields() throws(RequestError) -> HTTPFields {
        var fields = HTTPFields()
        for element in elements { fields.append(try HTTPField(checking: element.name, value: element.value)) }
        return fields
    }
}

extension HTTPField {
    /// A field whose name and value are checked instead of made legal.
    ///
    /// - Throws: ``RequestError/malformedHeader(name:reason:)``.
    public init(checking name: String, value: String) throws(RequestError) {
        guard let fieldName = Name(name) else {
            throw .malformedHeader(
                name: name.escapingControls,
                reason: "expected a token, that is letters, digits and !#$%&'*+-.^_`|~ (RFC 9110 §5.1)")
        }
        if let bad = value.firstForbiddenControl {
            throw .malformedHeader(name: name, reason: "the value holds \(bad), which would end the header early (RFC 9110 §5.5)")
        }
        self.init(name: fieldName, value: value.trimmingHTTPWhitespace())
    }
}

extension HTTPFields {
    /// Sets the lines of `fields`; each name replaces the lines of the same name here.
    mutating func set(_ fields: HTTPFields) {
        for name in Set(fields.map(\.name)) { self[fields: name] = fields[fields: name] }
    }
}
