/// Hides secrets in everything that a person may read: logs, error texts and the `cURL` form go through it, and nothing else does
/// the hiding, so that no path can be forgotten.
///
/// A name is compared without case, `-`, `_` and space. It hides its value when it holds one of the ``standardStems``, as
/// `refresh_token`, `X-Auth-Token` and `secretKey` do, or is one of the ``standardNames``.
public struct Redaction: Sendable, Hashable {
    /// Stands in the place of a secret.
    public static let mask = "<redacted>"

    /// What hides a value when it stands anywhere in its name.
    public static let standardStems = [
        "authorization", "cookie", "token", "apikey", "password", "passwd", "passphrase", "passcode", "secret", "credential",
        "sessionid",
        "signature", "privatekey", "jwt",
    ]

    /// Names that hide their value when they are the whole name; too short to be looked for within others.
    public static let standardNames: Set<String> = [
        "auth", "xauth", "session", "xsession", "sid", "pwd", "pin", "otp", "sig", "cvv", "cvc",
    ]

    private var stems = standardStems
    private var names = standardNames

    /// - Parameter names: further names of headers, query items or JSON keys that hold secrets in this channel.
    public init(_ names: [String] = []) {
        self.names.formUnion(names.map { Self.normalized($0) })
    }

    /// Whether a value under this name is hidden. Of a name with brackets, `user[token]`, every part counts.
    public func hides(_ name: some StringProtocol) -> Bool {
        if name.contains("[") { return name.split { "[]".contains($0) }.contains { hidesPart($0) } }
        return hidesPart(name)
    }

    private func hidesPart(_ name: some StringProtocol) -> Bool {
        let name = Self.normalized(name)
        return names.contains(name) || stems.contains { name.contains($0) }
    }

    /// The value to show under this name.
    public func redact(_ value: String, under name: some StringProtocol) -> String {
        hides(name) ? Self.mask : redact(text: value)
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
        let (name, value) = (PercentEncoding.decode(pair[0]), PercentEncoding.decode(pair[1]))
        return hides(name) || redact(text: value) != value ? "\(pair[0])=\(Self.mask)" : String(item)
    }

    /// Free text, be it JSON, a form, XML, a header line or an error message, with the value after every secret name hidden, the
    /// credentials after `Bearer`, `Basic` and `Digest`, and user information in an address.
    public func redact(text: String) -> String {
        var scanner = SecretScanner(text, redaction: self)
        return scanner.redacted()
    }

    private static func normalized(_ name: some StringProtocol) -> String {
        name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " && $0 != "+" }
    }
}
