public import CoreAPIHTTP
public import HTTPTypes

/// Header fields of a description: an ordered list of names and values, not yet checked.
///
/// Endpoints, environments and channels describe their headers with it, as a dictionary literal: `["X-Locale": locale]`. A
/// request carries `HTTPFields` instead. Between the two, ``fields()`` checks every name and value. So a CR, LF or NUL is a typed
/// error, where `HTTPField` would silently write a space.
public struct Headers: RequestModifier, Hashable, ExpressibleByDictionaryLiteral {
    /// One name and its value, unchecked.
    public struct Element: Sendable, Hashable {
        /// The field's name.
        public var name: String
        /// The field's value.
        public var value: String
    }

    /// The fields, in the order in which they were added.
    public private(set) var elements: [Element]
    /// Whether the kit adds them by itself; see ``Request/isOwn(_:)``.
    private(set) var isOwn = false

    public init(dictionaryLiteral elements: (String, String)...) {
        self.elements = elements.map { Element(name: $0.0, value: $0.1) }
    }

    /// The headers of a dictionary, sorted by name so that two builds of it are equal.
    public init(_ dictionary: [String: String] = [:]) {
        elements = dictionary.sorted { $0.key < $1.key }.map { Element(name: $0.key, value: $0.value) }
    }

    /// Whether there is no field.
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

    /// The same fields as the kit's own, for a protocol that it speaks by itself: they are no credentials.
    package var own: Headers {
        var copy = self
        copy.isOwn = true
        return copy
    }

    /// The checked fields.
    ///
    /// - Throws: ``RequestError/malformedHeader(name:reason:)`` for a name that is no token (RFC 9110 §5.1) and a value with
    ///   control characters (§5.5), and for more than 65,000 fields.
    public func fields() throws(RequestError) -> HTTPFields {
        if elements.count > HTTPFields.limit { throw .tooManyFields(elements.count, adding: elements[HTTPFields.limit].name) }
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
    /// The largest number of fields taken from outside. `HTTPFields` traps at 65,535; the rest is room for the fields that the
    /// kit and its hooks add.
    package static let limit = 65_000

    /// Sets the lines of `fields`, in order; each name replaces the lines of the same name here.
    ///
    /// - Throws: ``RequestError/malformedHeader(name:reason:)`` for too many of them.
    mutating func set(_ fields: HTTPFields) throws(RequestError) {
        if let last = fields.last, count + fields.count > HTTPFields.limit {
            throw .tooManyFields(count + fields.count, adding: last.name.rawName)
        }
        var seen: Set<HTTPField.Name> = []
        for name in fields.map(\.name) where seen.insert(name).inserted { self[fields: name] = fields[fields: name] }
    }
}

extension RequestError {
    fileprivate static func tooManyFields(_ count: Int, adding name: String) -> RequestError {
        .malformedHeader(
            name: name.escapingControls, reason: "with it the request has \(count) fields; expected at most \(HTTPFields.limit)")
    }
}

extension Request {
    /// Replaces a header after checking name and value.
    ///
    /// - Throws: ``RequestError/malformedHeader(name:reason:)``.
    public mutating func setHeader(_ name: String, _ value: String) throws(RequestError) {
        let field = try HTTPField(checking: name, value: value)
        // `HTTPFields` makes a field of each cookie.
        let added = field.name == .cookie ? field.value.split(separator: "; ", omittingEmptySubsequences: false).count : 1
        let count = headers.count + added
        if count > HTTPFields.limit { throw .tooManyFields(count, adding: name) }
        headers[field.name] = field.value
    }

    /// As ``setHeader(_:_:)``, for a field of the kit's own; see ``isOwn(_:)``.
    package mutating func setOwnHeader(_ name: String, _ value: String) throws(RequestError) {
        try setHeader(name, value)
        modifiers.append(Headers([name: value]).own)
    }

    /// Whether the kit itself has added the lines of a name: `Last-Event-ID`, `Upload-Offset`, an idempotency key. They are no
    /// credentials, so they go wherever the request goes. A value that a caller or a hook has set instead is not the kit's.
    package func isOwn(_ name: HTTPField.Name) -> Bool {
        modifiers.contains { modifier in
            guard let added = modifier as? Headers, added.isOwn, let fields = try? added.fields() else { return false }
            return fields[values: name] == headers[values: name]
        }
    }
}
