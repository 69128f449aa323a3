internal import CoreAPICore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The loop's clock: monotonic nanoseconds in one machine word. It is read several times for each exchange and compared for
/// thousands.
enum LoopClock {
    typealias Nanoseconds = Int64

    /// Longer than any process lives, and still safe to add to.
    static let never: Nanoseconds = .max / 4

    static func now() -> Nanoseconds {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    /// Nanoseconds, rounded down, between zero and ``LoopClock/never``, so that no value of a ``Timeout`` overflows.
    var clampedNanoseconds: LoopClock.Nanoseconds {
        // One division; `components` takes three, and multiplications.
        let nanoseconds = attoseconds / 1_000_000_000
        guard nanoseconds > 0 else { return 0 }
        return nanoseconds < Int128(LoopClock.never) ? Int64(truncatingIfNeeded: nanoseconds) : LoopClock.never
    }

    /// Milliseconds, rounded up, at least one: libcurl reads 0 as "no limit".
    var clampedMilliseconds: Int {
        Int(min(Int64(Int32.max), max(1, (min(clampedNanoseconds, LoopClock.never) + 999_999) / 1_000_000)))
    }
}
