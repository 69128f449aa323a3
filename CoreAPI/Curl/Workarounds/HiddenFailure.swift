extension CurlDefect {
    /// libcurl reports three failures alike, as a lost connection: a stream that the server rejected, one that nghttp2 rejected,
    /// and one whose head is too long. If nghttp2 abandoned the connection, libcurl may wait forever.
    ///
    /// The kit observes these failures itself (``HTTP2StreamMonitor``). It sends rejected requests again (RFC 9113 §8.7), and at
    /// once ends streams that can receive no more data. Without that view, a rejected order is reported as one that may have been
    /// processed, and the timeouts end the rest. Shown by `WorkaroundTests.hiddenFailure`.
    static let hiddenFailure = CurlDefect(8, in: .every)
}
