internal import CoreAPIBase
public import CoreAPIHTTPSupport

/// Hides secrets in everything that a person may read: logs, error texts and the `cURL` form go through it, and nothing else does
/// the hiding, so that no path can be forgotten.
///
/// A name is taken apart into words, at `-`, `_`, dots, brackets and the humps of camel case, without case. Words such as
/// `token`, `password`, `signature` and a `key` that is not known to be harmless hide the value. Paging and counting
/// (`nextPageToken`, `max_tokens`), rules about secrets (`passwordPolicy`) and CORS fields show it. OAuth's `code` and `state`
/// are hidden in queries and forms only, and the number of a payment card is hidden below the card. Private keys, JSON Web
/// Tokens, `Bearer` and `Basic` credentials and the user information of an address are hidden under every name.
public struct Redaction: Sendable, Hashable {
    /// Stands in the place of a secret.
    public static let mask = redactedMask

    private var hidden: Set<[UInt8]>
    private var shown: Set<[UInt8]>

    /// Names are those of headers, query items, form fields, JSON keys or XML elements. Case, `-`, `_` and space make no
    /// difference.
    ///
    /// - Parameters:
    ///   - names: hold secrets in this channel, whatever the standard rules say. Default none.
    ///   - harmless: hold no secrets in this channel, although the standard rules hide them. Default none. A name in both lists
    ///     is hidden.
    public init(_ names: [String] = [], showing harmless: [String] = []) {
        hidden = Set(names.map { Self.normalized($0) })
        shown = Set(harmless.map { Self.normalized($0) })
    }

    /// Whether a value under this name is hidden. Of a name with brackets, `user[token]`, every part counts.
    public func hides(_ name: some StringProtocol) -> Bool { hides(name, inForm: false) }

    /// - Parameter inForm: whether the name stands in a query or a form.
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

    /// Whether what a path of keys leads to is hidden: below a secret, or the number of a card.
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

    /// The address with the values of secret query items hidden, and of those that hold secrets once they are decoded.
    public func redact(url: HTTPURL) -> String {
        var shown = url
        shown.path = redact(text: url.path)
        shown.query = url.query.map { query in
            query.split(separator: "&", omittingEmptySubsequences: false).map { redact(queryItem: $0) }.joined(separator: "&")
        }
        return shown.string
    }

    private func redact(queryItem item: Substring) -> String {
        let pair = item.split(separator: "=", maxSplits: 1)
        guard pair.count == 2 else { return String(item) }
        let (name, value) = (PercentEncoding.decode(pair[0]), Self.decoded(pair[1]))
        return hides(name, inForm: true) || redact(text: value) != value ? "\(pair[0])=\(Self.mask)" : String(item)
    }

    /// A form's value without its percent-encoding, which addresses within addresses have several layers of.
    static func decoded(_ value: some StringProtocol) -> String {
        PercentEncoding.decode(PercentEncoding.decode(PercentEncoding.decode(String(value).replacing("+", with: " "))))
    }

    /// Free text, be it JSON, a form, XML, a header line or an error message, with the value after every secret name hidden,
    /// and values that are secrets by their form: credentials after `Bearer`, `Basic` and `Digest`, JSON Web Tokens, private
    /// keys, and user information in an address. Takes a time that grows with the text's length.
    public func redact(text: String) -> String { redact(text: text, isCard: false) }

    /// - Parameter isCard: whether the text is a part of a payment card.
    package func redact(text: String, isCard: Bool) -> String {
        var scanner = SecretScanner(text, redaction: self, isCard: isCard)
        return scanner.redacted()
    }

    /// Without case, and what else makes no difference between names.
    package static func normalized(_ name: some StringProtocol) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count)
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "), UInt8(ascii: "+"): continue
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
            // Beyond ASCII only Unicode knows, and it knows letters there that are ASCII in lower case.
            case 0x80...: return name.lowercased().utf8.filter { !"-_ +".utf8.contains($0) }
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
