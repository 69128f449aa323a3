internal import CCurl
internal import CoreAPICore

// Every libcurl looks for the end of some bodies elsewhere than RFC 9112 §6.3 says, so there is no switch:
//
// - It ignores a length beside a `Transfer-Encoding` that codes nothing, and reads to the connection's end.
// - It reads the body of a 205 that announces no length to the connection's end (RFC 9110 §15.3.6).
// - It reuses the connection of a 204 that announces a body, whose bytes it would read as the next answer.
//
// The kit finds the end itself in these cases, stops the transfer there, and does not use the connection again. Shown by
// `TruncationTests` and `ResponseHeadTests`.

extension CurlTransfer {
    /// Looks where the body ends, where libcurl sees that otherwise: behind a 204, which ends at its head (RFC 9112 §6.3), behind
    /// a 205 that announces nothing (RFC 9110 §15.3.6), and behind `Transfer-Encoding: identity`, for which it ignores the
    /// length.
    ///
    /// - Returns: whether the body is whole already.
    /// - Throws: ``ResponseHeadParser/Malformed`` where a body follows whose end cannot be told.
    func findBodyEnd() throws(ResponseHeadParser.Malformed) -> Bool {
        guard let handle, !isOverHTTP2, request.method != "HEAD", !handle.head.isNotModified else { return false }
        if handle.head.isNoContent {
            // The bytes of an announced body may come later, and would be read as the next answer on the connection.
            let parsed = try? ResponseHeadParser.parse(handle.head.bytes, lines: handle.head.framing, readsFramingOf204: true)
            if parsed?.isChunked != false || parsed?.contentLength ?? 0 != 0 { try? handle.forbidReuse() }
            return false
        }
        let parsed = try ResponseHeadParser.parse(handle.head.bytes, lines: handle.head.framing)
        guard !parsed.isChunked else { return false }
        if let length = parsed.contentLength {
            guard parsed.namesIdentity else { return false }
            remaining = length
            isBodyWhole = length == 0
        } else {
            isBodyWhole = handle.head.isResetContent && !parsed.namesIdentity
        }
        if isBodyWhole || remaining != nil { try? handle.forbidReuse() }
        return isBodyWhole
    }

    /// Bytes of the body that came. libcurl may leave the piece out at which the kit stopped it.
    func bytesOfBody(announced: Int64?) -> Int64 {
        let received = outcome.metrics?.bytesReceived ?? 0
        return isBodyWhole ? max(received, announced ?? 0) : received
    }
}
