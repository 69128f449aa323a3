extension Defect {
    /// An HTTP/2 stream that is reset with NO_ERROR before its end, or that lies on a connection which libcurl itself gives up,
    /// is a complete response to libcurl. Without a `Content-Length` nothing contradicts.
    ///
    /// The kit sees END_STREAM itself (``HTTP2StreamMonitor``); a body without it is truncated. Where it cannot be seen, the
    /// response says that its end was not announced (``TransferMetrics/isEndAnnounced``). Shown by
    /// `WorkaroundTests.unannouncedEnd`.
    static let unannouncedEnd = Defect(7, in: .every)
}
