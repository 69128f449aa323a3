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

    // In UTF-8, because every word of every text is looked up.
    private static let stems = standardStems.map { Array($0.utf8) }
    private static let wholeNames = Set(standardNames.map { Array($0.utf8) })
    private var names = wholeNames

    /// - Parameter names: further names of headers, query items or JSON keys that hold secrets in this channel.
    public init(_ names: [String] = []) {
        self.names.formUnion(names.map { Self.normalized($0) })
    }

    /// Whether a value under this name is hidden. Of a name with brackets, `user[token]`, every part counts.
    public func hides(_ name: some StringProtocol) -> Bool {
        if name.utf8.contains(UInt8(ascii: "[")) { return name.split { "[]".contains($0) }.contains { hidesPart($0) } }
        return hidesPart(name)
    }

    private func hidesPart(_ name: some StringProtocol) -> Bool {
        let name = Self.normalized(name)
        return names.contains(name) || Self.stems.contains { name.holds($0) }
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

    /// Without case, and what else makes no difference between names.
    static func normalized(_ name: some StringProtocol) -> [UInt8] {
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

extension [UInt8] {
    /// Whether other bytes stand somewhere in these.
    fileprivate func holds(_ wanted: [UInt8]) -> Bool {
        guard count >= wanted.count else { return false }
        return (0...(count - wanted.count)).contains { start in
            var index = 0
            while index < wanted.count, self[start + index] == wanted[index] { index += 1 }
            return index == wanted.count
        }
    }
}
