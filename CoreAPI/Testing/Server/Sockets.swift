internal import CoreAPIHTTP
import Foundation

// The system calls whose names are also methods of this module. A bare call inside such a type would find the method.
let systemAccept = accept
let systemClose = close
let systemSend = send

func setOption<Value: BitwiseCopyable>(_ name: Int32, of descriptor: Int32, level: Int32 = SOL_SOCKET, to value: Value) {
    var value = value
    _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Value>.size))
}

/// A descriptor, `nil` for one that is never ready, and the events of `poll` that it is ready by.
typealias DescriptorEvents = (descriptor: Int32?, events: Int32)

/// Blocks until a descriptor is ready or the time is over; without a time for as long as it takes. Returns the index of the first
/// one that is ready; `nil` also after a signal.
func firstReady(_ waits: [DescriptorEvents], milliseconds: Int32 = -1) -> Int? {
    var entries = waits.map { pollfd(fd: $0.descriptor ?? -1, events: Int16($0.events), revents: 0) }
    _ = poll(&entries, nfds_t(entries.count), milliseconds)
    return entries.firstIndex { $0.revents != 0 }
}

/// A one-way switch that `poll` can wait for, together with a socket: a pipe whose writing end is closed to open it. Closing
/// wakes all present and future pollers, and no bytes need be read, so no wake-up is lost.
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

    /// A second call does nothing.
    func open() {
        writingEnd.withLock { end in
            if let descriptor = end { _ = systemClose(descriptor) }
            end = nil
        }
    }

    /// Blocks the thread until the latch is open or the time is over. Returns whether it is open.
    @discardableResult
    func wait(milliseconds: Int32) -> Bool { firstReady([(descriptor, POLLIN)], milliseconds: milliseconds) != nil }

    var isOpen: Bool { wait(milliseconds: 0) }
}

/// The addresses that only this machine can reach. This module binds and connects to no others.
public enum LoopbackAddress: Sendable {
    /// 127.0.0.1
    case ipv4
    /// ::1
    case ipv6

    /// The form in a URL.
    var host: String { self == .ipv4 ? "127.0.0.1" : "[::1]" }

    /// Makes a non-blocking TCP socket that child processes do not inherit.
    func makeSocket() throws(LoopbackServerError) -> Int32 {
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let descriptor = socket(self == .ipv4 ? AF_INET : AF_INET6, stream, 0)
        guard descriptor >= 0 else { throw .last("socket") }
        Self.configure(descriptor)
        return descriptor
    }

    /// Accepts a connection, as a non-blocking socket; nil if there is none after all, or `errno` has the reason.
    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = systemAccept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        configure(descriptor)
        // Small steps must arrive when they are played, and not when the system considers them worth a packet.
        setOption(TCP_NODELAY, of: descriptor, level: Int32(IPPROTO_TCP), to: Int32(1))
        return descriptor
    }

    /// Calls with this address and a port as a `sockaddr`.
    func with<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        func call<Address>(with address: Address) -> Result {
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
            }
        }
        switch self {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return call(with: address)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            return call(with: address)
        }
    }

    /// The port that a socket is bound to; it has the same offset for both families.
    static func port(of descriptor: Int32) throws(LoopbackServerError) -> UInt16 {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw .last("getsockname") }
        return UInt16(bigEndian: address.sin6_port)
    }

    private static func configure(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        // Darwin has no MSG_NOSIGNAL; the socket itself must be set not to raise SIGPIPE.
        setOption(SO_NOSIGPIPE, of: descriptor, to: Int32(1))
        #endif
    }
}

struct ListeningSocket: Sendable {
    let port: UInt16
    private let descriptor: Int32

    /// Port 0 takes any free port. The backlog is how many connections the system completes before they are accepted.
    init(on address: LoopbackAddress = .ipv4, port: UInt16, backlog: Int32 = SOMAXCONN) throws(LoopbackServerError) {
        let descriptor = try address.makeSocket()
        do throws(LoopbackServerError) {
            // A port that a test reuses was often in use a moment ago; both sockets must allow that.
            setOption(SO_REUSEADDR, of: descriptor, to: Int32(1))
            guard address.with(port: port, { bind(descriptor, $0, $1) }) == 0 else { throw .last("bind") }
            guard listen(descriptor, backlog) == 0 else { throw .last("listen") }
            self.port = try LoopbackAddress.port(of: descriptor)
            self.descriptor = descriptor
        } catch {
            _ = systemClose(descriptor)
            throw error
        }
    }

    /// Blocks until there is a connection: its descriptor, non-blocking; nil as soon as the latch is open.
    func accept(until closing: Latch) -> Int32? {
        while true {
            guard let ready = firstReady([(closing.descriptor, POLLIN), (descriptor, POLLIN)]) else { continue }
            if ready == 0 { return nil }
            if let connection = LoopbackAddress.accept(descriptor) { return connection }
            // Without free descriptors the listener stays readable: without a pause this would spin until some are closed.
            if errno == EMFILE || errno == ENFILE { closing.wait(milliseconds: 10) }
        }
    }

    func close() { _ = systemClose(descriptor) }
}

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
        var fillers: [Int32] = []
        do throws(LoopbackServerError) {
            while try !Self.hangs(to: port, &fillers) {
                guard fillers.count < 16 else {
                    throw .timedOut("waited for the queue of port \(port) to fill; it took \(fillers.count) connections")
                }
            }
        } catch {
            Self.close(fillers, listener)
            throw error
        }
        self.fillers = fillers
    }

    deinit { Self.close(fillers, listener) }

    /// The base URL, without a final slash: `http://127.0.0.1:PORT`.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// Adds a connection, and returns whether it hangs. A queue of length 0 holds one on Linux; others get a few tries.
    private static func hangs(to port: UInt16, _ fillers: inout [Int32]) throws(LoopbackServerError) -> Bool {
        let descriptor = try LoopbackAddress.ipv4.makeSocket()
        fillers.append(descriptor)
        _ = LoopbackAddress.ipv4.with(port: port) { connect(descriptor, $0, $1) }
        // A handshake over loopback takes microseconds; one that takes this long is stuck.
        return firstReady([(descriptor, POLLOUT)], milliseconds: 50) == nil
    }

    private static func close(_ fillers: [Int32], _ listener: ListeningSocket) {
        for descriptor in fillers { _ = systemClose(descriptor) }
        listener.close()
    }
}
