internal import CCurl
internal import CoreAPICore
internal import Foundation

/// What libcurl's code for a failed transfer means in the kit's words.
enum CurlFailure {
    /// Facts that the code alone does not tell.
    struct Facts {
        let host: String
        let timeout: Timeout
        let proxy: Proxy?
        /// The status of a proxy's answer to CONNECT; 0 without one (`CURLINFO_HTTP_CONNECTCODE`).
        let connectStatus: Int
        /// libcurl's text for this very failure.
        let message: String
        let mayBeSentAgain: Bool
        let streamFailure: StreamFailure?
        /// Whether the request, or a part of it, may have left.
        let wasSent: Bool
        let hasHead: Bool
        let isFirstOnConnection: Bool
        let headLimit: Int
        let received: Int64
        /// `Content-Length`, or -1.
        let announced: Int64
    }

    /// What is said of a head whose first field continues the one before it.
    static let continuesNone = "its first header line continues none (RFC 9112 §5.2)"

    /// `CURLE_TOO_LARGE`, since 8.6.0: the header that this is compiled with may be older than the library.
    private static let tooLarge = CURLcode(rawValue: 100)

    static func error(for code: CURLcode, _ facts: Facts) -> TransportError {
        if let proxy = facts.proxy, !facts.wasSent, let error = refused(by: proxy, code, facts) { return error }
        if let error = connecting(code, facts) {
            // The request was sent on an open connection, that one died, and libcurl failed to make another to send it again. To
            // say "no connection" would invite a retry of what the server may have done already.
            return facts.wasSent && !facts.mayBeSentAgain ? lost(facts) : error
        }
        if let failure = facts.streamFailure { return ended(failure, facts) }
        switch code {
        case CURLE_PARTIAL_FILE: return truncated(facts)
        // libcurl wanted to send it again, and was not let.
        case CURLE_SEND_FAIL_REWIND: return lost(facts, "the connection, which was used before, ended without an answer")
        // Nor here, where there was nothing to rewind.
        case CURLE_ABORTED_BY_CALLBACK: return lost(facts, "the request would have to be sent a second time")
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR: return lost(facts)
        case CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM: return broken(facts)
        // A single line beyond what libcurl's own buffer takes, 100 KiB; of the head or of trailers.
        case CURLE_OUT_OF_MEMORY where facts.wasSent, tooLarge where facts.wasSent:
            return .headTooLarge(limit: min(facts.headLimit, 102_400))
        // libcurl's words for both are about a function's argument.
        case CURLE_BAD_FUNCTION_ARGUMENT where facts.wasSent:
            return .malformedResponse(
                reason: facts.hasHead
                    ? "a chunk's size is no number (RFC 9112 §7.1)" : continuesNone)
        // Rubbish where a head should be is "HTTP/0.9, which is not allowed".
        // The kit has libcurl take no content codings off.
        case CURLE_BAD_CONTENT_ENCODING
        where facts.message.contains("content encoding type") || facts.message.hasPrefix("Unsolicited Transfer-Encoding"):
            return .malformedResponse(reason: "its transfer coding is not known (RFC 9112 §6.1)")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: return .malformedResponse(reason: facts.message)
        case CURLE_UNSUPPORTED_PROTOCOL where facts.wasSent: return .malformedResponse(reason: facts.message)
        // The write callback keeps a reason of its own; without one it was the decoder that refused to go on.
        case CURLE_WRITE_ERROR: return .malformedResponse(reason: "the body cannot be decoded: \(facts.message)")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN: return .unsupported(capability: facts.message)
        default: return .curl(code: Int(code.rawValue), message: facts.message)
        }
    }

    /// Errors that the proxy causes. Before the request leaves, these are all except TLS with the server.
    private static func refused(by proxy: Proxy, _ code: CURLcode, _ facts: Facts) -> TransportError? {
        let status = facts.connectStatus
        if status != 0, !(200..<300).contains(status) {
            return .proxy(host: proxy.host, source: proxy.source, status: status, reason: "it answered CONNECT with \(status)")
        }
        let reason: String
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY: reason = "its name is not known to DNS"
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY,
            CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT:
            // libcurl may quote the whole variable.
            reason = facts.message.replacingOccurrences(of: proxy.address, with: proxy.host)
        default: return nil
        }
        return .proxy(host: proxy.host, source: proxy.source, status: nil, reason: reason)
    }

    /// What happens before a request can leave.
    private static func connecting(_ code: CURLcode, _ facts: Facts) -> TransportError? {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .cannotResolveHost(facts.host)
        case CURLE_COULDNT_CONNECT:
            return .cannotConnect(host: facts.host, reason: facts.message)
        // The kit sets no other clock of libcurl's; idle and total are its own.
        case CURLE_OPERATION_TIMEDOUT: return .timedOut(.connect, after: facts.timeout.connect)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: return .pinMismatch(host: facts.host, reason: facts.message)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CLIENTCERT,
            CURLE_USE_SSL_FAILED:
            return .tls(host: facts.host, reason: facts.message)
        default: return nil
        }
    }

    /// What is known of an HTTP/2 stream beyond libcurl's code.
    private static func ended(_ failure: StreamFailure, _ facts: Facts) -> TransportError {
        switch failure {
        case .refused: .connectionLost(reason: "the server refused the stream", mayHaveBeenProcessed: false)
        case .headTooLarge: .headTooLarge(limit: min(facts.headLimit, 128 * 1_024))
        case .unreadable(_, let field?): .malformedResponse(reason: "nghttp2 refuses the field \(field) (RFC 9113 §8.1.1)")
        case .unreadable(let code, nil):
            .malformedResponse(reason: "it breaks HTTP/2's rules: \(StreamFailure.name(of: code)) (RFC 9113 §7)")
        case .connectionGivenUp where facts.hasHead: truncated(facts)
        case .connectionGivenUp(let code):
            lost(facts, "something on it broke HTTP/2's rules: \(StreamFailure.name(of: code)) (RFC 9113 §7)")
        }
    }

    /// The connection, or the HTTP/2 stream, ended in an error rather than an end.
    private static func broken(_ facts: Facts) -> TransportError {
        // Debian's 7.88.1 bounds a head to 300 KiB on its own (CVE-2023-38039).
        if facts.message.hasPrefix("Too large response headers") {
            return .headTooLarge(limit: min(facts.headLimit, 300 * 1_024))
        }
        if isUnreadable(facts) {
            return hasTooManyContinuations(facts)
                ? .headTooLarge(limit: min(facts.headLimit, 9 * 16_384)) : .malformedResponse(reason: facts.message)
        }
        guard facts.hasHead else {
            if isAboutIdentity(facts) { return .tls(host: facts.host, reason: facts.message) }
            return lost(facts)
        }
        // A line of the trailers that is longer than libcurl's buffer.
        if facts.message.hasPrefix("Out of memory in chunked") { return .headTooLarge(limit: min(facts.headLimit, 102_400)) }
        let isFraming = facts.message.contains("chunk") || facts.message.contains("hexadecimal")
        return isFraming ? .malformedResponse(reason: facts.message) : truncated(facts)
    }

    /// nghttp2 gave the connection up without even a GOAWAY: for a flood of CONTINUATION, say. It is not known whose stream
    /// brought it, so only the request that the connection was made for hears so; and not where libcurl wanted no more of some
    /// head (-902).
    private static func isUnreadable(_ facts: Facts) -> Bool {
        facts.isFirstOnConnection && facts.message.contains("nghttp2") && facts.message.contains("recv")
            && !facts.message.contains("-902")
    }

    /// `NGHTTP2_ERR_TOO_MANY_CONTINUATIONS`, since nghttp2 1.61: more than eight CONTINUATION frames follow a HEADERS frame. Each
    /// may have 16 KiB.
    private static func hasTooManyContinuations(_ facts: Facts) -> Bool { facts.message.contains("-905") }

    /// Since TLS 1.3 a server looks at the client's certificate when the client takes the handshake for done: its refusal, an
    /// alert of RFC 8446 §6.2, comes instead of the answer. The request was not processed.
    private static func isAboutIdentity(_ facts: Facts) -> Bool {
        facts.isFirstOnConnection && facts.message.contains(" alert ")
            && ["certificate", "unknown ca", "access denied"].contains { facts.message.contains($0) }
    }

    private static func truncated(_ facts: Facts) -> TransportError {
        .truncated(received: facts.received, expected: facts.announced >= 0 ? facts.announced : nil)
    }

    /// No response at all. For an idempotent method it does not matter what the server made of the request.
    private static func lost(_ facts: Facts, _ reason: String? = nil) -> TransportError {
        .connectionLost(reason: reason ?? facts.message, mayHaveBeenProcessed: facts.wasSent && !facts.mayBeSentAgain)
    }
}

extension CurlTransfer {
    /// What became of it, once libcurl says that it is over.
    func end(_ code: CURLcode, at now: LoopClock.Nanoseconds) -> CurlOutcome.End {
        if let failure { return .failed(failure) }
        // To libcurl a connection that nghttp2 gave up may have ended in the orderly way.
        if isOver(in: code) { isBodyWhole = true }
        guard let handle, !isBodyWhole, code != CURLE_OK || streamFailure != nil else {
            // Complete as a message, incomplete as what is in it.
            guard decoder?.isFinished ?? true else {
                return .failed(.truncated(received: handle?.receivedBytes ?? 0, expected: nil))
            }
            return .complete
        }
        let host = request.url.host
        if hasRefusedAddress, [CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT].contains(code), timesSent == 0 {
            return .failed(.addressRefused(host: host))
        }
        let timeout = request.request.timeout
        // Where two clocks run out together, the one that bounds the whole call says more.
        if code == CURLE_OPERATION_TIMEDOUT, now >= request.deadline {
            return .failed(.timedOut(.total, after: timeout.total))
        }
        return .failed(
            CurlFailure.error(
                for: code,
                .init(
                    host: host, timeout: timeout, proxy: request.proxy, connectStatus: handle.number(CURLINFO_HTTP_CONNECTCODE),
                    message: handle.message(for: code), mayBeSentAgain: mayBeSentAgain,
                    streamFailure: streamFailure, wasSent: timesSent > 0, hasHead: hasHead,
                    isFirstOnConnection: handle.number(CURLINFO_NUM_CONNECTS) > 0, headLimit: request.limits.responseHeadSize,
                    received: Int64(body.count), announced: handle.announcedBytes)))
    }
}
