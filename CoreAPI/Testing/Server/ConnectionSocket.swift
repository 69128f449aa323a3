internal import CoreAPIHTTP
import Foundation

/// One accepted connection, with or without TLS. One thread reads; several may write. All blocking calls end when the server
/// closes.
final class ConnectionSocket: Sendable {
    enum HoldEnd { case timePassed, latchOpened, peerLeft, serverCloses }

    private let descriptor: Int32
    private let closing: Latch
    private let tls: TLSSession?
    /// Held from encrypting bytes until they are sent, so that records are sent in order.
    private let writing = NSLock()

    init(_ descriptor: Int32, closing: Latch, tls: TLSSession? = nil) {
        (self.descriptor, self.closing, self.tls) = (descriptor, closing, tls)
    }

    var isClosing: Bool { closing.isOpen }
    /// The result of the handshake; nil without TLS.
    var security: ConnectionSecurity? { tls?.security }
    var speaksHTTP2: Bool { tls?.speaksHTTP2 ?? false }

    /// Blocks until the TLS handshake is done; returns at once without TLS. True if the connection can be used.
    func handshake() -> Bool {
        guard let tls else { return true }
        while true {
            let state = tls.handshake()
            // A failed handshake sends bytes, too: its alert.
            guard flush(), state != false else { return false }
            if state == true { return true }
            guard let bytes = receiveRaw() else { return false }
            tls.feed(bytes)
        }
    }

    /// Blocks until bytes arrive, and returns them; nil if the peer has ended, the server is closing or the latch opens. Bytes
    /// that have arrived come first.
    func receive(orUntil interruption: Latch? = nil) -> Data? {
        guard let tls else { return receiveRaw(orUntil: interruption) }
        while let bytes = tls.read() {
            if !bytes.isEmpty { return bytes }
            guard flush(), let input = receiveRaw(orUntil: interruption) else { return nil }
            tls.feed(input)
        }
        return nil
    }

    private func receiveRaw(orUntil interruption: Latch? = nil) -> Data? {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while waitUntilReady(POLLIN, orUntil: interruption) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return Data(buffer[..<count]) }
            guard count < 0, isTransient(errno) else { return nil }
        }
        return nil
    }

    /// Sends all bytes, however slowly the peer takes them. False if the peer has gone or the server is closing.
    @discardableResult
    func send(_ bytes: Data) -> Bool {
        writing.withLock {
            guard let tls else { return sendRaw(bytes) }
            let isWritten = tls.write(bytes)
            return sendRaw(tls.drain()) && isWritten
        }
    }

    /// Sends bytes outside of TLS, which no correct server does.
    @discardableResult
    func sendUnencrypted(_ bytes: Data) -> Bool { writing.withLock { sendRaw(bytes) } }

    /// Sends TLS's own pending bytes.
    private func flush() -> Bool {
        guard let tls else { return true }
        return writing.withLock { sendRaw(tls.drain()) }
    }

    private func sendRaw(_ bytes: Data) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard waitUntilReady(POLLOUT) else { return false }
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
    /// Without a time and a latch only the last two end it. A second latch counts as the peer's leaving.
    func hold(for duration: Duration? = nil, until latch: Latch? = nil, orEnd end: Latch? = nil) -> HoldEnd {
        let deadline = duration.map { ContinuousClock.now + $0 }
        let waits: [DescriptorEvents] = [
            (closing.descriptor, POLLIN), (latch?.descriptor, POLLIN), (descriptor, Self.peerLeft), (end?.descriptor, POLLIN),
        ]
        while true {
            switch firstReady(waits, milliseconds: deadline.map(Self.milliseconds(until:)) ?? -1) {
            case 0: return .serverCloses
            case 1: return .latchOpened
            case 2, 3: return .peerLeft
            default: if let deadline, ContinuousClock.now >= deadline { return .timePassed }
            }
        }
    }

    /// Ends the connection in the orderly way, TLS before TCP. Unread input is read first, because closing over it would send
    /// RST, not FIN. Threads that read or wait on this connection are told that it is over. Without TLS's `close_notify` a
    /// client cannot distinguish an end from a cut.
    func shutDown(sendingCloseNotify sendsCloseNotify: Bool = true) {
        endSending(withCloseNotify: sendsCloseNotify)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
        _ = shutdown(descriptor, Int32(SHUT_RD))
    }

    /// Ends the connection for sending and blocks until the peer has left, for at most five seconds. If the peer still sends
    /// after a close, the resulting reset would destroy the last bytes.
    func waitForPeerToLeave() {
        endSending(withCloseNotify: false)
        _ = hold(for: .seconds(5))
    }

    /// Sends no more, but keeps reading. Otherwise a peer that is still sending would receive RST before it has read the
    /// response.
    func endSending(withCloseNotify: Bool = true) {
        if withCloseNotify { _ = endTLS() }
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Sends TLS's `close_notify`, and nothing of TCP's. True if the connection is still open.
    func endTLS() -> Bool {
        tls?.shutDown()
        return flush()
    }

    /// Makes ``close()`` send RST. Threads that read or wait on this connection are told that it is over.
    func abortOnClose() {
        setOption(SO_LINGER, of: descriptor, to: linger(l_onoff: 1, l_linger: 0))
        _ = shutdown(descriptor, Int32(SHUT_RD))
    }

    /// Closes the descriptor; no method may be called after it.
    func close() { _ = systemClose(descriptor) }

    private func waitUntilReady(_ events: Int32, orUntil interruption: Latch? = nil) -> Bool {
        while true {
            switch firstReady([(closing.descriptor, POLLIN), (descriptor, events), (interruption?.descriptor, POLLIN)]) {
            case 1: return true
            case nil: continue
            default: return false
            }
        }
    }

    private func isTransient(_ code: Int32) -> Bool { code == EAGAIN || code == EWOULDBLOCK || code == EINTR }

    /// Rounded up, so that a wait is never cut short.
    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = (deadline - ContinuousClock.now) / Duration.milliseconds(1)
        return Int32(min(max(left.rounded(.up), 0), Double(Int32.max)))
    }

    #if canImport(Darwin)
    private static let sendFlags: Int32 = 0
    private static let peerLeft = POLLHUP
    #else
    /// A peer that has gone is an ordinary result here and must not raise a signal that ends the process. On Darwin this is set
    /// per socket.
    private static let sendFlags = Int32(MSG_NOSIGNAL)
    /// POLLRDHUP, which the header defines for GNU sources only. POLLHUP and POLLERR are always reported, a FIN is not.
    private static let peerLeft: Int32 = 0x2000
    #endif
}
