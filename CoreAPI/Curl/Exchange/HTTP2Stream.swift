/// What an exchange's HTTP/2 stream tells beside its bytes; see ``HTTP2StreamMonitor``.
struct HTTP2Stream {
    /// Why the stream failed, if libcurl does not say.
    var failure: StreamFailure?
    /// The code with which the server reset the stream.
    var resetCode: UInt32?
    /// Whether any head arrived.
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
    /// The stream broke the protocol's rules; an error code of RFC 9113 §7.
    ///
    /// `field` is a field of its head that HTTP/2 forbids there, with the head's status.
    case unreadable(code: UInt32, field: String? = nil)
    /// This or another stream broke the rules so that the whole connection is abandoned.
    case connectionGivenUp(code: UInt32)
    /// The server has announced, by TLS, that it sends nothing more on the connection.
    case connectionClosed
    /// The stream has more fields than libcurl keeps.
    case headTooLarge

    /// The code's name.
    static func name(of code: UInt32) -> String {
        switch code {
        case 0: "NO_ERROR"
        case 1: "PROTOCOL_ERROR"
        case 2: "INTERNAL_ERROR"
        case 3: "FLOW_CONTROL_ERROR"
        case 4: "SETTINGS_TIMEOUT"
        case 5: "STREAM_CLOSED"
        case 6: "FRAME_SIZE_ERROR"
        case 7: "REFUSED_STREAM"
        case 8: "CANCEL"
        case 9: "COMPRESSION_ERROR"
        case 10: "CONNECT_ERROR"
        case 11: "ENHANCE_YOUR_CALM"
        case 12: "INADEQUATE_SECURITY"
        case 13: "HTTP_1_1_REQUIRED"
        default: "error \(code)"
        }
    }
}
