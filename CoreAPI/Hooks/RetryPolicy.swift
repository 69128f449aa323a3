public import CoreAPICore
internal import Foundation
internal import HTTPTypes

/// Repeats calls that are safe to repeat: full jitter, `Retry-After` as the minimum pause, the call's total timeout as the end.
///
/// Repeats after the listed status codes, a failure to resolve or connect, a proxy's failure, a lost connection, a truncated
/// body, and every timeout but ``Timeout/total``. Repeats idempotent methods, and requests with an `Idempotency-Key`; see
/// ``IdempotencyKey``. Any other request is sent again only if the server cannot have processed it.
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
        let jitter = Backoff(base: base, cap: cap).pause(after: response.attempts.count)
        return .retryAfter(max(jitter, retryAfter(response) ?? .zero))
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

    /// The longest pause of all `Retry-After` lines.
    private func retryAfter(_ response: Response<Void>) -> Duration? {
        response.head?.headers[values: .retryAfter].compactMap { Self.pause(asking: $0) }.max()
    }

    /// The pause of a `Retry-After` value (RFC 9110 §10.2.3): seconds or a date; at most a day.
    ///
    /// Careless servers send other values: a fraction is rounded up, and of several values separated by commas the longest wins.
    /// Any other value is ignored, a number with a sign included.
    static func pause(asking value: String) -> Duration? {
        // A date is read without its weekday, which precedes its comma.
        value.split(separator: ",").compactMap { part in
            let text = part.trimmingHTTPWhitespace()
            return seconds(text) ?? untilDate(text)
        }.max()
    }

    /// - Returns: `nil` for a value with anything but digits and at most one point.
    private static func seconds(_ text: String) -> Duration? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard text.utf8.contains(where: \.isDigit), parts.allSatisfy({ $0.allSatisfy(\.isDigit) }) else { return nil }
        let isFraction = parts.count == 2 && parts[1].contains { $0 != UInt8(ascii: "0") }
        // If a server asks for a year, the call's timeout decides; the arithmetic must not overflow.
        let whole = parts[0].isEmpty ? 0 : min(Int(String(Substring(parts[0]))) ?? 86_400, 86_400)
        return .seconds(min(whole + (isFraction ? 1 : 0), 86_400))
    }

    private static func untilDate(_ text: String) -> Duration? {
        HTTPDate.date(text).map { .seconds(min(max($0.timeIntervalSinceNow, 0), 86_400)) }
    }
}
