internal import CoreAPICore

extension Defect {
    /// libcurl buffers data that it reads for other streams of an HTTP/2 connection, and may lose the timer that would deliver
    /// it: the timer is set during a call and may be removed at the end of the same call. For data behind an answer without
    /// room, it sets no timer.
    ///
    /// The kit calls libcurl again for all transfers while streams have ended that it has not told of, or connections hold what
    /// was read (``HTTP2StreamMonitor/takeUntold(moved:)``). Where that cannot be seen, it calls again after every movement, and
    /// every 50 ms. The fault shows in one burst of ten; `HTTP2Tests.bursts` and `StreamRoomTests`
    /// show that no answer waits.
    static let lostTimer = Defect(10, in: .every)
}
