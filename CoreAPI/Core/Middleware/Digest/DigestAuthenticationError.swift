public import CoreAPIHTTP
public import Foundation

extension DigestAuthentication {
    /// Why a Digest challenge was not answered. Never contains the password.
    public enum Failure: Error, Hashable, Sendable {
        /// The header is not a list of challenges.
        case malformedChallenge(AuthenticationChallenge.Malformed)
        /// A challenge lacks what RFC 7616 §3.3 requires.
        case missingParameter(String)
        /// The server offers none of the supported algorithms: `SHA-256` and `MD5`.
        case unsupportedAlgorithm([String])
        /// The server does not offer `auth`. It requires a protected body (`auth-int`), or it predates 1999 and offers no
        /// protection (`nil`, or empty). The latter is answered if `allowsLegacyChallenges` is set.
        case unsupportedProtection(String?)
        /// A user name must not contain control characters.
        case unsafeUsername
    }
}

extension DigestAuthentication.Failure: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .malformedChallenge(let malformed): malformed.readableDescription
        case .missingParameter(let name): "expected a challenge of Digest: with a '\(name)', got one without (RFC 7616 §3.3)"
        case .unsupportedAlgorithm(let names):
            "expected a challenge of Digest: for SHA-256 or MD5, got one for \(names.joined(separator: ", "))"
        case .unsupportedProtection(let qop) where qop?.contains(where: { !", \t".contains($0) }) != true:
            "expected a challenge of Digest: with qop=\"auth\", got one \(qop == nil ? "without qop" : "with an empty qop"); "
                + "`allowsLegacyChallenges: true` answers it"
        case .unsupportedProtection(let qop): "expected a challenge of Digest: with qop=\"auth\", got '\(qop ?? "")'"
        case .unsafeUsername: "expected a user name without control characters, got one with them"
        }
    }
}
