internal import CCurl
internal import CoreAPICore

// libcurl's codes for some unreadable responses name another cause: no memory, a function's argument, a content coding, a
// lost connection. Only its texts tell, and they differ between versions. And if the resolver is quick, libcurl 8.14.1
// reports a proxy's unknown name as that of the host, which only the proxy would resolve.
//
// The kit reads the texts, and for a proxy's name it asks whether there is a proxy (`ExchangeFailure.rejected`). A text that
// it does not know leaves the code's own meaning. Also
// `HostileAnswerTests` and `ProcessTests.failingProxy`.

extension ExchangeFailure {
    /// The error text for a head whose first field is a continuation line.
    static let continuationFirst = "the first header line is a continuation line (RFC 9112 §5.2)"
    private static let badChunks = "a chunk's size is no number, or a trailer is no field (RFC 9112 §7.1)"
    /// `CURLE_TOO_LARGE`, since 8.6.0: the header at compile time may be older than the library.
    private static let tooLarge = CURLcode(rawValue: 100)

    /// The failure behind a code that names another cause; `nil` if the code is right.
    var meaning: TransportError? {
        switch code {
        // A single line, of the head or of trailers, is longer than libcurl's own buffer of 100 KiB.
        case CURLE_OUT_OF_MEMORY where wasSent, Self.tooLarge where wasSent: headTooLarge(102_400)
        // libcurl's texts for both speak of a function's argument.
        case CURLE_BAD_FUNCTION_ARGUMENT where wasSent:
            .malformedResponse(reason: hasHead ? Self.badChunks : Self.continuationFirst)
        // libcurl's text speaks of HTTP/0.9, which the kit rejects: a response that begins with anything else than a status line.
        case CURLE_UNSUPPORTED_PROTOCOL where wasSent && message.hasPrefix("Received HTTP/0.9"):
            .malformedResponse(reason: "expected a status line (RFC 9112 §4); the port may serve TLS or another protocol")
        // The kit disables libcurl's decoding of content codings.
        case CURLE_BAD_CONTENT_ENCODING
        where message.contains("content encoding type") || message.hasPrefix("Unsolicited Transfer-Encoding"):
            .malformedResponse(reason: "its transfer coding is not known (RFC 9112 §6.1)")
        case CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM: meaningOfLoss
        default: nil
        }
    }

    /// The failure behind a lost connection or stream.
    private var meaningOfLoss: TransportError? {
        // Debian's 7.88.1 limits a head to 300 KiB (CVE-2023-38039).
        if message.hasPrefix("Too large response headers") { return headTooLarge(300 * 1_024) }
        if isUnreadable {
            // `NGHTTP2_ERR_TOO_MANY_CONTINUATIONS`, since nghttp2 1.61: more than eight CONTINUATION frames, of 16 KiB each,
            // follow a HEADERS frame.
            return message.contains("-905") ? headTooLarge(9 * 16_384) : .malformedResponse(reason: message)
        }
        guard hasHead else { return isAboutIdentity ? .tls(host: host, reason: message) : nil }
        // A trailer line is longer than libcurl's buffer.
        if message.hasPrefix("Out of memory in chunked") { return headTooLarge(102_400) }
        return message.contains("chunk") || message.contains("hexadecimal") ? .malformedResponse(reason: message) : nil
    }

    /// nghttp2 gave up the connection without a GOAWAY, for example after a flood of CONTINUATION frames. The stream that caused
    /// it is unknown, so only the request for which the connection was opened gets this error. It does not if libcurl itself
    /// rejected the rest of a head (-902).
    private var isUnreadable: Bool {
        isFirstOnConnection && message.contains("nghttp2") && message.contains("recv") && !message.contains("-902")
    }

    /// Since TLS 1.3 a server checks the client's certificate after the client considers the handshake complete. Its rejection,
    /// an alert of RFC 8446 §6.2, arrives instead of the response. The request was not processed.
    private var isAboutIdentity: Bool {
        isFirstOnConnection && message.contains(" alert ")
            && ["certificate", "unknown ca", "access denied"].contains { message.contains($0) }
    }
}
