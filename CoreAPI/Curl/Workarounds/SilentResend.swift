internal import CoreAPICore

// When a reused connection is dead, libcurl silently sends the request again on a new one: up to five times, for every
// method. No option turns that off.
//
// If a part of the body was sent, libcurl asks for the body's beginning (`CURLOPT_SEEKFUNCTION`). Otherwise the only sign is
// a second call of `CURLOPT_PREREQFUNCTION`. The kit rejects either, unless the request may be sent again. The exchange then
// ends with `CURLE_SEND_FAIL_REWIND` or `CURLE_ABORTED_BY_CALLBACK`. A request is sent again once, over HTTP/1.1 on a new
// connection, and `ExchangeMetrics.resends` counts it. Also `NoSilentResendTests`.

extension Exchange {
    /// Whether the server may get the request a second time. It may if that makes no difference, or if the server reports that it
    /// has done nothing (RFC 9110 §9.2.2, RFC 9113 §8.7).
    var mayBeSentAgain: Bool { request.isIdempotent || http2.failure == .refused }
    /// Whether the request may go again within this attempt: once, or five times if a server rejected each stream before it did
    /// anything. Such a server closes each connection after a few requests, so one of many parallel calls may be rejected several
    /// times. Each further try is an attempt, about which the channel decides.
    var hasResend: Bool { sendings.count < (http2.failure == .refused ? 6 : 2) }
    /// Whether libcurl is about to send the request again on another connection that was open. That one may be dead, too.
    var resendsOnOpenConnection: Bool { sendings.count > 0 && mayBeSentAgain }

    /// Prepares the request to be sent from its beginning, unless that is forbidden.
    func mayResend() -> Bool {
        guard mayBeSentAgain, hasResend else { return false }
        do {
            try upload.rewind()
            forgetResponse()
            return true
        } catch {
            failure = .bodyUnreadable(error)
            return false
        }
    }
}
