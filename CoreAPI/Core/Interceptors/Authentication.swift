public import HTTPTypes

/// Sends a bearer token with every attempt and refreshes it when the server refuses it (RFC 6750).
///
/// However many requests are refused at once, the token is refreshed once, and each of them is repeated once with the new one. A
/// request that was refused with an older token than the present one is simply repeated. A cancelled request stops waiting and does
/// not stop the refresh; a failed refresh fails every request that waited for it.
///
/// ```swift
/// BearerAuthentication(token: stored) { response in
///     try await NetworkManager<TokenEndpoint>(channel: response.call.channel)
///         .request(endpoint: .refresh(refreshToken), type: Token.self).accessToken
/// }
/// ```
///
/// The refresh goes through the channel like any other call: its retry policy, its timeouts, its other interceptors. It is exempt from
/// bearer authentication at the environment's base URL, and from nothing else.
public final class BearerAuthentication: RequestInterceptor {
    /// Fetches a new token after the given response was refused. Runs in a task of its own, which inherits the task-local values of the call
    /// that was refused first. Its own requests get no token and fetch none.
    public typealias Refresh = @Sendable (Response<Void>) async throws -> String

    private let initial: String?
    private let origins: [String]
    private let isRefused: @Sendable (Response<Void>) -> Bool
    private let refresh: Refresh
    private let state: Mutex<State>

    /// The base URLs of the environments whose token is being fetched by this task. By those and not by this object, because a channel that
    /// is made anew for the refresh has another one.
    @TaskLocal private static var exemptions: [Exemption] = []

    /// The requests of a refresh that is under way go without a token. A task that the refresh leaves behind is not exempt.
    private final class Exemption: Sendable {
        let base: String
        let isOver = Mutex(false)

        init(base: String) {
            self.base = base
        }
    }

    private struct State {
        var sessions: [String: Session] = [:]
        var nextWaiter = 0
    }

    /// What belongs to one environment.
    private struct Session {
        var token: String?
        var waiters: [Int: CheckedContinuation<RetryResult, Never>] = [:]
        var isRefreshing = false
        var failure: Failure?

        /// When the last refresh failed, and with what.
        struct Failure {
            let at: ContinuousClock.Instant
            let error: any Error
        }
    }

    /// A token is sent to the origin (scheme, host and port) of the call's environment and to no other: an endpoint with a base URL of
    /// its own elsewhere goes without. A channel that is switched to another environment begins without a token there.
    ///
    /// - Parameters:
    ///   - token: what to begin with, in the environment of the first call; without one the first request goes out bare and the
    ///     refusal fetches one.
    ///   - origins: further ones that may get the token, as in `https://files.example.com`.
    ///   - isRefused: whether the answer refuses the token; status 401 by default.
    ///   - refresh: see ``Refresh``.
    public init(
        token: String? = nil, origins: [String] = [],
        isRefused: @escaping @Sendable (Response<Void>) -> Bool = { $0.head?.status.code == 401 },
        refresh: @escaping Refresh
    ) {
        initial = token
        self.origins = origins
        self.isRefused = isRefused
        self.refresh = refresh
        state = Mutex(State())
    }

    public func adapt(_ request: inout Request) async throws {
        guard mayCarryToken(request), let token = withSession(of: request.call, { $0.token }) else { return }
        try request.setHeader("Authorization", "Bearer \(token)")
    }

    public func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult {
        guard isRefused(response), let request = response.request, mayCarryToken(request) else { return .doNotRetry }
        let used = request.headers[.authorization]
        // Refused again right after a refresh: another one would not help.
        let refusals = response.attempts.count { $0.status == response.head?.status.code }
        guard refusals < 2 else { return .doNotRetry }
        return await tokenNewer(than: used, for: response)
    }

    public func isolatedCopy() -> any RequestInterceptor {
        BearerAuthentication(token: initial, origins: origins, isRefused: isRefused, refresh: refresh)
    }

    private func mayCarryToken(_ request: Request) -> Bool {
        guard request.goesToEnvironment(or: origins) else { return false }
        let exemptions = Self.exemptions
        if exemptions.isEmpty { return true }
        let base = request.call.channel.environment.baseURL
        return !exemptions.contains { exemption in exemption.base == base && !exemption.isOver.withLock { $0 } }
    }

    /// Changes the session of a call's environment; the first one begins with the initial token.
    private func withSession<Result: Sendable>(_ body: @Sendable (inout Session) -> Result, of base: String) -> Result {
        state.withLock { state in
            var session = state.sessions[base] ?? Session(token: state.sessions.isEmpty ? initial : nil)
            // Taken out while it is changed, so that it is not copied.
            state.sessions[base] = nil
            defer { state.sessions[base] = session }
            return body(&session)
        }
    }

    private func withSession<Result: Sendable>(of call: Call, _ body: @Sendable (inout Session) -> Result) -> Result {
        withSession(body, of: call.channel.environment.baseURL)
    }

    private enum Step {
        case done(RetryResult)
        case wait(mustStart: Bool)
    }

    private func tokenNewer(than used: String?, for response: Response<Void>) async -> RetryResult {
        let call = response.call
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        // Nobody waits longer than his own call may take, however long the refresh does.
        let deadline = response.request?.deadline ?? .now
        let tooLate = RetryResult.fail(
            APIClientError.transport(
                .timedOut(.total, after: response.request?.timeout.total ?? .zero), ErrorContext(response)))
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            leave(id, of: call, with: tooLate)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let step = withSession(of: call) { session -> Step in
                    if let token = session.token, used != "Bearer \(token)" { return .done(.retry) }
                    // Calls that were under way when a refresh failed share its failure, also those that were refused a moment later.
                    if !session.isRefreshing, let failure = session.failure, call.started <= failure.at {
                        return .done(.fail(failure.error))
                    }
                    if Task.isCancelled { return .done(.doNotRetry) }
                    if deadline <= .now { return .done(tooLate) }
                    session.waiters[id] = continuation
                    defer { session.isRefreshing = true }
                    return .wait(mustStart: !session.isRefreshing)
                }
                switch step {
                case .done(let result): continuation.resume(returning: result)
                case .wait(let mustStart): if mustStart { startRefresh(response) }
                }
            }
        } onCancel: {
            leave(id, of: call, with: .doNotRetry)
        }
    }

    private func leave(_ id: Int, of call: Call, with result: RetryResult) {
        withSession(of: call) { $0.waiters.removeValue(forKey: id) }?.resume(returning: result)
    }

    /// A task that belongs to nobody: the caller that happened to start it may be cancelled.
    private func startRefresh(_ response: Response<Void>) {
        Task {
            let outcome: RetryResult
            var token: String?
            var failure: Session.Failure?
            do {
                let exemption = Exemption(base: response.call.channel.environment.baseURL)
                defer { exemption.isOver.withLock { $0 = true } }
                token = try await Self.$exemptions.withValue(Self.exemptions + [exemption]) { try await self.refresh(response) }
                outcome = .retry
            } catch {
                outcome = .fail(error)
                failure = Session.Failure(at: .now, error: error)
            }
            let waiters = self.withSession(of: response.call) { [token, failure] session in
                if let token { session.token = token }
                session.failure = failure
                session.isRefreshing = false
                let waiters = session.waiters
                session.waiters = [:]
                return waiters
            }
            for waiter in waiters.values { waiter.resume(returning: outcome) }
        }
    }
}

extension Channel {
    /// The same channel without interceptors but its ``RetryPolicy``.
    @available(
        *, deprecated, message: "a refresh is exempt from its own authentication: let it go through `response.call.channel`"
    )
    public var withoutInterceptors: Channel {
        var channel = self
        channel.interceptors = interceptors.filter { $0 is RetryPolicy }
        return channel
    }
}
