extension Defect {
    /// libcurl has one word for a stream that the server refused, one that nghttp2 found unsound and one whose head is too
    /// long: a lost connection. For a connection that nghttp2 gave up it may wait for ever.
    ///
    /// The kit hears of these itself (``HTTP2StreamMonitor``), sends again what was refused (RFC 9113 §8.7), and ends at once
    /// what can come no more. Where that cannot be seen, an order that was refused is reported as one that may have been
    /// processed, and the clocks end the rest. Shown by `WorkaroundTests.hiddenFailure`.
    static let hiddenFailure = Defect(8, in: .every)
}
