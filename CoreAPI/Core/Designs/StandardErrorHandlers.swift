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

    public func canResolve(_ error: APIClientError) -> Bool {
        error.context.head.map { codes.contains($0.status.code) } ?? false
    }

    public func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult {
        await decide(response)
    }
}

/// Waits for the network to return: repeats a call that found no host or no connection.
public struct NoInternetErrorHandler: ErrorHandler {
    private let repetitions: Int
    private let pause: Duration

    /// Makes a handler that repeats a call so often, each time after the pause. A longer `Retry-After` is honoured.
    public init(repetitions: Int = 3, pause: Duration = .seconds(1)) {
        self.repetitions = repetitions
        self.pause = pause
    }

    public func canResolve(_ error: APIClientError) -> Bool {
        guard case .transport(let failure, _) = error else { return false }
        return switch failure {
        case .cannotResolveHost, .cannotConnect, .proxy(_, _, nil, _): true
        default: false
        }
    }

    public func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult {
        response.repetitions(where: canResolve) <= repetitions ? .retryAfter(response.pause(atLeast: pause)) : .doNotRetry
    }
}

/// Repeats a call whose attempt timed out or was answered 408 (RFC 9110 §15.5.9), if it may be repeated: an idempotent method, a
/// call with an `Idempotency-Key`, or a request that was not sent. After the call's own total timeout it repeats nothing.
public struct RequestTimeoutErrorHandler: ErrorHandler {
    private let repetitions: Int
    private let pause: Duration

    /// Makes a handler that repeats a call so often, each time after the pause. A longer `Retry-After` is honoured.
    public init(repetitions: Int = 3, pause: Duration = .zero) {
        self.repetitions = repetitions
        self.pause = pause
    }

    public func canResolve(_ error: APIClientError) -> Bool {
        if case .transport(.timedOut(let phase, _), _) = error { return phase != .total }
        return error.context.head?.status == .requestTimeout
    }

    public func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult {
        guard let request = response.request else { return .doNotRetry }
        var hadLeft = true
        if case .transport(.timedOut(.connect, _), _) = error { hadLeft = false }
        guard !hadLeft || request.method.isIdempotent || request.hasIdempotencyKey else { return .doNotRetry }
        return response.repetitions(where: canResolve) <= repetitions ? .retryAfter(response.pause(atLeast: pause)) : .doNotRetry
    }
}

extension Response {
    fileprivate func pause(atLeast pause: Duration) -> Duration { max(pause, head?.retryAfter ?? .zero) }

    fileprivate func repetitions(where isSuch: (APIClientError) -> Bool) -> Int {
        attempts.count { $0.error.map(isSuch) ?? false }
    }
}
