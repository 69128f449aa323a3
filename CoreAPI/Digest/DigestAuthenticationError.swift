#if Signing
public import CoreAPICore
public import Foundation

/// Why a Digest challenge was not answered. Says nothing of the password.
public enum DigestAuthenticationError: Error, Hashable, Sendable {
    /// The header is no list of challenges.
    case malformedChallenge(AuthenticationChallenge.Malformed)
    /// A challenge lacks what RFC 7616 §3.3 requires.
    case missingParameter(String)
    /// None of the algorithms that the server offers is among those that are spoken: `SHA-256` and `MD5`.
    case unsupportedAlgorithm([String])
    /// The server does not offer `auth`: it wants the body protected (`auth-int`), or it is of before 1999 and offers nothing
    /// (`nil`). The latter is answered where `allowsLegacyChallenges` is set.
    case unsupportedProtection(String?)
    /// A user name may hold no control characters.
    case unsafeUsername
}

extension DigestAuthenticationError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .malformedChallenge(let malformed): malformed.localizedDescription
        case .missingParameter(let name): "expected a challenge of Digest: with a '\(name)', got one without (RFC 7616 §3.3)"
        case .unsupportedAlgorithm(let names):
            "expected a challenge of Digest: for SHA-256 or MD5, got one for \(names.joined(separator: ", "))"
        case .unsupportedProtection(nil):
            "expected a challenge of Digest: with qop=\"auth\", got one without qop; `allowsLegacyChallenges: true` answers it"
        case .unsupportedProtection(let qop?): "expected a challenge of Digest: with qop=\"auth\", got '\(qop)'"
        case .unsafeUsername: "expected a user name without control characters, got one with them"
        }
    }
}
#endif
