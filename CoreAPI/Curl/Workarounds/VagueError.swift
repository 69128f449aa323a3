internal import CCurl
internal import CoreAPICore

// libcurl's codes for some unreadable responses name another cause: no memory, a function's argument, a content coding, a
// lost connection. Only its texts tell, and they differ between versions. And if the resolver is quick, libcurl 8.14.1
// reports a proxy's unknown name as that of the host, which only the proxy would resolve.
//
// The kit reads the texts, and for a proxy's name it asks whether there is a proxy (`ExchangeFailure.rejected`). A text that
// it does not know leaves the code's own meaning. Shown by
// `WorkaroundTests.vagueError`, `HostileAnswerTests` and `ProcessTests.failingProxy`. `docs/libcurl/vague-error.c` shows the
// defect.

extension ExchangeFailure {
    /// The error text for a head whose first field is a continuation line.
    static let continuationFirst = "the first header line is a continuation line (RFC 9112 §5.2)"

    private static let badChunks = "a chunk's size is no number, or a trailer is no field (RFC 9112 §7.1)"

    /// `CURLE_TOO_LARGE`, since 8.6.0: the header at compile time may be older than the library.
    private static let tooLarge = CURLcode(rawValue: 100)

    /// The failure behind a code that names another cause; `nil` if the code is right.
    static func meaning(of code: CURLcode, _ facts: Facts) -> TransportError? {
        switch code {
        // A single line, of the head or of trailers, is longer than libcurl's own buffer of 100 KiB.
        case CURLE_OUT_OF_MEMORY where facts.wasSent, tooLarge where facts.wasSent:
            .headTooLarge(limit: min(facts.headLimit, 102_400))
        // libcurl's texts for both speak of a function's argument.
        case CURLE_BAD_FUNCTION_ARGUMENT where facts.wasSent:
            .malformedResponse(reason: facts.hasHead ? badChunks : continuationFirst)
        // libcurl's text speaks of HTTP/0.9, which the kit rejects: a response that begins with anything else than a status line.
        case CURLE_UNSUPPORTED_PROTOCOL where facts.wasSent && facts.message.hasPrefix("Received HTTP/0.9"):
            .malformedResponse(reason: "expected a status line (RFC 9112 §4); the port may serve TLS or another protocol")
        // The kit disables libcurl's decoding of content codings.
        case CURLE_BAD_CONTENT_ENCODING
        where facts.message.contains("content encoding type") || facts.message.hasPrefix("Unsolicited Transfer-Encoding"):
            .malformedResponse(reason: "its transfer coding is not known (RFC 9112 §6.1)")
        case CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM: meaningOfLoss(facts)
        default: nil
        }
    }

    /// The failure behind a lost connection or stream.
    private static func meaningOfLoss(_ facts: Facts) -> TransportError? {
        // Debian's 7.88.1 limits a head to 300 KiB (CVE-2023-38039).
        if facts.message.hasPrefix("Too large response headers") {
            return .headTooLarge(limit: min(facts.headLimit, 300 * 1_024))
        }
        if isUnreadable(facts) {
            return hasTooManyContinuations(facts)
                ? .headTooLarge(limit: min(facts.headLimit, 9 * 16_384)) : .malformedResponse(reason: facts.message)
        }
        guard facts.hasHead else {
            return isAboutIdentity(facts) ? .tls(host: facts.host, reason: facts.message) : nil
        }
        // A trailer line is longer than libcurl's buffer.
        if facts.message.hasPrefix("Out of memory in chunked") { return .headTooLarge(limit: min(facts.headLimit, 102_400)) }
        let isFraming = facts.message.contains("chunk") || facts.message.contains("hexadecimal")
        return isFraming ? .malformedResponse(reason: facts.message) : nil
    }

    /// nghttp2 gave up the connection without a GOAWAY, for example after a flood of CONTINUATION frames. The stream that caused
    /// it is unknown. So only the request for which the connection was opened gets this error. It does not if libcurl itself
    /// rejected the rest of a head (-902).
    private static func isUnreadable(_ facts: Facts) -> Bool {
        facts.isFirstOnConnection && facts.message.contains("nghttp2") && facts.message.contains("recv")
            && !facts.message.contains("-902")
    }

    /// `NGHTTP2_ERR_TOO_MANY_CONTINUATIONS`, since nghttp2 1.61: more than eight CONTINUATION frames follow a HEADERS frame. Each
    /// may have 16 KiB.
    private static func hasTooManyContinuations(_ facts: Facts) -> Bool { facts.message.contains("-905") }

    /// Since TLS 1.3 a server checks the client's certificate after the client considers the handshake complete. Its rejection,
    /// an alert of RFC 8446 §6.2, arrives instead of the response. The request was not processed.
    private static func isAboutIdentity(_ facts: Facts) -> Bool {
        facts.isFirstOnConnection && facts.message.contains(" alert ")
            && ["certificate", "unknown ca", "access denied"].contains { facts.message.contains($0) }
    }
}
