internal import HTTPTypes

/// Hides secrets in everything that a person may read: logs, error texts and the `cURL` form go through it, and nothing else does
/// the hiding, so that no path can be forgotten.
///
/// A name is compared without case, `-` and `_`, and matches when it ends in one of the stems: `token` covers `accessToken`,
/// `X-Auth-Token` and `refresh_token`.
public struct Redaction: Sendable, Hashable {
    /// Stands in the place of a secret.
    public static let mask = "<redacted>"

    /// What is hidden everywhere.
    public static let standardStems = [
        "authorization", "cookie", "cookie2", "token", "apikey", "password", "passwd", "passphrase", "secret", "credential",
        "credentials", "sessionid", "signature", "jwt",
    ]

    private var stems: [String]

    /// - Parameter names: further names of headers, query items or JSON keys that hold secrets in this channel.
    public init(_ names: [String] = []) {
        stems = (Self.standardStems + names.map(Self.normalized)).filter { !$0.isEmpty }
    }

    /// Whether a value under this name is hidden.
    public func hides(_ name: some StringProtocol) -> Bool {
        let name = Self.normalized(name)
        return stems.contains { name.hasSuffix($0) }
    }

    /// The value to show under this name.
    public func redact(_ value: String, under name: some StringProtocol) -> String {
        hides(name) ? Self.mask : redact(text: value)
    }

    /// The address with the values of secret query items hidden.
    public func redact(url: HTTPURL) -> String {
        guard let query = url.query else { return url.string }
        var shown = url
        shown.query = query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let pair = item.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, hides(PercentEncoding.decode(pair[0])) else { return String(item) }
            return "\(pair[0])=\(Self.mask)"
        }.joined(separator: "&")
        return shown.string
    }

    /// Free text, be it JSON, a form, a header line or an error message, with the value after every secret name hidden, and the
    /// credentials after `Bearer`, `Basic` and `Digest`.
    public func redact(text: String) -> String {
        var scanner = SecretScanner(text, redaction: self)
        return scanner.redacted()
    }

    private static func normalized(_ name: some StringProtocol) -> String {
        name.lowercased().filter { $0 != "-" && $0 != "_" }
    }
}
