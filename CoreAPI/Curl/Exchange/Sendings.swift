internal import CoreAPICore
internal import CoreAPIHTTP

/// How often libcurl began to send the request of an exchange, and on which connections.
struct Sendings {
    /// How often it began. More than once if a reused connection was dead, or if the server rejected the stream.
    var count = 0
    /// The count when the loop last started the exchange.
    private var before = 0
    /// Whether libcurl chose a stale connection: ended by the peer, with bytes that response no request, or not new for a resend.
    var isOnStaleConnection = false
    /// Whether it needs a new connection (`CURLOPT_FRESH_CONNECT`).
    private(set) var needsFreshConnection = false

    /// Whether the request is being sent; `false` while only its connection is being opened.
    var isSent: Bool { count > before }

    /// The loop starts the exchange once more: on a new connection, if the old one was stale.
    mutating func startAgain() {
        needsFreshConnection = isOnStaleConnection
        isOnStaleConnection = false
        before = count
    }
}

extension Exchange {
    /// Whether the exchange may be restarted without involving the caller. It may after a stale connection. If it was sent, it
    /// may after a refused stream or, for an idempotent request, after a connection that was dropped before any response; see
    /// ``hasResend``.
    var isToStartAgain: Bool {
        guard !sendings.isOnStaleConnection else { return true }
        guard failure == nil, sendings.isSent, hasResend, !http2.hasAnswered, !hasHead else { return false }
        return switch http2.failure {
        case .refused: headTooLargeForHTTP2 == nil
        case .connectionGivenUp, .connectionClosed: request.isIdempotent
        default: false
        }
    }

    /// The size of the request's head, if nghttp2 has did not send it, and no server has reset its stream.
    var headTooLargeForHTTP2: Int? {
        let size = request.headers.size + request.url.longest
        return http2.failure == .refused && http2.resetCode == nil && size > ExchangeFailure.headLimitOfHTTP2 ? size : nil
    }

    /// Discards the response so far, because the request is sent again.
    func forgetResponse() {
        handle?.head.begin(size: request.limits.responseHeadSize, lines: request.limits.headLines)
        clock.answered = 0
        body.forgetDecoder()
        bodyEnd = BodyEnd()
        http2.forgetResponse()
    }
}
