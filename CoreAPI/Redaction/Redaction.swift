public import CoreAPIHTTP
internal import CoreAPIJSON
package import Foundation

/// Hides secrets in all text for people: logs, error texts and the `cURL` form. All hiding happens here, so that no path is
/// forgotten.
///
/// A name is split into words, at `-`, `_`, dots, brackets and the humps of camel case, without case. Words such as `token`,
/// `password`, `signature` and a `key` not known to be harmless hide the value. Names of paging and counting (`nextPageToken`,
/// `max_tokens`), rules about secrets (`passwordPolicy`) and CORS fields show it. OAuth's `code` and `state`, and `appid`, are
/// hidden in queries and forms only, and `number` is hidden if an outer key names a card or an account.
///
/// JSON, queries and forms are read, and their secret members hidden. Any other body is not shown; its size and media type stand
/// for it. In a sentence, all text after a secret's name is hidden, together with the JSON or XML around the name.
///
/// Private keys, JSON Web Tokens, `Bearer`, `Basic` and `Digest` credentials, bank accounts (IBAN) and the user information of an
/// address are hidden under every name. Sentences such as "Basic authentication is required" are shown.
public struct Redaction: Sendable, Hashable {
    /// The text in place of a secret.
    public static let mask = redactedMask
    /// Larger bodies are not read, and so not shown.
    package static let largestBody = 1 << 20

    private var hidden: Set<[UInt8]>
    private var shown: Set<[UInt8]>
    /// Secrets that are hidden wherever they occur, because a request carries them and a server may repeat them.
    private var values: Set<String> = []

    /// Names are those of headers, query items, form fields, JSON keys or XML elements. Case, `-`, `_` and space make no
    /// difference. A name in both lists is hidden.
    ///
    /// - Parameters:
    ///   - names: further names of secrets in this channel, whatever the standard rules say. Default none.
    ///   - harmless: names of harmless values in this channel that the standard rules would hide. Default none.
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

    /// Without case, and without the other differences that do not matter between names.
    package static func normalized(_ name: some StringProtocol) -> [UInt8] {
        name.lowercased().utf8.filter { !"-_ +".utf8.contains($0) }
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
        shown.query = url.query.map(redact(items:))
        return shown.string
    }

    /// The base URL of an environment, also one that no request can have, such as one with a password.
    package func redact(base: String) -> String {
        (try? HTTPURL(base)).map(redact(url:)) ?? redact(text: base.hidingUser(by: Self.mask))
    }

    /// A query or a form.
    private func redact(items: String) -> String {
        items.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let pair = item.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { return redact(sentence: String(item)) }
            let (name, value) = (PercentEncoding.decode(pair[0]), Self.decoded(pair[1]))
            let isSecret = hides(name, inForm: true) || redact(sentence: value) != value
            return isSecret ? "\(pair[0])=\(Self.mask)" : String(item)
        }.joined(separator: "&")
    }

    /// A form's value, decoded repeatedly, because addresses within addresses have several layers of percent-encoding.
    static func decoded(_ value: some StringProtocol) -> String {
        PercentEncoding.decode(PercentEncoding.decode(PercentEncoding.decode(String(value).replacing("+", with: " "))))
    }

    /// JSON or a form with its secrets hidden. For any other body, and for one over 1 MiB, its size and media type. Beyond
    /// `limit` bytes nothing more need be written.
    package func redact(body: Data, type: MediaType?, upTo limit: Int = .max) -> String {
        if body.count <= Self.largestBody {
            if let json = json(body, upTo: limit) { return json }
            if type?.essence == "application/x-www-form-urlencoded", body.allSatisfy(\.isFormOctet) {
                return redact(items: hidingValues(String(decoding: body, as: UTF8.self)))
            }
        }
        return Self.summary(of: body, type: type)
    }

    /// `<312 bytes of text/plain>`, for a body that is not shown.
    package static func summary(of body: Data, type: MediaType?) -> String {
        "<\(body.count) bytes\(type.map { " of \($0.essence.shortened())" } ?? "")>"
    }

    /// Hides secrets in any text. JSON is read and written anew. In another text it hides the value of a secret item,
    /// `token=abc`, and all text after any other name of a secret. It also hides values that look like secrets: credentials after
    /// `Bearer`, `Basic` and `Digest`, JSON Web Tokens, private keys, bank accounts and user information in an address. Its time
    /// grows linearly with the text.
    public func redact(text: String) -> String {
        if let first = text.utf8.first(where: { $0 > 0x20 }), first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let json = json(Data(text.utf8))
        {
            return json
        }
        return redact(sentence: text)
    }

    /// As ``redact(text:)``, also for JSON, which may be nested in JSON as often as a server likes.
    func redact(sentence: String) -> String {
        var scanner = SecretScanner(hidingValues(sentence), redaction: self)
        return scanner.redacted()
    }

    /// An object or an array; `nil` for any other text.
    private func json(_ text: Data, upTo limit: Int = .max) -> String? {
        guard let root = try? JSONNode.root(of: text), root.isObjectOrArray else { return nil }
        var json = RedactedJSON(self, upTo: limit)
        return (try? json.write(root)).map { json.text }
    }

    /// A text without the request's own secrets.
    package func hidingValues(_ text: String) -> String { values.reduce(text) { $0.replacingSpellings(of: $1, with: Self.mask) } }
}

extension UInt8 {
    /// What a form may have: the rest of ASCII is percent-encoded.
    fileprivate var isFormOctet: Bool { (0x21...0x7E).contains(self) && !"\"<>\\^`{|}".utf8.contains(self) }
}

extension Redaction: CustomStringConvertible, CustomReflectable {
    /// How many names it has besides the standard ones. A name may tell what is secret.
    public var description: String { "redaction, \(hidden.count) names more hidden, \(shown.count) shown" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
