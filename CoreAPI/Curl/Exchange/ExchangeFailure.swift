internal import CCurl
internal import CoreAPICore

/// Translates libcurl's code for a failed exchange into the kit's error.
enum ExchangeFailure {
    /// Facts that the code alone does not contain.
    struct Facts {
        let host: String
        let timeout: Timeout
        let proxy: Proxy?
        /// The status of a proxy's response to CONNECT; 0 without one (`CURLINFO_HTTP_CONNECTCODE`).
        let connectStatus: Int
        /// libcurl's text for this failure.
        let message: String
        let mayBeSentAgain: Bool
        let streamFailure: StreamFailure?
        /// The size of a request's head that nghttp2 did not send.
        let headTooLargeForHTTP2: Int?
        /// The code with which the server reset the HTTP/2 stream after it began to answer.
        let resetCode: UInt32?
        /// Whether the request, or a part of it, may have been sent.
        let wasSent: Bool
        let hasHead: Bool
        let isFirstOnConnection: Bool
        let headLimit: Int
        let received: Int64
        /// `Content-Length`, or -1.
        let announced: Int64
    }

    /// `NGHTTP2_MAX_HEADERSLEN`
    static let headLimitOfHTTP2 = 65_536

    static func error(for code: CURLcode, _ facts: Facts) -> TransportError {
        if let proxy = facts.proxy, !facts.wasSent, let error = rejected(by: proxy, code, facts) { return error }
        if let error = connecting(code, facts) {
            // The request was sent on an open connection, the connection died, and libcurl failed to open another to send it
            // again. Reporting "no connection" would invite a retry of a request that the server may have processed.
            return facts.wasSent && !facts.mayBeSentAgain ? lost(facts) : error
        }
        if let failure = facts.streamFailure { return ended(failure, facts) }
        // libcurl's code depends on how far it got: an empty response, a dead connection, five tries.
        if let code = facts.resetCode {
            let name = StreamFailure.name(of: code)
            return facts.hasHead
                ? truncated(facts) : lost(facts, "the server reset the stream (\(name)) after it began to answer (RFC 9113 §7)")
        }
        if let error = meaning(of: code, facts) { return error }
        switch code {
        case CURLE_PARTIAL_FILE: return truncated(facts)
        // libcurl wanted to send it again, and the kit did not allow it.
        case CURLE_SEND_FAIL_REWIND: return lost(facts, "the connection, which was used before, ended without a response")
        // Likewise, for a request without a body to rewind.
        case CURLE_ABORTED_BY_CALLBACK: return lost(facts, "the request would have to be sent again")
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR: return lost(facts)
        case CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM: return broken(facts)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: return .malformedResponse(reason: facts.message)
        case CURLE_UNSUPPORTED_PROTOCOL where facts.wasSent: return .malformedResponse(reason: facts.message)
        // The write callback keeps its own reason. Without one, libcurl's decoder did not continue.
        case CURLE_WRITE_ERROR: return .malformedResponse(reason: "the body cannot be decoded: \(facts.message)")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN: return .unsupported(capability: facts.message)
        default: return .other(code: Int(code.rawValue), message: facts.message)
        }
    }

    private static let unknownName = "its name is not known to DNS"

    /// Errors that the proxy causes. Before the request is sent, these are all errors except TLS with the server.
    private static func rejected(by proxy: Proxy, _ code: CURLcode, _ facts: Facts) -> TransportError? {
        let status = facts.connectStatus
        if status != 0, !(200..<300).contains(status) {
            return .proxy(host: proxy.host, source: proxy.source, status: status, reason: "it answered CONNECT with \(status)")
        }
        let reason: String
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY: reason = Self.unknownName
        case CURLE_COULDNT_RESOLVE_HOST where proxy.resolvesNames: reason = Self.unknownName
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY,
            CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT:
            // libcurl may quote the whole variable.
            reason = facts.message.replacing(proxy.address, with: proxy.host)
        default: return nil
        }
        return .proxy(host: proxy.host, source: proxy.source, status: nil, reason: reason)
    }

    /// Errors before a request can be sent.
    private static func connecting(_ code: CURLcode, _ facts: Facts) -> TransportError? {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .cannotResolveHost(facts.host)
        case CURLE_COULDNT_CONNECT:
            return .cannotConnect(host: facts.host, reason: facts.message)
        // The kit sets no other timeout of libcurl's; it measures idle and total itself.
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

    /// The failure of an HTTP/2 stream, with details that libcurl's code lacks.
    private static func ended(_ failure: StreamFailure, _ facts: Facts) -> TransportError {
        switch failure {
        case .refused where facts.headTooLargeForHTTP2 != nil:
            .unsupported(
                capability:
                    "a request's head of \(facts.headTooLargeForHTTP2 ?? 0) bytes over HTTP/2, at most \(headLimitOfHTTP2)")
        case .refused: .connectionLost(reason: "the server refused the stream", mayHaveBeenProcessed: false)
        case .headTooLarge: .headTooLarge(limit: min(facts.headLimit, 128 * 1_024))
        case .unreadable(_, let field?): .malformedResponse(reason: "nghttp2 rejects the field \(field) (RFC 9113 §8.1.1)")
        case .unreadable(let code, nil):
            .malformedResponse(reason: "it breaks HTTP/2's rules: \(StreamFailure.name(of: code)) (RFC 9113 §7)")
        case .connectionGivenUp where facts.hasHead, .connectionClosed where facts.hasHead: truncated(facts)
        case .connectionClosed: lost(facts, "the server closed it by TLS's close_notify")
        case .connectionGivenUp(let code):
            lost(facts, "something on it broke HTTP/2's rules: \(StreamFailure.name(of: code)) (RFC 9113 §7)")
        }
    }

    /// The connection, or the HTTP/2 stream, ended with an error.
    private static func broken(_ facts: Facts) -> TransportError {
        facts.hasHead ? truncated(facts) : lost(facts)
    }

    private static func truncated(_ facts: Facts) -> TransportError {
        .truncated(received: facts.received, expected: facts.announced >= 0 ? facts.announced : nil)
    }

    /// No response at all. An idempotent request may be repeated even if the server processed it.
    private static func lost(_ facts: Facts, _ reason: String? = nil) -> TransportError {
        .connectionLost(reason: reason ?? facts.message, mayHaveBeenProcessed: facts.wasSent && !facts.mayBeSentAgain)
    }
}
