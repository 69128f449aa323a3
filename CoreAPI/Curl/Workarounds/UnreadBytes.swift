internal import CoreAPICore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

extension Defect {
    /// libcurl reuses an HTTP/1.1 connection although bytes lie on it that no request has asked for. It takes them for the answer
    /// to the next request, and every answer after it is the one before (RFC 9112 §9.3 leaves such a connection unusable).
    ///
    /// The kit looks at a connection before the request leaves, and takes a fresh one where anything waits to be read: on its
    /// socket, or decrypted in OpenSSL. Newer libraries look at the socket themselves, but not into OpenSSL, and another's answer
    /// is too high a price for a guess. Shown by `WorkaroundTests.unreadBytes` and `SpoiltConnectionTests`.
    static let unreadBytes = Defect(0, in: .every)
}

extension CurlTransfer {
    /// Whether bytes, or the peer's end of the connection, wait to be read although nothing was asked for.
    func findsUnreadBytes(on connection: LoopConnection, _ handle: CurlHandle) -> Bool {
        guard handle.library.has(.unreadBytes) else { return false }
        return connection.hasUnreadBytes() || (request.url.scheme == .https && handle.hasUnreadTLSBytes)
    }
}

extension LoopConnection {
    fileprivate func hasUnreadBytes() -> Bool {
        guard let socket else { return false }
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
