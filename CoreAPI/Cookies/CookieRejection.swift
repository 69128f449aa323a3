public import Foundation

extension Cookie {
    /// Why a `Set-Cookie` line was rejected (RFC 6265bis §5.6 and §5.7). Never contains the cookie's value.
    public enum Rejection: Error, Hashable, Sendable {
        /// A control character other than a tab, anywhere in the line.
        case controlCharacter(UInt8)
        /// Neither a name nor a value.
        case empty
        /// No name, and a value with `=`: it would be sent as the cookie of another name.
        case namelessPair
        /// Name and value together are longer than `limit` octets.
        case tooLong(octets: Int, limit: Int)
        /// The host that set the cookie does not belong to the domain that it names.
        case foreignDomain(String, host: String)
        /// A domain under which anyone may register a host, such as `co.uk`.
        case publicSuffix(String)
        /// The domain cannot be checked, because there is no list of public suffixes.
        case unknownSuffix(String)
        /// A `Secure` cookie received over http.
        case secureFromInsecureOrigin
        /// A cookie from http that would hide a `Secure` one.
        case overlaysSecure(name: String)
        /// `SameSite=None` without `Secure`.
        case sameSiteNoneWithoutSecure
        /// A name, or the value of a cookie without a name, begins with `__Secure-` or `__Host-`, and the cookie lacks the
        /// required attributes.
        case prefix(String)
    }
}

extension Cookie.Rejection: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .controlCharacter(let byte):
            "expected a Set-Cookie line without control characters, got 0x\(String(byte, radix: 16))"
        case .empty: "expected a cookie with a name or a value, got neither"
        case .namelessPair: "expected a name before '=', got none, and a value that reads like another cookie"
        case .tooLong(let octets, let limit):
            "expected a cookie of at most \(limit) octets, name and value together, got \(octets)"
        case .foreignDomain(let domain, let host): "the host '\(host)' may not set a cookie for the domain '\(domain)'"
        case .publicSuffix(let domain): "a cookie for the public suffix '\(domain)' would go to all hosts below it"
        case .unknownSuffix(let domain):
            "whether '\(domain)' is a public suffix is unknown, because libcurl was built without libpsl; "
                + "only a host's own name is accepted"
        case .secureFromInsecureOrigin: "a Secure cookie was set over http"
        case .overlaysSecure(let name): "the cookie '\(name)', set over http, would hide a Secure cookie"
        case .sameSiteNoneWithoutSecure: "SameSite=None was set without Secure"
        case .prefix(let prefix):
            "the prefix \(prefix) needs a named cookie with " + (prefix == "__Host-" ? "Secure, Path=/ and no Domain" : "Secure")
        }
    }
}
