public import CoreAPICore
internal import CoreAPILock
public import HTTPTypes

/// Sends a bearer token with every request and refreshes it when the server refuses it (RFC 6750).
///
/// However many requests are refused at once, the token is refreshed once, and each of them is sent once more with the new one. A
/// request that was refused with an older token than the present one is simply sent again. A cancelled request stops waiting and
/// does not stop the refresh; a failed refresh fails every request that waited for it.
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
/// The refresh goes through the channel like any other call: its retry policy, its timeouts, its other hooks. It is exempt from
/// bearer authentication at the environment's base URL, and from nothing else.
public final class BearerAuthentication: Middleware {
    /// Fetches a new token after the given response was refused. Runs in a task of its own, which inherits the task-local values
    /// of the call that was refused first. Its own requests get no token and fetch none.
    public typealias Refresh = @Sendable (Response<Void>) async throws -> String

    private let initial: String?
    private let origins: [String]
    private let isRefused: @Sendable (Response<Void>) -> Bool
    private let refresh: Refresh
    /// By the base URLs of environments.
    private let sessions = Mutex<[String: Session]>([:])

    /// The base URLs of the environments whose token is being fetched by this task. By those and not by this object, because a
    /// channel that is made anew for the refresh has another one.
    @TaskLocal private static var exemptions: [Exemption] = []

    /// The requests of a refresh that is under way go without a token. A task that the refresh leaves behind is not exempt.
    private final class Exemption: Sendable {
        let base: String
        let isOver = Mutex(false)

        init(base: String) {
            self.base = base
        }
    }

    /// What belongs to one environment.
    private struct Session {
        var token: String?
        /// The refresh that is under way.
        var refresh: Promise<String>?
        /// When the last refresh failed, and with what.
        var failure: (at: ContinuousClock.Instant, error: any Error)?
    }

    /// A token is sent to the origin (scheme, host and port) of the call's environment and to no other: an endpoint with a base
    /// URL of its own elsewhere goes without. A channel that is switched to another environment begins without a token there.
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
    }

    public func handle(_ attempt: Attempt, next: Next) async -> Reply {
        guard mayCarryToken(attempt) else { return await next(attempt) }
        let used = withSession(of: attempt.call) { $0.token }
        let reply = await send(attempt, with: used, next)
        // Only once: a new token that is refused as well is the answer.
        guard isRefused(Response(reply)), attempt.request.body.isReplayable else { return reply }
        return await sendAgain(attempt, after: reply, insteadOf: used, next)
    }

    // Not inlined: most requests are never refused, and its frame would be theirs.
    @inline(never)
    private func sendAgain(_ attempt: Attempt, after reply: Reply, insteadOf used: String?, _ next: Next) async -> Reply {
        await reply.discardBody()
        do {
            return await send(attempt, with: try await token(newerThan: used, for: attempt, Response(reply)), next)
        } catch {
            return attempt.failed(error, insteadOf: reply)
        }
    }

    public func isolatedCopy() -> any Middleware {
        BearerAuthentication(token: initial, origins: origins, isRefused: isRefused, refresh: refresh)
    }

    private func mayCarryToken(_ attempt: Attempt) -> Bool {
        guard attempt.request.goesToEnvironment(or: origins) else { return false }
        let base = attempt.call.channel.environment.baseURL
        return !Self.exemptions.contains { exemption in exemption.base == base && !exemption.isOver.withLock { $0 } }
    }

    private func send(_ attempt: Attempt, with token: String?, _ next: Next) async -> Reply {
        do {
            return await next(try attempt.carrying(token))
        } catch {
            return attempt.failed(error, stage: APIClientError.adapting)
        }
    }

    /// Changes the session of a call's environment; the first one begins with the initial token.
    private func withSession<Result: Sendable>(of call: Call, _ change: (inout Session) -> Result) -> Result {
        sessions.withLock { sessions in
            let base = call.channel.environment.baseURL
            if sessions[base] == nil { sessions[base] = Session(token: sessions.isEmpty ? initial : nil) }
            return change(&sessions[base, default: Session()])
        }
    }

    /// - Throws: what the refresh threw, or that the call was cancelled or ran out of time while it waited.
    private func token(
        newerThan used: String?, for attempt: Attempt, _ response: Response<Void>
    ) async throws -> String {
        let call = attempt.call
        let (promise, isMine) = try withSession(of: call) { session -> Result<(Promise<String>, Bool), any Error> in
            if let token = session.token, token != used { return .success((Promise(.success(token)), false)) }
            if let refresh = session.refresh { return .success((refresh, false)) }
            // Calls that were under way when a refresh failed share its failure, also those that were refused a moment later.
            if let failure = session.failure, call.started <= failure.at { return .failure(failure.error) }
            let refresh = Promise<String>()
            session.refresh = refresh
            return .success((refresh, true))
        }.get()
        if isMine { start(promise, response) }
        // No longer than the call may take, however long the refresh does.
        return try await promise.value(until: attempt.request.deadline) {
            TransportError.timedOut(.total, after: attempt.request.timeout.total)
        }
    }

    /// In a task that belongs to no caller: the one that happened to start it may be cancelled.
    private func start(_ promise: Promise<String>, _ response: Response<Void>) {
        Task {
            let exemption = Exemption(base: response.call.channel.environment.baseURL)
            let outcome: Result<String, any Error>
            do {
                outcome = .success(
                    try await Self.$exemptions.withValue(Self.exemptions + [exemption]) { try await self.refresh(response) })
            } catch {
                outcome = .failure(error)
            }
            exemption.isOver.withLock { $0 = true }
            self.withSession(of: response.call) { session in
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
    // Not inlined: a request by value would lie in the frame that waits.
    @inline(never)
    fileprivate func carrying(_ token: String?) throws -> Attempt {
        guard let token else { return self }
        return try with { try $0.setHeader("Authorization", "Bearer \(token)") }
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
        channel.attemptMiddleware = []
        return channel
    }
}
