#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A port of 127.0.0.1 where a TCP connect neither succeeds nor fails, so that the client's connect timeout expires.
///
/// It listens, accepts no connection, and has filled its own short queue, so the system drops every further attempt. Verified on
/// Linux, where a full queue does that.
public final class StalledListener: Sendable {
    /// The port of the stalled listener.
    public let port: UInt16

    private let listener: ListeningSocket
    private let fillers: [Int32]

    /// Opens the port and fills its queue.
    ///
    /// - Throws: ``LoopbackServerError`` if the process has no descriptors left, or the queue never fills.
    public init() throws(LoopbackServerError) {
        listener = try ListeningSocket(port: 0, backlog: 0)
        port = listener.port
        fillers = try Self.fill(listener)
    }

    deinit {
        for descriptor in fillers { _ = systemClose(descriptor) }
        listener.close()
    }

    /// The base URL, without a final slash: `http://127.0.0.1:PORT`.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// Connects until a connection hangs. A queue of length 0 holds one on Linux; systems that hold more get a few tries.
    private static func fill(_ listener: ListeningSocket) throws(LoopbackServerError) -> [Int32] {
        var fillers: [Int32] = []
        for _ in 0..<16 {
            let descriptor: Int32
            do {
                descriptor = try LoopbackAddress.ipv4.makeSocket()
            } catch {
                abandon(fillers, listener)
                throw error
            }
            fillers.append(descriptor)
            _ = LoopbackAddress.ipv4.with(port: listener.port) { connect(descriptor, $0, $1) }
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            // A handshake over loopback takes microseconds; one that takes this long is stuck.
            if poll(&entry, 1, 50) == 0 { return fillers }
        }
        abandon(fillers, listener)
        throw .timedOut("waited for the queue of port \(listener.port) to fill; it took \(fillers.count) connections")
    }

    private static func abandon(_ fillers: [Int32], _ listener: ListeningSocket) {
        for descriptor in fillers { _ = systemClose(descriptor) }
        listener.close()
    }
}
