internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP

/// The connection of an exchange, from the sockets that libcurl opens to what TLS says at its end.
struct Route {
    /// The sockets that libcurl opened for it; several if two addresses raced.
    var sockets: [Int32] = []
    /// Whether the channel rejects one of the host's addresses.
    private(set) var hasRejectedAddress = false
    /// The system's text if it rejected a socket because process or system have too many descriptors; libcurl's does not tell.
    var socketRejection: String?
    var connection: LoopConnection?
    /// The connection whose end may be the end of the body.
    var tls: TLSConnection?
    /// The loop's pin check, if the host has pins and libcurl has the exchange.
    var pinCheck: PinCheck?

    /// Whether the peer is one that the channel rejects. Noted, because libcurl then tries the host's next address.
    mutating func rejects(_ address: UnsafeMutablePointer<curl_sockaddr>, _ rejected: Limits.AddressClass) -> Bool {
        guard !rejected.isEmpty else { return false }
        let isRejected = withUnsafePointer(to: &address.pointee.addr) { !Limits.AddressClass(of: $0).isDisjoint(with: rejected) }
        hasRejectedAddress = hasRejectedAddress || isRejected
        return isRejected
    }
}

/// How often libcurl began to send the request of an exchange, and on which connections.
struct Sendings {
    /// More than 1 if a reused connection was dead, or if the server rejected the stream.
    var count = 0
    /// The count when the loop last started the exchange.
    private var before = 0
    /// Whether libcurl chose a stale connection: ended by the peer, with bytes that answer no request, or not new for a resend.
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

    /// The size of the request's head, if nghttp2 did not send it, and no server has reset its stream.
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

/// What an exchange's HTTP/2 stream tells beside its bytes; see ``HTTP2StreamMonitor``.
struct HTTP2Stream {
    /// Why the stream failed, if libcurl does not say.
    var failure: StreamFailure?
    var resetCode: UInt32?
    var hasAnswered = false
    /// Bytes of the response's body that arrived on the stream. libcurl may hold some of them.
    var bytes: Int64 = 0
    /// Whether the server has asked for no more of the request; libcurl does not know that.
    var isStopped = false
    /// Whether the server has ended the stream; noted for requests with a body.
    var hasEnded = false

    /// libcurl begins to send the request. Until then the failure of an earlier stream decides whether it may.
    mutating func beginSending() { (failure, resetCode, hasAnswered) = (nil, nil, false) }
    /// The response so far is discarded. Why the stream failed stays known.
    mutating func forgetResponse() { (bytes, isStopped, hasEnded) = (0, false, false) }
}

/// Why an HTTP/2 stream failed, if libcurl reports only a lost connection.
enum StreamFailure: Equatable {
    /// The server reports that it has not processed the request (RFC 9113 §8.7).
    case refused
    /// The stream broke the protocol's rules. `field`, with its head's status, is one that HTTP/2 forbids there.
    case unreadable(code: UInt32, field: String? = nil)
    /// This or another stream broke the rules so that the whole connection is abandoned.
    case connectionGivenUp(code: UInt32)
    /// The server has announced, by TLS, that it sends nothing more on the connection.
    case connectionClosed
    /// The stream has more fields than libcurl keeps.
    case headTooLarge

    /// The names of the error codes, by number (RFC 9113 §7).
    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    static func name(of code: UInt32) -> String { code < names.count ? names[Int(code)] : "error \(code)" }
}
