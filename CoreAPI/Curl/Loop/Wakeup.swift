#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Ends a loop's wait from any thread. It is a pipe, because every system has pipes.
///
/// A signalling thread holds a reference, so the pipe outlives every signal.
final class Wakeup: Sendable {
    /// The end that the loop reads.
    let descriptor: Int32
    private let entrance: Int32

    /// - Returns: `nil` if the process has no further descriptor.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, entrance) = (ends[0], ends[1])
    }

    deinit {
        _ = close(descriptor)
        _ = close(entrance)
    }

    /// A full pipe has woken the loop already, so the result does not matter.
    func signal() {
        var byte: UInt8 = 1
        _ = write(entrance, &byte, 1)
    }

    /// Called by the loop: one signal ends each sleep, so one read takes everything.
    func clear() {
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = withUnsafeMutableBytes(of: &bytes) { read(descriptor, $0.baseAddress, $0.count) }
    }
}
