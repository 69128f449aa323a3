/// Exponential back-off: the pause before the *n*-th repetition is a random part of `base` · 2ⁿ⁻¹, at most `cap`.
package struct Backoff: Sendable {
    private let base: Duration
    private let cap: Duration

    /// - Parameters:
    ///   - base: the longest first pause; a negative one counts as zero.
    ///   - cap: the longest pause of all.
    package init(base: Duration, cap: Duration) {
        self.base = max(base, .zero)
        self.cap = cap
    }

    /// - Parameters:
    ///   - failures: failures in a row; 1 after the first.
    ///   - random: a number from 0 to 1. Default: full jitter, so that many clients do not return at the same time.
    package func pause(after failures: Int, random: Double = .random(in: 0...1)) -> Duration {
        var ceiling = min(base, cap)
        // Doubled step by step, because a power of two overflows with a large number. 64 steps are enough.
        for _ in 1..<min(max(failures, 1), 64) where ceiling < cap { ceiling = ceiling > cap / 2 ? cap : ceiling * 2 }
        return ceiling * random
    }
}
