internal import CoreAPICore

extension CurlDefect {
    /// While a request's body is paused (`CURL_READFUNC_PAUSE`), libcurl does not notice a response. The kit resumes such an
    /// upload every 250 ms.
    static let missedResponse = CurlDefect(3, in: .before(8, 14, 1))
}

extension UploadBody {
    static let resumeInterval: LoopClock.Nanoseconds = 250_000_000

    /// Whether libcurl must be resumed now and then, although there is nothing to send.
    func mustResume(_ library: CurlLibrary?) -> Bool { isHeld && library?.has(.missedResponse) == true }

    /// When it must be resumed next.
    func resumeDue(_ now: LoopClock.Nanoseconds, _ library: CurlLibrary?) -> LoopClock.Nanoseconds {
        mustResume(library) ? now + Self.resumeInterval : LoopClock.never
    }
}
