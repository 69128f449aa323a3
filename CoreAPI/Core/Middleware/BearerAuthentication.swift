internal import CoreAPIHTTP
public import HTTPTypes

/// Sends a bearer token with every request and refreshes it when the server rejects it (RFC 6750).
///
/// Many requests may be rejected at once. The token is refreshed once, and each of them is sent once more with the new token. A
/// request rejected with an older token than the present one is sent again without a refresh. A cancelled request stops waiting
/// and does not stop the refresh. A failed refresh fails every request that waited for it.
///
/// ```swift
/// channel.attemptMiddleware = [
///     BearerAuthentication(token: stored) { response in
///         try await NetworkManager<TokenEndpoint>(channel: response.call.channel)
///             .request(endpoint: .refresh(refreshToken), type: Token.self).accessToken
///     }
/// ]
/// ```
///
/// The refresh goes through the channel like any other call, with its retry policy, timeouts and other hooks. At the
/// environment's base URL it is exempt from bearer authentication, and only from that.
public final class BearerAuthentication: Middleware, CustomReflectable {
    /// Fetches a new token after the given response was rejected. Runs in a separate task, which inherits the task-local values
    /// of the call that was rejected first. Its own requests get no token and start no refresh.
    public typealias Refresh = @Sendable (Response<Void>) async throws -> String

    private let initial: @Sendable (Call, _ isFirstSession: Bool) throws -> String?
    private let origins: [String]
    private let isRejected: @Sendable (Response<Void>) -> Bool
    private let refresh: Refresh
    private let sessions = Mutex<[Account: Session]>([:])

    /// Base URLs whose token this task is refreshing. The key is the URL because the refresh may use another instance.
    @TaskLocal private static var exemptions: [Exemption] = []

    /// Exempts the requests of a running refresh from tokens. A task that outlives the refresh is not exempt.
    private final class Exemption: Sendable {
        let base: String
        let isOver = Mutex(false)
        init(base: String) { self.base = base }
    }

    /// What a token belongs to: an environment, and the credentials that its channel was given.
    private struct Account: Hashable {
        let base: String
        let credentials: Channel.Credentials?

        init(of call: Call) { (base, credentials) = (call.channel.environment.baseURL, call.channel.credentials) }
    }

    private struct Session {
        var token: String?
        var refresh: Promise<String>?
        /// When the last refresh failed, and its error.
        var failure: (at: ContinuousClock.Instant, error: any Error)?
    }

    /// Makes a middleware that sends the token to the origin (scheme, host and port) of the call's environment only, and to
    /// further ones, as in `https://files.example.com`: an endpoint with a base URL elsewhere is sent without it. It keeps one
    /// token for each environment and each ``Channel/credentials``, as long as it lives. The given token is for the environment
    /// of the first call; without a token the first 401 starts a refresh. By default a 401 rejects the token. A server makes a
    /// middleware for each of its users.
    public convenience init(
        token: String? = nil, origins: [String] = [],
        isRejected: @escaping @Sendable (Response<Void>) -> Bool = { $0.head?.status.code == 401 },
        refresh: @escaping Refresh
    ) { self.init({ $1 ? token : nil }, origins, isRejected, refresh) }

    /// Makes a middleware that takes its tokens from the channel of the call, as in
    /// `BearerAuthentication(.environment("SHOP_ACCESS_TOKEN"), refreshToken: .environment("SHOP_REFRESH_TOKEN")) { … }`, else
    /// the same.
    ///
    /// Each environment, and each set of credentials, begins with its own access token; without one the 401 response starts a
    /// refresh. A call fails with ``Credential/Missing`` if its channel has neither token, and if it has no refresh token when
    /// the access token is rejected. The refresh token is empty if a simulated environment has none.
    public convenience init(
        _ accessToken: Credential, refreshToken: Credential, origins: [String] = [],
        isRejected: @escaping @Sendable (Response<Void>) -> Bool = { $0.head?.status.code == 401 },
        refresh: @escaping @Sendable (_ refreshToken: String, _ response: Response<Void>) async throws -> String
    ) {
        self.init(
            { call, _ in
                if let token = try? accessToken.value(for: call) { return token }
                _ = try refreshToken.value(for: call)
                return nil
            }, origins, isRejected, { try await refresh(refreshToken.value(for: $0.call) ?? "", $0) })
    }

    private init(
        _ initial: @escaping @Sendable (Call, _ isFirstSession: Bool) throws -> String?, _ origins: [String],
        _ isRejected: @escaping @Sendable (Response<Void>) -> Bool, _ refresh: @escaping Refresh
    ) { (self.initial, self.origins, self.isRejected, self.refresh) = (initial, origins, isRejected, refresh) }

    public func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        guard mayCarryToken(attempt) else { return await next(attempt) }
        let used: String?
        let carrying: Attempt
        do {
            used = try currentToken(for: attempt.call)
            carrying = try attempt.carrying(used)
        } catch {
            return attempt.failed(error, stage: APIClientError.adapting)
        }
        let raw = await next(carrying)
        // Only once: if the new token is rejected as well, that rejection is the response.
        guard isRejected(Response(raw)), attempt.request.body.isReplayable else { return raw }
        return await sendAgain(attempt, after: raw, insteadOf: used, next)
    }

    private func sendAgain(_ attempt: Attempt, after raw: RawResponse, insteadOf used: String?, _ next: Next) async -> RawResponse
    {
        let raw = await raw.discardBody()
        do {
            return await next(try attempt.carrying(try await token(newerThan: used, for: attempt, Response(raw))))
        } catch {
            return raw.failed(instead: error)
        }
    }

    public func isolatedCopy() -> any Middleware { BearerAuthentication(initial, origins, isRejected, refresh) }

    /// Shows no token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    private func mayCarryToken(_ attempt: Attempt) -> Bool {
        guard attempt.request.goesToEnvironment(or: origins) else { return false }
        let base = attempt.call.channel.environment.baseURL
        return !Self.exemptions.contains { exemption in exemption.base == base && !exemption.isOver.withLock { $0 } }
    }

    private func currentToken(for call: Call) throws -> String? {
        let account = Account(of: call)
        return try sessions.withLock { sessions in
            if let known = sessions[account] { return known.token }
            let token = try initial(call, sessions.isEmpty)
            sessions[account] = Session(token: token)
            return token
        }
    }

    private func withSession<Result: Sendable>(of call: Call, _ change: (inout Session) -> Result) -> Result {
        sessions.withLock { change(&$0[Account(of: call), default: Session()]) }
    }

    /// - Throws: the error of the refresh; or an error if the call was cancelled or ran out of time while it waited.
    private func token(newerThan used: String?, for attempt: Attempt, _ response: Response<Void>) async throws -> String {
        let call = attempt.call
        let (promise, isMine) = try withSession(of: call) { session -> Result<(Promise<String>, Bool), any Error> in
            if let token = session.token, token != used { return .success((Promise(.success(token)), false)) }
            if let refresh = session.refresh { return .success((refresh, false)) }
            // Calls that were in progress when a refresh failed share its failure, also those rejected a moment later.
            if let failure = session.failure, call.started <= failure.at { return .failure(failure.error) }
            let refresh = Promise<String>()
            session.refresh = refresh
            return .success((refresh, true))
        }.get()
        if isMine { start(promise, attempt, response) }
        // At most until the call's deadline, however long the refresh takes.
        return try await promise.value(until: attempt.request.deadline) {
            TransportError.timedOut(.total, after: attempt.request.timeout.total)
        }
    }

    /// In a separate task, because the caller that started it may be cancelled.
    private func start(_ promise: Promise<String>, _ attempt: Attempt, _ response: Response<Void>) {
        Task {
            let exemption = Exemption(base: response.call.channel.environment.baseURL)
            let outcome: Result<String, any Error>
            do {
                let token = try await Self.$exemptions.withValue(Self.exemptions + [exemption]) { try await refresh(response) }
                // Else a token that no field can hold would fail every later call before it is sent.
                _ = try attempt.carrying(token)
                outcome = .success(token)
            } catch {
                outcome = .failure(error)
            }
            exemption.isOver.withLock { $0 = true }
            withSession(of: response.call) { session in
                session.refresh = nil
                switch outcome {
                case .success(let token): (session.token, session.failure) = (token, nil)
                case .failure(let error): session.failure = (.now, error)
                }
            }
            promise.fulfil(outcome)
        }
    }
}

extension Attempt {
    fileprivate func carrying(_ token: String?) throws -> Attempt {
        guard let token else { return self }
        return try with { try $0.setHeader("Authorization", "Bearer \(token)") }
    }
}
