import TestSupport

/// A client of plain POSIX calls, so that no HTTP library affects the results.
/// Every call ends within five seconds.
final class RawClient {
    struct Failed: Error, Equatable {
        let call: String
        let code: Int32
    }

    private let descriptor: Int32
    private var isClosed = false

    convenience init(_ server: LoopbackServer, sending text: String = "") throws {
        try self.init(port: server.port)
        try send(text)
    }

    init(port: UInt16) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Failed(call: "socket", code: errno) }
        // That of sending limits connect, too, which then fails with EINPROGRESS.
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            var limit = timeval(tv_sec: 5, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout.size(ofValue: limit)))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failed(call: "connect", code: errno) }
    }

    deinit { close() }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        _ = systemClose(descriptor)
    }

    func send(_ text: String) throws { try send(Data(text.utf8)) }

    func send(_ bytes: Data) throws {
        var rest = bytes
        while !rest.isEmpty {
            #if canImport(Darwin)
            let flags: Int32 = 0
            #else
            let flags = Int32(MSG_NOSIGNAL)
            #endif
            let count = rest.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { throw Failed(call: "send", code: errno) }
            rest = Data(rest.dropFirst(count))
        }
    }

    /// The available bytes; none at the end of the stream.
    func receive() throws -> Data {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw Failed(call: "recv", code: errno) }
        return Data(buffer[..<count])
    }

    /// All bytes until the stream ends, or ends with this text.
    func receive(through end: String) throws -> String {
        var text = ""
        while !text.hasSuffix(end) {
            let bytes = try receive()
            if bytes.isEmpty { break }
            text += String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    func receiveToEnd() throws -> Data {
        var all = Data()
        while case let bytes = try receive(), !bytes.isEmpty { all.append(bytes) }
        return all
    }

    /// Whether bytes or an end arrive within the time.
    func hasSomething(within milliseconds: Int32) async -> Bool {
        let descriptor = descriptor
        defer { withExtendedLifetime(self) {} }
        return await onOwnThread {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, milliseconds) > 0
        }
    }

    /// Sends a `GET` and reads to the end of a reply that ends with this text.
    func get(_ target: String, through end: String) throws -> String {
        try send("GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
        return try receive(through: end)
    }
}

/// Runs what waits on a thread of its own, because Swift's pool has few.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in Thread.detachNewThread { continuation.resume(returning: body()) } }
}

// Inside the class these names mean its own methods.
private let systemClose = close
private let systemSend = send
