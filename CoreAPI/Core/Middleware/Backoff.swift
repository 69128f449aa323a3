internal import CoreAPIHTTP
internal import HTTPTypes

/// The back-off of everything in the kit that sends a request again. The pause before the *n*-th repetition is a random part of
/// `base` · 2ⁿ⁻¹, at most `cap`. A longer `Retry-After` of the failed response is honoured.
package struct Backoff: Sendable {
    private let base: Duration
    private let cap: Duration

    package init(base: Duration = .milliseconds(500), cap: Duration = .seconds(30)) {
        self.base = max(base, .zero)
        self.cap = cap
    }

    /// After so many failures in a row; `random` is from 0 to 1: full jitter, so that many clients do not return at once.
    package func pause(after failures: Int, _ head: ResponseHead? = nil, random: Double = .random(in: 0...1)) -> Duration {
        var ceiling = min(base, cap)
        // Doubled step by step, because a power of two overflows with a large number. 64 steps are enough.
        for _ in 1..<min(max(failures, 1), 64) where ceiling < cap { ceiling = ceiling > cap / 2 ? cap : ceiling * 2 }
        return max(ceiling * random, head?.retryAfter ?? .zero)
    }

    /// The pause of a loop that makes a call for each of its requests; `nil` if `Retry-After` is not shorter than
    /// ``Timeout/total``, so that the loop fails at once instead of waiting.
    package func pause<Value>(after failures: Int, _ response: Response<Value>) -> Duration? {
        response.mayWait ? pause(after: failures, response.head) : nil
    }
}

extension ResponseHead {
    /// The pause that `Retry-After` asks for (RFC 9110 §10.2.3), the longest of all lines; at most a day.
    package var retryAfter: Duration? { headers[values: .retryAfter].compactMap { RetryAfter.pause($0) }.max() }
}

extension Response {
    /// Whether the pause that the response asks for is shorter than ``Timeout/total`` of the next call.
    package var mayWait: Bool {
        guard let asked = head?.retryAfter, let total = request?.timeout.total else { return true }
        return asked < total
    }
}
