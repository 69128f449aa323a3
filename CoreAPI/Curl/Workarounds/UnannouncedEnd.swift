extension CurlDefect {
    /// libcurl reports some incomplete HTTP/2 streams as complete: a stream that is reset with NO_ERROR before its end, or a
    /// stream on a connection that libcurl itself abandons. Without a `Content-Length` nothing contradicts.
    ///
    /// The kit observes END_STREAM itself (``HTTP2StreamMonitor``); a body without it is truncated. If it cannot be observed, the
    /// response reports that its end was not announced (``ExchangeMetrics/isEndAnnounced``). Shown by
    /// `WorkaroundTests.unannouncedEnd`.
    static let unannouncedEnd = CurlDefect(7, in: .every)
}
