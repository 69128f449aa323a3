internal import HTTPTypes

/// Decides by the status, even if a filter changed the error.
///
/// ```swift
/// StatusCodeErrorHandler(409, 423) { response in .retryAfter(.seconds(1)) }
/// ```
public struct StatusCodeErrorHandler: ErrorHandler {
    private let codes: Set<Int>
    private let decide: @Sendable (Response<Void>) async -> RetryResult

    /// Decides about the listed statuses. Called once per failed attempt with one of them, in Swift's thread pool.
    public init(_ codes: Int..., decide: @escaping @Sendable (Response<Void>) async -> RetryResult) {
        self.init(codes, decide: decide)
    }

    /// Decides about the statuses of a list, a set or a range such as `500..<600` or `400...499`.
    public init(_ codes: some Sequence<Int>, decide: @escaping @Sendable (Response<Void>) async -> RetryResult) {
        self.codes = Set(codes)
        self.decide = decide
    }

    public func canResolve(_ error: APIClientError) -> Bool { error.context.head.map { codes.contains($0.status.code) } ?? false }
    public func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult { await decide(response) }
}

/// Waits for the network to return: repeats a call that found no host or no connection.
public struct NoInternetErrorHandler: ErrorHandler {
    private let repetition: Repetition

    /// Makes a handler that repeats a call so often, each time after the pause. A longer `Retry-After` is honoured.
    public init(repetitions: Int = 3, pause: Duration = .seconds(1)) { repetition = Repetition(limit: repetitions, pause: pause) }

    public func canResolve(_ error: APIClientError) -> Bool {
        switch error {
        case .transport(.cannotResolveHost, _), .transport(.cannotConnect, _), .transport(.proxy(_, _, nil, _), _): true
        default: false
        }
    }

    public func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult {
        repetition.decision(response, after: canResolve)
    }
}

/// Repeats a call whose attempt timed out or got a 408 (RFC 9110 §15.5.9), but never after the call's own total timeout. The
/// method must be idempotent, unless the call has an `Idempotency-Key` or no connection was made.
public struct RequestTimeoutErrorHandler: ErrorHandler {
    private let repetition: Repetition

    /// Makes a handler that repeats a call so often, each time after the pause. A longer `Retry-After` is honoured.
    public init(repetitions: Int = 3, pause: Duration = .zero) { repetition = Repetition(limit: repetitions, pause: pause) }

    public func canResolve(_ error: APIClientError) -> Bool {
        if case .transport(.timedOut(let phase, _), _) = error { return phase != .total }
        return error.context.head?.status == .requestTimeout
    }

    public func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult {
        guard let request = response.request, RetryPolicy.isSafe(request, error) else { return .doNotRetry }
        return repetition.decision(response, after: canResolve)
    }
}

/// So many repetitions of a call, each after a pause of at least this length.
private struct Repetition {
    let limit: Int
    let pause: Duration

    func decision(_ response: Response<Void>, after isSuch: (APIClientError) -> Bool) -> RetryResult {
        let failures = response.attempts.count { $0.error.map(isSuch) ?? false }
        return failures <= limit ? .retryAfter(max(pause, response.head?.retryAfter ?? .zero)) : .doNotRetry
    }
}
