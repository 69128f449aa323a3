public import CoreAPIHTTP

/// Hides secrets in all text for people: logs, error texts and the `cURL` form. All hiding happens here, so that no path is
/// forgotten.
///
/// A name is split into words, at `-`, `_`, dots, brackets and the humps of camel case, without case. Words such as `token`,
/// `password`, `signature` and a `key` not known to be harmless hide the value. Names of paging and counting (`nextPageToken`,
/// `max_tokens`), rules about secrets (`passwordPolicy`) and CORS fields show it. OAuth's `code` and `state`, and `appid`, are
/// hidden in queries and forms only, and `number` is hidden if an outer key names a card or an account.
///
/// Private keys, JSON Web Tokens, `Bearer`, `Basic` and `Digest` credentials, bank accounts (IBAN) and the user information of an
/// address are hidden under every name. Sentences such as "Basic authentication is required" are shown.
public struct Redaction: Sendable, Hashable {
    /// The text in place of a secret.
    public static let mask = redactedMask

    private var hidden: Set<[UInt8]>
    private var shown: Set<[UInt8]>
    /// Secrets that are hidden wherever they occur, because a request carries them and a server may repeat them.
    private var values: Set<String> = []

    /// Names are those of headers, query items, form fields, JSON keys or XML elements. Case, `-`, `_` and space make no
    /// difference.
    ///
    /// - Parameters:
    ///   - names: further names of secrets in this channel, whatever the standard rules say. Default none.
    ///   - harmless: names of harmless values in this channel that the standard rules would hide. Default none. A name in both
    ///     lists is hidden.
    public init(_ names: [String] = [], showing harmless: [String] = []) {
        hidden = Set(names.map { Self.normalized($0) })
        shown = Set(harmless.map { Self.normalized($0) })
    }

    /// Shows the values under these names, also where this redaction hides them.
    package func showing(_ names: some Sequence<String>) -> Redaction {
        var copy = self
        let names = names.map { Self.normalized($0) }
        copy.shown.formUnion(names)
        copy.hidden.subtract(names)
        return copy
    }

    /// Hides values in addition, wherever they occur. Ignores values so short that they occur by chance.
    package func hiding(values more: [String]) -> Redaction {
        guard !more.isEmpty else { return self }
        var copy = self
        copy.values.formUnion(more.filter { $0.utf8.count >= 6 })
        return copy
    }

    /// Whether a value under this name is hidden. For a name with brackets, `user[token]`, every part is checked.
    public func hides(_ name: some StringProtocol) -> Bool { hides(name, inForm: false) }

    /// - Parameter inForm: whether the name belongs to a query or a form.
    package func hides(_ name: some StringProtocol, inForm: Bool) -> Bool {
        guard name.utf8.contains(UInt8(ascii: "[")) else { return hidesPart(name, inForm: inForm) }
        return hidesPart(name, inForm: inForm) || name.split { "[]".contains($0) }.contains { hidesPart($0, inForm: false) }
    }

    private func hidesPart(_ name: some StringProtocol, inForm: Bool) -> Bool {
        if !hidden.isEmpty || !shown.isEmpty {
            let name = Self.normalized(name)
            if hidden.contains(name) { return true }
            if shown.contains(name) { return false }
        }
        return SecretNames.hide(name, inForm: inForm)
    }

    /// Whether the value at a path of keys is hidden: below a secret, or the number of a card or an account.
    package func hides(path: some Sequence<String>) -> Bool {
        var isBelowCard = false
        for name in path {
            if hides(name) || isBelowCard && SecretNames.isNumber(name) { return true }
            isBelowCard = isBelowCard || SecretNames.isCard(name)
        }
        return false
    }

    /// The value to show under this name.
    public func redact(_ value: String, under name: some StringProtocol) -> String {
        hides(name) ? Self.mask : redact(text: value)
    }

    /// The value to show under this name of a query or a form.
    package func redact(_ value: String, inFormUnder name: String) -> String {
        hides(name, inForm: true) ? Self.mask : redact(text: value)
    }

    /// The address with the values of secret query items hidden, also of items that contain secrets once they are decoded.
    public func redact(url: HTTPURL) -> String {
        var shown = url
        shown.path = redact(text: url.path)
        shown.query = url.query.map { query in
            query.split(separator: "&", omittingEmptySubsequences: false).map { redact(queryItem: $0) }.joined(separator: "&")
        }
        return shown.string
    }

    /// The base URL of an environment, also one that no request can have, such as one with a password.
    package func redact(base: String) -> String { (try? HTTPURL(base)).map(redact(url:)) ?? redact(text: base) }

    private func redact(queryItem item: Substring) -> String {
        let pair = item.split(separator: "=", maxSplits: 1)
        guard pair.count == 2 else { return String(item) }
        let (name, value) = (PercentEncoding.decode(pair[0]), Self.decoded(pair[1]))
        return hides(name, inForm: true) || redact(text: value) != value ? "\(pair[0])=\(Self.mask)" : String(item)
    }

    /// A form's value, decoded repeatedly, because addresses within addresses have several layers of percent-encoding.
    static func decoded(_ value: some StringProtocol) -> String {
        PercentEncoding.decode(PercentEncoding.decode(PercentEncoding.decode(String(value).replacing("+", with: " "))))
    }

    /// Hides secrets in free text: JSON, a form, XML, a header line or an error message. It hides the value after every secret
    /// name, and values that look like secrets: credentials after `Bearer`, `Basic` and `Digest`, JSON Web Tokens, private keys,
    /// bank accounts and user information in an address. Its time grows linearly with the text.
    public func redact(text: String) -> String { redact(text: text, isCard: false) }

    /// - Parameter isCard: whether the text is a part of a payment card or a bank account.
    package func redact(text: String, isCard: Bool) -> String {
        let text = values.reduce(text) { $0.replacingSpellings(of: $1, with: Self.mask) }
        var scanner = SecretScanner(text, redaction: self, isCard: isCard)
        return scanner.redacted()
    }

    /// Without case, and without the other differences that do not matter between names.
    package static func normalized(_ name: some StringProtocol) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count)
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "), UInt8(ascii: "+"): continue
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
            // Beyond ASCII, Unicode decides: some letters there become ASCII in lower case.
            case 0x80...: return name.lowercased().utf8.filter { !"-_ +".utf8.contains($0) }
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}

extension Redaction: CustomStringConvertible, CustomReflectable {
    /// How many names it has besides the standard ones. A name may tell what is secret.
    public var description: String { "redaction, \(hidden.count) names more hidden, \(shown.count) shown" }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
