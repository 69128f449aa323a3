internal import CoreAPICore

// libcurl buffers data that it reads for other streams of an HTTP/2 connection, and may lose the timer that would deliver
// it. The timer is set during a call and may be removed at the end of the same call. For data after a response without room,
// it sets no timer.
//
// The kit calls libcurl again for all exchanges while it has not reported ended streams, or while connections hold read data
// (`HTTP2StreamMonitor.takeHeldResponses(moved:)`). Without that view, it calls again after every movement, and every 50 ms.
// The fault shows in one burst of ten (`HTTP2Tests.bursts`), and in `StreamRoomTests` on 7.x. On 8.x it was not shown; the kit
// keeps the workaround there as a precaution.

extension CurlMulti {
    /// When libcurl must be called again for all exchanges, because it may hold back a response.
    func heldResponsesDue(_ now: LoopClock.Nanoseconds) -> LoopClock.Nanoseconds {
        let mayHoldResponses = monitor?.mayHoldResponses ?? (handles > 0 && connections.haveMultiplexed)
        let moved = connections.hasMoved
        // An unreported response does not wait for the next one.
        if monitor?.takeHeldResponses(moved: moved) ?? (mayHoldResponses && moved) { return now }
        return mayHoldResponses ? now + 50_000_000 : LoopClock.never
    }
}
