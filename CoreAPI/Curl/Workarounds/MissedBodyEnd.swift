internal import CoreAPICore

// libcurl looks for the end of some bodies at another offset than RFC 9112 §6.3.
//
// - It ignores a length beside a `Transfer-Encoding` that codes nothing, and reads to the connection's end.
// - After an invalid length it reads to the connection's end or takes a part of the value, and may use the connection again.
// - It reads the body of a 205 that announces no length to the connection's end (RFC 9110 §15.3.6).
// - It reuses the connection of a 204 that announces a body, whose bytes it would read as the next response.
//
// In these cases the kit finds the end itself, stops the exchange there, and does not reuse the connection. Also
// `TruncationTests`, `ResponseHeadTests` and `SpoiltConnectionTests.invalidLength`.

extension BodyEnd {
    /// Finds the end of a body that libcurl would miss.
    ///
    /// - Parameter handle: has the complete head of an HTTP/1 response.
    /// - Throws: ``TransportError`` for a body whose end is unknown.
    mutating func find(for request: PreparedRequest, _ handle: CurlHandle) throws(TransportError) {
        guard request.method != "HEAD", handle.head.status != 304 else { return }
        if handle.head.status == 204 {
            // The bytes of an announced body may arrive later, and would be read as the next response on the connection.
            let parsed = try? ResponseHeadParser.parse(handle.head.bytes, lines: handle.head.framing, readsFramingOf204: true)
            if parsed?.isChunked != false || parsed?.contentLength ?? 0 != 0 { try? handle.forbidReuse() }
            return
        }
        let parsed = try ResponseHeadParser.parse(handle.head.bytes, lines: handle.head.framing)
        guard !parsed.isChunked else {
            // Another reader would read to the connection's end.
            if parsed.hasCodingBehindChunks { try? handle.forbidReuse() }
            return
        }
        if let length = parsed.contentLength {
            guard parsed.namesIdentity else { return }
            remaining = length
            isDecided = length == 0
        } else {
            isDecided = handle.head.status == 205 && !parsed.namesIdentity
        }
        if isDecided || remaining != nil { try? handle.forbidReuse() }
    }
}
