internal import CCurl
internal import CoreAPICore

// A response that is complete before its request is sent does not end the exchange.
//
// - Over HTTP/1.1 libcurl sends the whole rest after a success. If the server closes, it ends with `CURLE_SEND_ERROR`; if
//   the server stops reading, it waits forever.
// - Over HTTP/2 it keeps sending, or spins forever because it no longer reads window updates. Or it discards the response at
//   the RST_STREAM(NO_ERROR) by which the server asks for no more (RFC 9113 §8.1).
// - Over HTTP/2 libcurl 8 ends with `CURLE_SEND_ERROR` if it sends the last bytes in the call in which the response ended.
//
// The kit ends the exchange itself when the response has reached its `Content-Length` or has no body. Over HTTP/2 it does so
// at END_STREAM, and hides the reset from libcurl (`HTTP2StreamMonitor.takeComplete()`). For a response without a length or a
// visible end, only the timeouts help. Also `EarlyAnswerTests` and `StreamEndTests.answeredAtTheEnd`.

extension Exchange {
    /// Whether a part of the request is still to be sent.
    var isSending: Bool {
        guard let length = upload.length else { return !upload.isAtEnd }
        return length > 0 && handle?.uploadedBytes != length
    }

    /// Whether the response has reached the end that its head announced, or that of its stream.
    fileprivate var isResponseComplete: Bool {
        guard hasHead, let handle else { return false }
        if http2.hasEnded { return handle.receivedBytes == http2.bytes }
        if handle.head.status == 204 || handle.head.status == 304 { return true }
        return handle.announcedBytes >= 0 && bodyEnd.taken == handle.announcedBytes
    }

    /// Called when a head is complete: its response may be complete before the request is.
    func noteEarlyHead(in connections: LoopConnections) { if upload.length != 0, isSending { connections.early.append(self) } }
    /// Whether the rest of the request failed to be sent after the whole response arrived, so that the failure does not matter.
    func isOver(in spite: CURLcode) -> Bool { spite == CURLE_SEND_ERROR && isResponseComplete }
}

extension LoopConnections {
    /// The exchanges whose responses are complete although libcurl is still sending their requests.
    func takeComplete() -> [Exchange] {
        guard !early.isEmpty else { return [] }
        early.removeAll { !$0.phase.isActive || !$0.isSending }
        return early.filter(\.isResponseComplete)
    }
}
