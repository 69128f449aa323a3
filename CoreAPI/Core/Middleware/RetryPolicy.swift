internal import CoreAPIHTTP
public import Foundation
internal import HTTPTypes

/// Repeats calls that are safe to repeat: full jitter, `Retry-After` as the minimum pause, the call's total timeout as the end.
///
/// Repeats after the listed status codes, a failure to resolve or connect, a proxy's failure, a lost connection, a truncated
/// body, and every timeout but ``Timeout/total``. Repeats idempotent methods, and requests with an `Idempotency-Key`
/// (``IdempotencyKey``); any other request only if the server cannot have processed it.
public struct RetryPolicy: RequestInterceptor {
    /// Attempts in all, the first included. Default 3.
    public var attempts: Int
    /// The pause before attempt *n* + 1 is a random part of `base` · 2ⁿ⁻¹. Default 100 ms.
    public var base: Duration
    /// The longest pause that the kit chooses. Default 5 s; a longer `Retry-After` is honoured.
    public var cap: Duration
    /// Default 408, 425, 429, 500, 502, 503, 504.
    public var statuses: Set<Int>
    /// It only decides about attempts.
    public var stages: Set<Stage.Kind> { [.retry] }

    /// Makes a policy; each part that is left out has its default.
    public init(
        attempts: Int = 3, base: Duration = .milliseconds(100), cap: Duration = .seconds(5),
        statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
    ) { (self.attempts, self.base, self.cap, self.statuses) = (attempts, base, cap, statuses) }

    public func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult {
        guard let request = response.request, response.attempts.count < attempts else { return .doNotRetry }
        guard isWorthwhile(response, error), Self.isSafe(request, error) else { return .doNotRetry }
        return .retryAfter(Backoff(base: base, cap: cap).pause(after: response.attempts.count, response.head))
    }

    private func isWorthwhile(_ response: Response<Void>, _ error: APIClientError) -> Bool {
        if case .transport(let failure, _) = error {
            return switch failure {
            case .cannotResolveHost, .cannotConnect, .connectionLost, .truncated: true
            case .proxy(_, _, let status, _): status.map { statuses.contains($0) } ?? true
            case .timedOut(let phase, _): phase != .total
            default: false
            }
        }
        // The status decides, even if a filter changed the error.
        return response.head.map { statuses.contains($0.status.code) } ?? false
    }

    /// Whether a second request does no harm.
    static func isSafe(_ request: Request, _ error: APIClientError) -> Bool {
        if request.method.isIdempotent || request.hasIdempotencyKey { return true }
        if case .transport(let failure, _) = error {
            return switch failure {
            case .cannotResolveHost, .cannotConnect, .timedOut(.connect, _), .proxy: true
            case .connectionLost(_, let mayHaveBeenProcessed): !mayHaveBeenProcessed
            default: false
            }
        }
        return false
    }
}

/// Gives every POST a key, unless its caller has set one (draft-ietf-httpapi-idempotency-key-header). With the
/// key a server recognises a repetition, and ``RetryPolicy`` repeats the call.
///
/// It is an enhancer, not an interceptor, because all attempts of a call must have the same key.
///
/// ```swift
/// channel.enhancers = [IdempotencyKey()]
/// ```
public struct IdempotencyKey: RequestEnhancer {
    /// It only enhances.
    public var stages: Set<Stage.Kind> { [.enhance] }
    private let header: String
    private let makeKey: @Sendable () -> String

    /// Makes an enhancer. A call with a header of that name may be repeated. `makeKey` makes a unique key, by default a random
    /// UUID; it is called once per call, on any thread.
    public init(
        header: String = "Idempotency-Key", makeKey: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() }
    ) { (self.header, self.makeKey) = (header, makeKey) }

    // At `.normal`, after the kit's own enhancers, which set the caller's headers.
    public func enhance(_ request: inout Request) throws {
        request.call[IdempotencyHeader.self] = header
        guard request.method == .post, !request.hasHeader(header) else { return }
        try request.setOwnHeader(header, makeKey())
    }
}

/// The name by which the call's server knows the key.
private enum IdempotencyHeader: Call.Key {
    static let defaultValue = "Idempotency-Key"
}

extension Request {
    /// Whether the server can recognise a repetition (draft-ietf-httpapi-idempotency-key-header).
    var hasIdempotencyKey: Bool { hasHeader(IdempotencyHeader.defaultValue) || hasHeader(call[IdempotencyHeader.self]) }

    fileprivate func hasHeader(_ name: String) -> Bool {
        let name = name.lowercased()
        return headers.contains { $0.name.canonicalName == name }
    }
}
