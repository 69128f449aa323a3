#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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
        let family = self == .ipv4 ? AF_INET : AF_INET6
        #if canImport(Glibc)
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
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
        var yes: Int32 = 1
        _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
        return descriptor
    }

    /// Calls with this address and a port as a `sockaddr`.
    func with<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        switch self {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return Self.call(body, with: &address)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            return Self.call(body, with: &address)
        }
    }

    private static func call<Address, Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result, with address: inout Address
    ) -> Result {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
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
        var yes: Int32 = 1
        _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
        #endif
    }
}
