internal import Foundation
internal import HTTPTypes

/// Repeats what is safe to repeat: full jitter, `Retry-After` as a floor, the call's total timeout as the end.
///
/// Only idempotent methods, and requests that carry an `Idempotency-Key`, are repeated, and only for the listed status codes and for
/// failures to connect or of a connection. A request that the server may have processed is not sent again without such a key.
public struct RetryPolicy: RequestInterceptor {
    /// Attempts in all, the first included. Default 3.
    public var attempts: Int
    /// The pause before attempt *n* + 1 is a random part of `base` · 2ⁿ⁻¹. Default 100 ms.
    public var base: Duration
    /// The longest pause of the kit's own choosing. Default 5 s; a longer `Retry-After` is honoured.
    public var cap: Duration
    /// Default 408, 425, 429, 500, 502, 503, 504.
    public var statuses: Set<Int>

    public init(
        attempts: Int = 3, base: Duration = .milliseconds(100), cap: Duration = .seconds(5),
        statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
    ) {
        self.attempts = attempts
        self.base = base
        self.cap = cap
        self.statuses = statuses
    }

    public func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult {
        guard let request = response.request, response.attempts.count < attempts, isWorthwhile(response, error),
            isSafe(request, error)
        else { return .doNotRetry }
        let jitter = ceiling(after: response.attempts.count) * Double.random(in: 0...1)
        return .retryAfter(max(jitter, retryAfter(response) ?? .zero))
    }

    /// Doubled step by step, because a power of two overflows what a caller may have set.
    private func ceiling(after attempts: Int) -> Duration {
        var ceiling = min(base, cap)
        for _ in 1..<max(attempts, 1) where ceiling < cap { ceiling = ceiling > cap / 2 ? cap : ceiling * 2 }
        return ceiling
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
        // The status speaks, whoever turned it into an error.
        return response.head.map { statuses.contains($0.status.code) } ?? false
    }

    private func isSafe(_ request: Request, _ error: APIClientError) -> Bool {
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

    private func retryAfter(_ response: Response<Void>) -> Duration? {
        response.head?.headers[.retryAfter].flatMap { Self.pause(asking: $0) }
    }

    /// The value of a `Retry-After` (RFC 9110 §10.2.3): seconds or a date; a day at the most. Fractions are rounded up. Of several values,
    /// on lines of their own or in a list, the longest counts.
    static func pause(asking value: String) -> Duration? {
        if let date = HTTPDate.date(value.trimmingHTTPWhitespace()) {
            return .seconds(min(max(date.timeIntervalSinceNow, 0), 86_400))
        }
        return value.split(separator: ",").compactMap { seconds($0.trimmingHTTPWhitespace()) }.max()
    }

    /// A server that names a year is answered by the call's timeout, not by arithmetic that overflows.
    private static func seconds(_ text: String) -> Duration? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.allSatisfy({ $0.utf8.allSatisfy(\.isDigit) }), text.utf8.contains(where: \.isDigit)
        else { return nil }
        let isFraction = parts.count == 2 && parts[1].utf8.contains { $0 != UInt8(ascii: "0") }
        let seconds = whole.isEmpty ? 0 : min(Int(whole) ?? .max, 86_400)
        return .seconds(min(seconds + (isFraction ? 1 : 0), 86_400))
    }
}

extension Request {
    /// Whether the server can recognise a repetition (draft-ietf-httpapi-idempotency-key-header).
    var hasIdempotencyKey: Bool {
        headers.contains { $0.name.canonicalName == "idempotency-key" }
    }
}
