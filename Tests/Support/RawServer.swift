internal import CoreAPI
public import Foundation

/// A server that reads exactly the bytes that a test requests.
public final class RawServer: Sendable {
    /// One connection. Its descriptor stays taken while a thread has the connection: a call with the number of a closed one would
    /// reach the socket of another test.
    ///
    /// `@unchecked`: one thread reads, and one thread writes.
    public final class Connection: @unchecked Sendable {
        private let descriptor: Int32
        private var pending = Data()
        private let hasEnded = Mutex(false)
        public var isClosed: Bool { hasEnded.withLock { $0 } }

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }

        /// The next request's head; `nil` after the last.
        public func head() -> Head? {
            let end = Data("\r\n\r\n".utf8)
            while true {
                if let range = pending.range(of: end) {
                    let text = String(decoding: pending[..<range.lowerBound], as: UTF8.self)
                    pending = Data(pending[range.upperBound...])
                    return Head(text)
                }
                guard receive(65_536) else { return nil }
            }
        }

        /// Up to so many bytes; empty at the end.
        public func read(upTo count: Int) -> Data {
            if pending.isEmpty, !receive(count) { return Data() }
            let piece = Data(pending.prefix(count))
            pending = Data(pending.dropFirst(count))
            return piece
        }

        /// Reads a body of known length.
        ///
        /// - Returns: the number of its bytes that came.
        public func discardBody(_ head: Head) -> Int {
            var left = head.length
            while left > 0, case let piece = read(upTo: min(left, 65_536)), !piece.isEmpty { left -= piece.count }
            return head.length - left
        }

        /// Whether a byte arrives in time.
        public func hasByte(within milliseconds: Int32) -> Bool {
            guard pending.isEmpty else { return true }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, milliseconds) > 0
        }

        public func send(_ text: String) { send(Data(text.utf8)) }

        public func send(_ data: Data) { _ = data.withUnsafeBytes { Self.send(descriptor, $0.baseAddress, $0.count) } }

        public func answer(_ status: Int, _ fields: [String: String] = [:], _ body: String = "") {
            var lines = ["HTTP/1.1 \(status) X"] + fields.map { "\($0.key): \($0.value)" }
            if status != 204 { lines.append("Content-Length: \(body.utf8.count)") }
            send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }

        /// Ends the connection, by a reset or in the orderly way.
        public func cut(resetting: Bool = true) {
            let isFirst = hasEnded.withLock { hasEnded in
                defer { hasEnded = true }
                return !hasEnded
            }
            guard isFirst else { return }
            if resetting {
                var linger = linger(l_onoff: 1, l_linger: 0)
                _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
            }
            // Closes the socket, and keeps its number.
            let other = open("/dev/null", O_RDWR)
            dup2(other, descriptor)
            close(other)
        }

        /// Ends the sending half; the peer may still send.
        public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

        /// Waits until the peer has closed the connection, at most twenty seconds.
        public func waitForEnd() {
            // POLLRDHUP: poll returns without reading what the peer has sent.
            var entry = pollfd(fd: descriptor, events: 0x2000, revents: 0)
            _ = poll(&entry, 1, 20_000)
        }

        public func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

        private func receive(_ count: Int) -> Bool {
            var buffer = [UInt8](repeating: 0, count: count)
            let received = recv(descriptor, &buffer, count, 0)
            guard received > 0 else { return false }
            pending += buffer[..<received]
            return true
        }

        private static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
            #if canImport(Darwin)
            Darwin.send(descriptor, bytes, count, 0)
            #else
            Glibc.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
            #endif
        }
    }

    public struct Head {
        public let method: String
        public let target: String
        public let fields: [String: String]

        init(_ text: String) {
            let lines = text.components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ").map(String.init)
            (method, target) = (words.first ?? "", words.count > 1 ? words[1] : "")
            var fields: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if parts.count == 2 { fields[parts[0].lowercased()] = parts[1] }
            }
            self.fields = fields
        }

        public var length: Int { fields["content-length"].flatMap { Int($0) } ?? 0 }
    }

    /// A socket, and an address on loopback.
    private static func socket(port: UInt16) -> (Int32, sockaddr_in) {
        #if canImport(Darwin)
        let descriptor = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return (descriptor, address)
    }

    /// Connects to a server of another program.
    public static func connect(port: UInt16) -> Connection? {
        var (descriptor, address) = socket(port: port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                systemConnect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        return isConnected ? Connection(descriptor) : nil
    }

    /// Forwards all bytes until one side ends.
    public static func copy(from one: Connection, to other: Connection) {
        while case let piece = one.read(upTo: 65_536), !piece.isEmpty { other.send(piece) }
    }

    private let listener: Int32
    /// Whether the accepting thread is to end and to close the listener.
    private let isOver: Shared<Bool>
    public let port: UInt16
    public var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameter serve: called once per connection, on its own thread.
    public init(_ serve: @escaping @Sendable (Connection) -> Void) throws {
        let (listener, any) = Self.socket(port: 0)
        var (address, length) = (any, socklen_t(MemoryLayout<sockaddr_in>.size))
        let isOver = Shared(false)
        (self.listener, self.isOver) = (listener, isOver)
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, address, &length) == 0
            }
        }
        guard isReady else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while true {
                let descriptor = accept(listener, nil, nil)
                // A peer that has gone again, or a signal, is no end.
                guard descriptor >= 0 || isOver.current else { continue }
                guard descriptor >= 0 else {
                    // Closed here: its number, given to the next server, would let this thread accept that server's connections.
                    close(listener)
                    return
                }
                Thread.detachNewThread {
                    let connection = Connection(descriptor)
                    serve(connection)
                    connection.cut(resetting: false)
                }
            }
        }
    }

    deinit {
        // Ends the accepting thread; each connection ends with its peer.
        isOver.change { $0 = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }
}

// `RawServer` has a method of this name.
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}
