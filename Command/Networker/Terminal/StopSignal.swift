import CoreAPIHTTP
import Foundation

/// Waits for SIGINT (Ctrl-C) or SIGTERM, so that the command can clean up.
///
/// While it exists, these signals do not kill the process. After the first one they do again. A second Ctrl-C kills the
/// process.
package struct StopSignal {
    private let numbers: [Int32]
    private let arrivals: AsyncStream<Int32>

    package init() {
        self.init([SIGINT, SIGTERM])
    }

    init(_ numbers: [Int32]) {
        self.numbers = numbers
        let (arrivals, announce) = AsyncStream<Int32>.makeStream()
        self.arrivals = arrivals
        let observer = SignalPipe.shared.observe { number in
            if numbers.contains(number) { announce.yield(number) }
        }
        announce.onTermination = { _ in SignalPipe.shared.forget(observer) }
        guard SignalPipe.shared.isOpen else { return }
        for number in numbers { _ = signal(number) { SignalPipe.shared.write($0) } }
    }

    /// Waits for the first signal, or for the cancellation of the task.
    ///
    /// - Returns: the signal; `nil` after a cancellation.
    @discardableResult
    package func wait() async -> Int32? {
        var first: Int32?
        for await number in arrivals {
            first = number
            break
        }
        for number in numbers { _ = signal(number, SIG_DFL) }
        return first
    }
}

/// Carries signals out of their handlers, which may do next to nothing, to observers.
///
/// Dispatch's own source of signals begins to listen later, on another thread; a signal that came before was lost.
private final class SignalPipe: Sendable {
    static let shared = SignalPipe()

    /// A process without descriptors has none, and its signals keep their usual effect.
    let isOpen: Bool
    private let reader: Int32
    private let writer: Int32
    private let observers = Mutex<(last: Int, all: [Int: @Sendable (Int32) -> Void])>((0, [:]))

    private init() {
        var ends: [Int32] = [-1, -1]
        isOpen = pipe(&ends) == 0
        (reader, writer) = (ends[0], ends[1])
        guard isOpen else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(writer, F_SETFL, O_NONBLOCK)
        Thread.detachNewThread { [self] in pass() }
    }

    /// Safe in a handler: it only writes the number, in one byte, and keeps `errno`.
    func write(_ number: Int32) {
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        #if canImport(Darwin)
        _ = Darwin.write(writer, &byte, 1)
        #elseif canImport(Musl)
        _ = Musl.write(writer, &byte, 1)
        #else
        _ = Glibc.write(writer, &byte, 1)
        #endif
        errno = before
    }

    func observe(_ observer: @escaping @Sendable (Int32) -> Void) -> Int {
        observers.withLock { observers in
            observers.last += 1
            observers.all[observers.last] = observer
            return observers.last
        }
    }

    func forget(_ id: Int) {
        observers.withLock { $0.all[id] = nil }
    }

    private func pass() {
        var byte: UInt8 = 0
        while case let count = read(reader, &byte, 1), count == 1 || count < 0 && errno == EINTR {
            guard count == 1 else { continue }
            for observer in observers.withLock({ Array($0.all.values) }) { observer(Int32(byte)) }
        }
    }
}
