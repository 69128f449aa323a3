internal import CoreAPICore

// When a reused connection is dead, libcurl silently sends the request again on a new one: up to five times, for every
// method. No option turns that off.
//
// If a part of the body was sent, libcurl asks for the body's beginning (`CURLOPT_SEEKFUNCTION`). Otherwise the only sign is
// a second call of `CURLOPT_PREREQFUNCTION`. The kit rejects either, unless the request may be sent again. The exchange then
// ends with `CURLE_SEND_FAIL_REWIND` or `CURLE_ABORTED_BY_CALLBACK`. A request is sent again once, over HTTP/1.1 on a new
// connection, and `ExchangeMetrics.resends` counts it. Also `NoSilentResendTests`.

/// How often libcurl began to send the request of an exchange, and on which connections.
struct Sendings {
    /// More than 1 if a reused connection was dead, or if the server rejected the stream.
    var count = 0
    /// The count when the loop last started the exchange.
    private var before = 0
    /// Whether libcurl chose a stale connection: ended by the peer, with unread bytes, or not new for a resend.
    var isOnStaleConnection = false
    /// Whether it needs a new connection (`CURLOPT_FRESH_CONNECT`).
    private(set) var needsFreshConnection = false
    /// Whether the request is being sent; `false` while only its connection is being opened.
    var isSent: Bool { count > before }

    /// The loop starts the exchange once more: on a new connection, if the old one was stale.
    mutating func restart() {
        needsFreshConnection = isOnStaleConnection
        isOnStaleConnection = false
        before = count
    }
}

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

    /// Whether the loop restarts the exchange itself. It does so after a stale connection. If the request was sent, it does so
    /// after a refused stream or, for an idempotent request, after a connection that was dropped before any response; see
    /// ``hasResend``.
    var mustRestart: Bool {
        guard !sendings.isOnStaleConnection else { return true }
        guard failure == nil, sendings.isSent, hasResend, !http2.hasResponded, !hasHead else { return false }
        return switch http2.failure {
        case .refused: headTooLargeForHTTP2 == nil
        case .connectionGivenUp, .connectionClosed: request.isIdempotent
        default: false
        }
    }

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
