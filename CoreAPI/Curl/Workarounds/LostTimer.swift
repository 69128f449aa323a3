internal import CoreAPICore

extension Defect {
    /// libcurl buffers data that it reads for other streams of an HTTP/2 connection, and may lose the timer that would deliver
    /// it. The timer is set during a call and may be removed at the end of the same call. For data after an answer without room,
    /// it sets no timer.
    ///
    /// The kit calls libcurl again for all transfers while it has not reported ended streams, or while connections hold read data
    /// (``HTTP2StreamMonitor/takeHeldAnswers(moved:)``). Without that view, it calls again after every movement, and every 50 ms.
    /// The fault shows in one burst of ten; `HTTP2Tests.bursts` and `StreamRoomTests` show that no answer waits.
    static let lostTimer = Defect(10, in: .every)
}
