public import CoreAPIHTTP
public import Foundation
internal import HTTPTypes

/// Proves knowledge of the password without sending it (RFC 7616): `SHA-256`, or `MD5` for servers without it, with `qop="auth"`.
///
/// ```swift
/// channel.attemptMiddleware = [try DigestAuthentication(username: "ayşe", password: Secret(password))]
/// ```
///
/// The first request has no credentials, and its rejection contains the challenge. Later requests are answered in advance, each
/// with its own count and client nonce. A nonce that is too old (`stale`) is replaced. A second rejection of a call is final, so
/// that a wrong password is tried once and repetition locks no account. A request that already has an `Authorization` header is
/// unchanged. An answer is for one target: the request after a redirect gets its own, if it stays at the origin.
///
/// Rejected with a ``Failure``: `auth-int` alone, `-sess` variants, `SHA-512-256`, and challenges without `qop` (RFC 2069) unless
/// they are allowed. `nextnonce` is ignored; a server that wants a new nonce says `stale`.
public final class DigestAuthentication: Middleware {
    let username: String
    let password: Secret<String>
    private let origins: [String]
    private let allowsLegacyChallenges: Bool
    private let makeClientNonce: @Sendable () -> String
    private let sessions = Mutex(DigestSessions())
    /// How many rejections of a call are answered while the server reports only that the nonce was too old.
    private static let staleLimit = 4

    /// Makes a middleware that answers challenges of the origin (scheme, host and port) of the call's environment only.
    ///
    /// - Parameters:
    ///   - username: any text without control characters; others throw ``Failure/unsafeUsername``.
    ///   - password: never sent, printed or logged.
    ///   - origins: further origins that may get an answer, as in `https://files.example.com`.
    ///   - allowsLegacyChallenges: whether a challenge without `qop` is answered, in the form of RFC 2069 that RFC 2617 §3.2.2.1
    ///     keeps. Default `false`: such an answer has no client nonce, so a server that chooses the nonce may look up the
    ///     password in a prepared table, and an overheard answer can be repeated.
    public convenience init(
        username: String, password: Secret<String>, origins: [String] = [], allowsLegacyChallenges: Bool = false
    ) throws(DigestAuthentication.Failure) {
        guard username.firstForbiddenControl == nil else { throw .unsafeUsername }
        // The normal form that RFC 7616 §4 requires with UTF-8. Here and not in the answer, so that a static binary which does
        // not call this initializer links no more of Foundation.
        let name = username.precomposedStringWithCanonicalMapping
        let secret = Secret(password.revealed.precomposedStringWithCanonicalMapping)
        self.init(checked: name, password: secret, origins: origins, allowsLegacyChallenges: allowsLegacyChallenges) {
            // Both numbers are from the system's random source.
            String(UInt64.random(in: .min ... .max), radix: 16) + String(UInt64.random(in: .min ... .max), radix: 16)
        }
    }

    init(
        checked username: String, password: Secret<String>, origins: [String], allowsLegacyChallenges: Bool = false,
        clientNonce: @escaping @Sendable () -> String
    ) {
        (self.username, self.password, self.origins) = (username, password, origins)
        (self.allowsLegacyChallenges, makeClientNonce) = (allowsLegacyChallenges, clientNonce)
    }

    public func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        let request = attempt.request
        guard request.headers[.authorization] == nil, request.goesToEnvironment(or: origins) else { return await next(attempt) }
        var (answered, nonce) = answer(attempt)
        var raw = await next(answered)
        // A second rejection is final, so that a wrong password is tried once, unless only the nonce was too old.
        for rejections in 1... {
            guard raw.status == 401, raw.failure == nil, request.body.isReplayable else { break }
            do throws(DigestAuthentication.Failure) {
                let lines = raw.head?.headers[values: .wwwAuthenticate] ?? []
                guard let challenge = try DigestChallenge.best(of: lines, allowsLegacy: allowsLegacyChallenges) else { break }
                guard rejections <= (challenge.isStale ? Self.staleLimit : 1) else {
                    sessions.withLock { $0.forget(nonce, at: request.url.origin) }
                    break
                }
                sessions.withLock { $0.take(challenge, insteadOf: nonce, at: request.url.origin) }
            } catch {
                return await raw.discardBody().failed(instead: error)
            }
            await raw.discardBody()
            (answered, nonce) = answer(attempt)
            raw = await next(answered)
        }
        return raw
    }

    public func isolatedCopy() -> any Middleware {
        DigestAuthentication(
            checked: username, password: password, origins: origins, allowsLegacyChallenges: allowsLegacyChallenges,
            clientNonce: makeClientNonce)
    }

    /// The attempt with an answer to the known challenge of its origin, and that challenge's nonce; an empty nonce without one.
    private func answer(_ attempt: Attempt) -> (Attempt, nonce: String) {
        let request = attempt.request
        guard let turn = sessions.withLock({ $0.turn(at: request.url.origin) }) else { return (attempt, "") }
        let answer = DigestAnswer(
            challenge: turn.challenge, username: username, password: password, method: request.method.rawValue,
            uri: request.url.target, count: turn.count, clientNonce: makeClientNonce())
        return (attempt.with { $0.headers[.authorization] = answer.header }, turn.challenge.nonce)
    }

    /// Why a Digest challenge was not answered. Never contains the password.
    public enum Failure: Error, Hashable, Sendable, LocalizedError {
        /// The header is not a list of challenges.
        case malformedChallenge(AuthenticationChallenge.Malformed)
        /// A challenge lacks what RFC 7616 §3.3 requires.
        case missingParameter(String)
        /// The server offers none of the supported algorithms: `SHA-256` and `MD5`.
        case unsupportedAlgorithm([String])
        /// The server does not offer `auth`: it requires a protected body (`auth-int`), or it predates 1999 and offers no
        /// protection (`nil`, or empty), which is answered if `allowsLegacyChallenges` is set.
        case unsupportedProtection(String?)
        /// A user name must not contain control characters.
        case unsafeUsername

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
}

/// The challenges in use, by origin, and the number of answers to each nonce.
struct DigestSessions {
    private var challenges: [String: DigestChallenge] = [:]
    /// Old nonces stay: a server may issue one again, and no count may be repeated (RFC 7616 §3.4). At most 1,000.
    private var counts: [String: UInt32] = [:]
    private var nonces: [String] = []
    private static let countLimit = 1_000

    /// The challenge to answer, and the count for it; `nil` without a challenge.
    mutating func turn(at origin: String) -> (challenge: DigestChallenge, count: UInt32)? {
        guard let challenge = challenges[origin] else { return nil }
        let count = counts[challenge.nonce, default: 0]
        guard count < .max else {
            challenges[origin] = nil
            return nil
        }
        if counts.updateValue(count + 1, forKey: challenge.nonce) == nil { nonces.append(challenge.nonce) }
        if nonces.count > Self.countLimit { removeOldest() }
        return (challenge, count + 1)
    }

    /// Stores the challenge for a request with the given nonce, unless another request has received a newer one meanwhile.
    mutating func take(_ challenge: DigestChallenge, insteadOf nonce: String, at origin: String) {
        guard challenges[origin] == nil || challenges[origin]?.nonce == nonce else { return }
        challenges[origin] = challenge
    }

    private mutating func removeOldest() {
        let current = Set(challenges.values.map(\.nonce))
        guard let index = nonces.firstIndex(where: { !current.contains($0) }) else { return }
        counts[nonces.remove(at: index)] = nil
    }

    /// Removes a session, so that the next call begins without credentials, and a wrong password is not tried in advance.
    mutating func forget(_ nonce: String, at origin: String) {
        if challenges[origin]?.nonce == nonce { challenges[origin] = nil }
    }
}
