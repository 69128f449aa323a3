#if Signing
public import CoreAPI
internal import Foundation
internal import HTTPTypes

/// Proves to a server that the password is known without sending it (RFC 7616): `SHA-256`, or `MD5` where a server knows nothing
/// better, with `qop="auth"`.
///
/// ```swift
/// channel.interceptors = [try DigestAuthentication(username: "ayşe", password: Secret(password))]
/// ```
///
/// The first request goes out bare and its refusal brings the challenge; the requests after it are answered in advance, each with a count
/// and a client nonce of its own. A nonce that is too old (`stale`) is replaced; a second refusal of a call stands, so that a wrong
/// password is tried once and no account is locked by repetition. A request with an `Authorization` header of its own is left alone.
///
/// An answer is for one target: a redirect takes none along. Where one leads to a resource of the same origin that asks in turn, GET and
/// HEAD are repeated there; other methods are not, because what redirected them may have processed them.
///
/// Refused with a ``DigestAuthenticationError``: `auth-int` alone, `-sess` variants, `SHA-512-256`, and challenges without `qop`
/// (RFC 2069) unless they are allowed. `nextnonce` is not looked at; a server that wants a new nonce says `stale`.
public final class DigestAuthentication: RequestInterceptor {
    private let username: String
    private let password: Secret<String>
    private let origins: [String]
    private let allowsLegacyChallenges: Bool
    private let makeClientNonce: @Sendable () -> String
    private let state = Mutex(DigestSessions())

    /// How many refusals of a call are answered while the server says that the nonce was merely too old.
    private static let staleLimit = 4

    /// The answer is sent to the origin (scheme, host and port) of the call's environment and to no other.
    ///
    /// - Parameters:
    ///   - username: any text without control characters.
    ///   - password: never sent, printed or logged.
    ///   - origins: further ones that may get an answer, as in `https://files.example.com`.
    ///   - allowsLegacyChallenges: whether a challenge without `qop` is answered, in the form of RFC 2069 that RFC 2617 §3.2.2.1
    ///     keeps. Default `false`: such an answer holds nothing of the client's choice. A server that chooses the nonce may look
    ///     the password up in a table made beforehand, and an answer that was overheard can be repeated.
    /// - Throws: ``DigestAuthenticationError/unsafeUsername``.
    public convenience init(
        username: String, password: Secret<String>, origins: [String] = [], allowsLegacyChallenges: Bool = false
    ) throws(DigestAuthenticationError) {
        guard username.firstForbiddenControl == nil else { throw .unsafeUsername }
        self.init(checked: username, password: password, origins: origins, allowsLegacyChallenges: allowsLegacyChallenges) {
            // Both of the system's source.
            String(UInt64.random(in: .min ... .max), radix: 16) + String(UInt64.random(in: .min ... .max), radix: 16)
        }
    }

    init(
        checked username: String, password: Secret<String>, origins: [String], allowsLegacyChallenges: Bool = false,
        clientNonce: @escaping @Sendable () -> String
    ) {
        self.username = username
        self.password = password
        self.origins = origins
        self.allowsLegacyChallenges = allowsLegacyChallenges
        makeClientNonce = clientNonce
    }

    public func adapt(_ request: inout Request) async throws {
        guard request.headers[.authorization] == nil, request.goesToEnvironment(or: origins) else { return }
        let (detour, turn) = state.withLock { state in
            let detour = state.detours.removeValue(forKey: request.call.id)
            return (detour, state.turn(at: request.url.origin))
        }
        if let detour { request.url = detour }
        guard let turn else { return }
        let answer = DigestAnswer(
            challenge: turn.challenge, username: username, password: password, method: request.method.rawValue,
            uri: request.url.target, count: turn.count, clientNonce: makeClientNonce())
        try request.setHeader("Authorization", answer.header)
    }

    public func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult {
        guard let head = response.head, head.status.code == 401, let request = response.request,
            request.goesToEnvironment(or: origins)
        else { return .doNotRetry }
        let asked = response.metrics?.redirects.last
        if asked != nil {
            // A stranger's challenge is not for us, and what was redirected may have been done already.
            // Nor does a stranger on the way choose what is asked for with an answer.
            guard response.metrics?.redirects.allSatisfy({ $0.hasSameOrigin(as: request.url) }) == true,
                request.method == .get || request.method == .head
            else { return .doNotRetry }
        }
        guard let nonce = Self.nonce(of: request) else { return .doNotRetry }
        let challenge: DigestChallenge
        do throws(DigestAuthenticationError) {
            let lines = head.headers[values: .wwwAuthenticate]
            guard let best = try DigestChallenge.best(of: lines, allowsLegacy: allowsLegacyChallenges) else { return .doNotRetry }
            challenge = best
        } catch {
            return .fail(error)
        }
        let refusals = response.attempts.count { $0.status == 401 }
        // Where a redirect led, nothing was answered yet, even if it was where the redirect came from.
        let limit = challenge.isStale ? Self.staleLimit : asked == nil ? 1 : 2
        return state.withLock { state in
            guard refusals <= limit else {
                state.forget(nonce, at: request.url.origin)
                return .doNotRetry
            }
            state.take(challenge, insteadOf: nonce, at: request.url.origin)
            if let asked { state.detours[request.call.id] = asked }
            return .retry
        }
    }

    public func isolatedCopy() -> any RequestInterceptor {
        DigestAuthentication(
            checked: username, password: password, origins: origins, allowsLegacyChallenges: allowsLegacyChallenges,
            clientNonce: makeClientNonce)
    }

    /// The nonce that a request was answered with: none is empty, and `nil` stands for credentials of another kind. An answer has the
    /// form of a challenge.
    private static func nonce(of request: Request) -> String? {
        guard let answer = request.headers[.authorization] else { return "" }
        guard let parsed = try? AuthenticationChallenge.parse(answer).first, parsed.scheme == "digest" else { return nil }
        return parsed.parameters["nonce"]
    }
}

extension HTTPURL {
    fileprivate var origin: String { "\(scheme.rawValue)://\(host):\(effectivePort)" }
}
#endif
