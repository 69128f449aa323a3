#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A TCP socket that listens on loopback.
struct ListeningSocket: Sendable {
    let port: UInt16
    private let descriptor: Int32

    /// - Parameters:
    ///   - port: 0 takes any free port.
    ///   - backlog: How many connections the system completes before they are accepted; the largest it allows by default.
    init(on address: LoopbackAddress = .ipv4, port: UInt16, backlog: Int32 = SOMAXCONN) throws(LoopbackServerError) {
        let descriptor = try address.makeSocket()
        do throws(LoopbackServerError) {
            // A port that a test reuses was often in use a moment ago; both sockets must allow that.
            var yes: Int32 = 1
            _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
            guard address.with(port: port, { bind(descriptor, $0, $1) }) == 0 else { throw .last("bind") }
            guard listen(descriptor, backlog) == 0 else { throw .last("listen") }
            self.port = try LoopbackAddress.port(of: descriptor)
            self.descriptor = descriptor
        } catch {
            _ = systemClose(descriptor)
            throw error
        }
    }

    /// Blocks until there is a connection.
    ///
    /// - Returns: Its descriptor, non-blocking; nil as soon as the latch is open.
    func accept(until closing: Latch) -> Int32? {
        while true {
            var entries = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: closing.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&entries, nfds_t(entries.count), -1)
            guard entries[1].revents == 0 else { return nil }
            guard entries[0].revents != 0 else { continue }
            if let connection = LoopbackAddress.accept(descriptor) { return connection }
            // Without free descriptors the listener stays readable: without a pause this would spin until some are closed.
            if errno == EMFILE || errno == ENFILE { closing.wait(milliseconds: 10) }
        }
    }

    func close() {
        _ = systemClose(descriptor)
    }
}
