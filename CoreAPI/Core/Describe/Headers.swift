public import CoreAPIHTTP
internal import Foundation
public import HTTPTypes

/// Header fields of a description: an ordered list of names and values, not yet checked.
///
/// Endpoints, environments and channels describe their headers with it, as a dictionary literal: `["X-Locale": locale]`. A
/// request carries `HTTPFields` instead. Between the two, ``fields()`` checks every name and value: a CR, LF or NUL is a typed
/// error, where `HTTPField` would silently write a space.
public struct Headers: RequestModifier, Hashable, ExpressibleByDictionaryLiteral {
    /// One field, unchecked.
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

    func subtracting(_ other: Headers) -> Headers {
        var rest = self
        rest.elements.removeAll { other.elements.contains($0) }
        return rest
    }

    /// Adds a line; existing lines of the name stay, as `Set-Cookie` needs it.
    public mutating func append(_ name: String, _ value: String) { elements.append(Element(name: name, value: value)) }

    /// The same fields as the kit's own, for a protocol that it speaks by itself: they are no credentials.
    package var own: Headers {
        var copy = self
        copy.isOwn = true
        return copy
    }

    /// The checked fields. Throws ``RequestError/malformedHeader(name:reason:)`` for a name that is no token (RFC 9110 §5.1), a
    /// value with control characters (§5.5), and more than 65,000 fields.
    public func fields() throws(RequestError) -> HTTPFields {
        if elements.count > HTTPFields.limit { throw .tooManyFields(elements.count, adding: elements[HTTPFields.limit].name) }
        var fields = HTTPFields()
        for element in elements { fields.append(try HTTPField(checking: element.name, value: element.value)) }
        return fields
    }
}

extension HTTPField {
    /// A field whose name and value are checked instead of made legal. Throws ``RequestError/malformedHeader(name:reason:)``.
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
    /// The largest number of fields taken from outside. `HTTPFields` traps at 65,535; the kit and hooks add some.
    package static let limit = 65_000

    /// Sets the lines of `fields`, in order; each name replaces the lines of the same name here. Throws if they are too many.
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
    /// Replaces a header after checking name and value. Throws ``RequestError/malformedHeader(name:reason:)``.
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

// The headers that calls set most often, by the names of RFC 9110. A team's own header is a function like these.

extension Header {
    /// Media types that the response may have (RFC 9110 §12.5.1).
    public static func accept(_ types: String...) -> Header { list("Accept", types) }
    /// Codings that the response may have (§12.5.3). The caller then gets the bytes as received, still encoded.
    public static func acceptEncoding(_ codings: String...) -> Header { list("Accept-Encoding", codings) }
    /// Languages in the order of preference (§12.5.4).
    public static func acceptLanguage(_ languages: String...) -> Header { list("Accept-Language", languages) }
    /// Charsets that the response may have (§12.5.2).
    public static func acceptCharset(_ charsets: String...) -> Header { list("Accept-Charset", charsets) }
    /// `Charset`, not standard, but expected by some servers. The charset of a body belongs into ``contentType(_:charset:)``.
    public static func charset(_ name: String) -> Header { Header("Charset", name) }
    /// Credentials of any scheme (§11.6.2).
    public static func authorization(_ credentials: Authorization) -> Header { Header("Authorization", credentials.value) }
    /// Request directives for caches (RFC 9111 §5.2.1).
    public static func cacheControl(_ directives: String...) -> Header { list("Cache-Control", directives) }
    /// The body's media type (§8.3).
    public static func contentType(_ type: String, charset: String? = nil) -> Header {
        Header("Content-Type", charset.map { "\(type); charset=\($0)" } ?? type)
    }
    /// Only if the stored representation is one of these (§13.1.1).
    public static func ifMatch(_ tags: String...) -> Header { list("If-Match", tags) }
    /// Only if the stored representation differs from all of these (§13.1.2).
    public static func ifNoneMatch(_ tags: String...) -> Header { list("If-None-Match", tags) }
    /// The origin that caused the request (RFC 6454 §7).
    public static func origin(_ origin: String) -> Header { Header("Origin", origin) }
    /// The page that linked to the address (§10.1.3).
    public static func referer(_ address: String) -> Header { Header("Referer", address) }
    /// Replaces the kit's own (§10.1.5).
    public static func userAgent(_ product: String) -> Header { Header("User-Agent", product) }
    private static func list(_ name: String, _ values: [String]) -> Header { Header(name, values.joined(separator: ", ")) }
}

/// The value of an `Authorization` header.
public struct Authorization: Sendable, Hashable {
    let value: String
    /// A custom scheme: `.custom("Token abc")`.
    public static func custom(_ value: String) -> Authorization { Authorization(value: value) }
    /// RFC 6750.
    public static func bearer(_ token: String) -> Authorization { Authorization(value: "Bearer \(token)") }
    /// RFC 7617, in UTF-8. Throws ``RequestError/malformedHeader(name:reason:)`` for a user name with a colon.
    public static func basic(user: String, password: String) throws(RequestError) -> Authorization {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw .malformedHeader(
                name: "Authorization", reason: "the user name of Basic credentials may hold no colon (RFC 7617 §2)")
        }
        return Authorization(value: "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())")
    }
}
