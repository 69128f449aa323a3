internal import CoreAPICore

extension Defect {
    /// While a request's body is paused (`CURL_READFUNC_PAUSE`), libcurl does not notice an answer.
    ///
    /// The kit resumes such an upload every 250 ms. Shown by `WorkaroundTests.deafPause`.
    static let deafPause = Defect(4, in: .before(8, 14, 1))
}

extension CurlTransfer {
    static let pokeInterval: LoopClock.Nanoseconds = 250_000_000

    /// Whether libcurl must be resumed now and then, although there is nothing to send.
    var needsPoke: Bool { upload.isHeld && !isHeld && handle?.library.has(.deafPause) == true }

    /// When it must be resumed next.
    func pokeDue(_ now: LoopClock.Nanoseconds) -> LoopClock.Nanoseconds { needsPoke ? now + Self.pokeInterval : LoopClock.never }
}
