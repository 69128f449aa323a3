internal import CoreAPI
internal import CoreAPIHTTP

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A one-way switch that `poll` can wait for, together with a socket: a pipe whose writing end is closed to open it.
///
/// Closing wakes all present and future pollers, and no bytes need be read, so no wake-up is lost.
final class Latch: Sendable {
    /// The reading end. It reports POLLHUP as soon as the latch is open.
    let descriptor: Int32

    private let writingEnd: Mutex<Int32?>

    init() throws(LoopbackServerError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last("pipe") }
        // A child process must not inherit the writing end: its copy would keep the latch shut.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        writingEnd = Mutex(ends[1])
    }

    deinit {
        open()
        _ = systemClose(descriptor)
    }

    /// Opens the latch. A second call does nothing.
    func open() {
        writingEnd.withLock { end in
            guard let descriptor = end else { return }
            _ = systemClose(descriptor)
            end = nil
        }
    }

    /// Blocks the thread until the latch is open or the time is over.
    ///
    /// - Returns: Whether the latch is open.
    @discardableResult
    func wait(milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }
}
