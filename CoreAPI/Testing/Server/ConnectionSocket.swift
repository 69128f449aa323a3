import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// One accepted connection, used by its own thread only. Whatever blocks here ends when the server closes.
final class ConnectionSocket {
    /// How a hold ended.
    enum HoldEnd {
        case timePassed
        case latchOpened
        case peerLeft
        case serverCloses
    }

    private let descriptor: Int32
    private let closing: Latch

    init(_ descriptor: Int32, closing: Latch) {
        self.descriptor = descriptor
        self.closing = closing
    }

    /// Blocks until there are bytes, and returns what is there; nil when the peer has ended or the server is closing.
    func receive() -> Data? {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while waitUntilReady(Int16(POLLIN)) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return Data(buffer[..<count]) }
            guard count < 0, isTransient(errno) else { return nil }
        }
        return nil
    }

    /// Sends all bytes, however slowly the peer takes them.
    ///
    /// - Returns: Whether it did; false when the peer has gone or the server is closing.
    @discardableResult
    func send(_ bytes: Data) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard waitUntilReady(Int16(POLLOUT)) else { return false }
            let count = rest.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, Self.sendFlags) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if !isTransient(errno) {
                return false
            }
        }
        return true
    }

    /// Blocks, without reading or writing, until the time is over, the latch is open, the peer leaves or the server closes.
    /// Without time and latch only the last two end it.
    func hold(for duration: Duration? = nil, until latch: Latch? = nil) -> HoldEnd {
        let deadline = duration.map { ContinuousClock.now + $0 }
        while true {
            var entries = [
                pollfd(fd: closing.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: latch?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Self.peerLeftEvents, revents: 0),
            ]
            let count = poll(&entries, nfds_t(entries.count), deadline.map(Self.milliseconds(until:)) ?? -1)
            if entries[0].revents != 0 { return .serverCloses }
            if entries[1].revents != 0 { return .latchOpened }
            if entries[2].revents != 0 { return .peerLeft }
            if count == 0, let deadline, ContinuousClock.now >= deadline { return .timePassed }
        }
    }

    /// Ends the connection in the orderly way. Input that nobody read is taken first: closing over it would send RST, not FIN.
    func shutDown() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
    }

    /// Makes ``close()`` send RST.
    func abortOnClose() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Gives the descriptor back; nothing may be called after it.
    func close() {
        _ = systemClose(descriptor)
    }

    private func waitUntilReady(_ events: Int16) -> Bool {
        while true {
            var entries = [
                pollfd(fd: closing.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: events, revents: 0),
            ]
            _ = poll(&entries, nfds_t(entries.count), -1)
            if entries[0].revents != 0 { return false }
            if entries[1].revents != 0 { return true }
        }
    }

    private func isTransient(_ code: Int32) -> Bool {
        code == EAGAIN || code == EWOULDBLOCK || code == EINTR
    }

    /// Rounded up, so that a wait is never cut short.
    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = (deadline - ContinuousClock.now) / Duration.milliseconds(1)
        return Int32(min(max(left.rounded(.up), 0), Double(Int32.max)))
    }

    /// A peer that has gone is an ordinary result here, not a signal that ends the process. Darwin says so per socket.
    private static var sendFlags: Int32 {
        #if canImport(Darwin)
        0
        #else
        Int32(MSG_NOSIGNAL)
        #endif
    }

    /// POLLHUP and POLLERR are always reported; a peer's FIN has to be asked for.
    private static var peerLeftEvents: Int16 {
        #if canImport(Darwin)
        Int16(POLLHUP)
        #else
        // POLLRDHUP, which the header shows to GNU sources only.
        0x2000
        #endif
    }
}
