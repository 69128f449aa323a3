internal import CHTTP2Observer

// libcurl reports some incomplete HTTP/2 streams as complete: a stream that is reset with NO_ERROR before its end, or a
// stream on a connection that libcurl itself abandons. Without a `Content-Length` nothing contradicts.
//
// The kit observes END_STREAM itself (`HTTP2StreamMonitor`); a body without it is truncated. If it cannot be observed, the
// response reports that its end was not announced (`ExchangeMetrics.isEndAnnounced`).

extension HTTP2StreamMonitor {
    /// Whether the server has ended the exchange's stream; `nil` if that cannot be observed.
    func hasEnded(_ handle: CurlHandle) -> Bool? { chttp2_is_in_use() ? ended.contains(handle.easy) : nil }
}
