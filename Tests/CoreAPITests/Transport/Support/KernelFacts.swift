#if os(Linux)
import CoreAPICore
import CoreAPILock
import Foundation

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The processor time of the thread that reads a request's body: a loop's thread.
final class ReadingThread: Sendable {
    private let first = Mutex<(clock: clockid_t, time: Duration)?>(nil)

    /// Called by the body.
    func note() {
        first.withLock { first in
            guard first == nil else { return }
            var clock = clockid_t()
            if pthread_getcpuclockid(pthread_self(), &clock) == 0 { first = (clock, Self.time(of: clock)) }
        }
    }

    /// The time since the first read; the thread must still live.
    var time: Duration? { first.withLock { $0 }.map { Self.time(of: $0.clock) - $0.time } }

    private static func time(of clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// A body that is as long as it says.
    func body(of size: Int) -> BodyStream {
        BodyStream(length: Int64(size)) {
            let left = Mutex(size)
            return { limit in
                self.note()
                return left.withLock { left in
                    let count = min(limit, left)
                    left -= count
                    return Data(repeating: 0x61, count: count)
                }
            }
        }
    }
}
#endif
