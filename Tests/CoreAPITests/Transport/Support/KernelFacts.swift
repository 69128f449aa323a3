#if os(Linux)
import TestSupport

/// The processor time of the thread that reads a request's body: a loop's thread.
final class ReadingThread: Sendable {
    private let first = Mutex<(clock: clockid_t, time: Duration)?>(nil)

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
    func body(of size: Int) -> Body.Stream {
        Body.Stream(length: Int64(size)) {
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

/// The connections of a server on 127.0.0.1, as the kernel lists them.
struct KernelSockets {
    /// The bytes that lie in the buffers of both ends.
    private(set) var bytes = 0
    /// The connections that the clients have not closed.
    private(set) var open = 0

    init(port: UInt16) throws {
        for line in try Self.table().split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            let ports = words[1...2].map { UInt16($0.suffix(4), radix: 16) }
            guard ports.contains(port), words[3] != "0A" else { continue }
            bytes += words[4].split(separator: ":").reduce(0) { $0 + (Int($1, radix: 16) ?? 0) }
            // 01: established
            if ports[1] == port, words[3] == "01" { open += 1 }
        }
    }

    /// Foundation reads one page of a file of `/proc`.
    private static func table() throws -> String {
        let descriptor = systemOpen("/proc/net/tcp", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.ENOENT) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var page = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(descriptor, &page, page.count), count > 0 { bytes += page[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Inside the type `open` is another name.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
#endif
