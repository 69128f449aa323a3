internal import Foundation

// libcurl reuses an HTTP/1.1 connection although it has unread bytes that answer no request. It reads them as the response
// to the next request, and from then on every response belongs to the request before. RFC 9112 §9.2 forbids using such a
// connection.
//
// The kit checks a connection before the request is sent, and uses a new one if any bytes wait: on its socket, or decrypted
// in OpenSSL. Newer libraries check the socket themselves, but not OpenSSL, and another caller's response is too high a
// price for a guess. Also `SpoiltConnectionTests`.

extension LoopConnection {
    /// Whether bytes, or the peer's end of the connection, wait to be read although no request was sent.
    ///
    /// - Parameter handle: the handle that is to use it, if it has TLS.
    func hasUnreadBytes(_ handle: CurlHandle?) -> Bool { hasReadableSocket || handle?.hasUnreadTLSBytes == true }

    private var hasReadableSocket: Bool {
        guard let socket else { return false }
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
