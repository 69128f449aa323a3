internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP

/// The error of an exchange that libcurl ended with a code other than `CURLE_OK`.
struct ExchangeFailure {
    /// `NGHTTP2_MAX_HEADERSLEN`
    static let headLimitOfHTTP2 = 65_536

    private let exchange: Exchange
    private let handle: CurlHandle
    let code: CURLcode
    let message: String

    init(_ exchange: Exchange, _ handle: CurlHandle, _ code: CURLcode) {
        self.exchange = exchange
        self.handle = handle
        self.code = code
        let text = handle.message(for: code)
        message = code == CURLE_COULDNT_CONNECT ? exchange.route.socketRejection ?? text : text
    }

    var host: String { exchange.request.url.host }
    var hasHead: Bool { exchange.hasHead }
    /// Whether the request, or a part of it, may have been sent.
    var wasSent: Bool { exchange.sendings.count > 0 }
    var isFirstOnConnection: Bool { handle.number(CURLINFO_NUM_CONNECTS) > 0 }

    /// - Parameter bound: libcurl's own limit.
    func headTooLarge(_ bound: Int) -> TransportError {
        .headTooLarge(limit: min(exchange.request.limits.responseHeadSize, bound))
    }

    var error: TransportError {
        if let proxy = exchange.request.proxy, !wasSent, let error = rejected(by: proxy) { return error }
        if let error = connecting {
            // The request was sent on an open connection, the connection died, and libcurl failed to open another to send it
            // again. Reporting "no connection" would invite a retry of a request that the server may have processed.
            return wasSent && !exchange.mayBeSentAgain ? lost() : error
        }
        if let failure = exchange.http2.failure { return ended(failure) }
        // libcurl's code depends on how far it got: an empty response, a dead connection, five tries.
        if exchange.http2.hasResponded, let code = exchange.http2.resetCode {
            return broken("the server reset the stream (\(StreamFailure.name(of: code))) after it began to answer (RFC 9113 §7)")
        }
        if let meaning { return meaning }
        switch code {
        case CURLE_PARTIAL_FILE: return truncated
        // libcurl wanted to send it again, and the kit did not allow it.
        case CURLE_SEND_FAIL_REWIND: return lost("the connection, which was used before, ended without a response")
        // Likewise, for a request without a body to rewind.
        case CURLE_ABORTED_BY_CALLBACK: return lost("the request would have to be sent again")
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR: return lost()
        case CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM: return broken()
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: return .malformedResponse(reason: message)
        case CURLE_UNSUPPORTED_PROTOCOL where wasSent: return .malformedResponse(reason: message)
        // The write callback keeps its own reason. Without one, libcurl's decoder did not continue.
        case CURLE_WRITE_ERROR: return .malformedResponse(reason: "the body cannot be decoded: \(message)")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN: return .unsupported(capability: message)
        default: return .other(code: Int(code.rawValue), message: message)
        }
    }

    /// Errors that the proxy causes. Before the request is sent, these are all errors except TLS with the server.
    private func rejected(by proxy: Proxy) -> TransportError? {
        let status = handle.number(CURLINFO_HTTP_CONNECTCODE)
        if status != 0, !(200..<300).contains(status) {
            return .proxy(host: proxy.host, source: proxy.source, status: status, reason: "it answered CONNECT with \(status)")
        }
        let reason: String
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST where !proxy.resolvesNames: return nil
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST: reason = "its name is not known to DNS"
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY,
            CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT:
            // libcurl may quote the whole variable.
            reason = message.replacing(proxy.address, with: proxy.host)
        default: return nil
        }
        return .proxy(host: proxy.host, source: proxy.source, status: nil, reason: reason)
    }

    private var connecting: TransportError? {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: .cannotResolveHost(host)
        case CURLE_COULDNT_CONNECT: .cannotConnect(host: host, reason: message)
        // The kit sets no other timeout of libcurl's; it measures idle and total itself.
        case CURLE_OPERATION_TIMEDOUT: .timedOut(.connect, after: exchange.request.request.timeout.connect)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pinMismatch(host: host, reason: message)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED,
            CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            .tls(host: host, reason: message)
        default: nil
        }
    }

    private func ended(_ failure: StreamFailure) -> TransportError {
        switch failure {
        case .refused:
            if let size = exchange.headTooLargeForHTTP2 {
                .unsupported(capability: "a request's head of \(size) bytes over HTTP/2, at most \(Self.headLimitOfHTTP2)")
            } else {
                .connectionLost(reason: "the server refused the stream", mayHaveBeenProcessed: false)
            }
        case .headTooLarge: headTooLarge(128 * 1_024)
        case .unreadable(_, let field?): .malformedResponse(reason: "nghttp2 rejects the field \(field) (RFC 9113 §8.1.1)")
        case .unreadable(let code, nil):
            .malformedResponse(reason: "it breaks HTTP/2's rules: \(StreamFailure.name(of: code)) (RFC 9113 §7)")
        case .connectionClosed: broken("the server closed it by TLS's close_notify")
        case .connectionGivenUp(let code):
            broken("something on it broke HTTP/2's rules: \(StreamFailure.name(of: code)) (RFC 9113 §7)")
        }
    }

    /// The connection, or the HTTP/2 stream, ended with an error.
    private func broken(_ reason: String? = nil) -> TransportError { hasHead ? truncated : lost(reason) }

    private var truncated: TransportError {
        .truncated(received: exchange.bodyEnd.taken, expected: handle.announcedBytes >= 0 ? handle.announcedBytes : nil)
    }

    /// No response at all. An idempotent request may be repeated even if the server processed it.
    private func lost(_ reason: String? = nil) -> TransportError {
        .connectionLost(reason: reason ?? message, mayHaveBeenProcessed: wasSent && !exchange.mayBeSentAgain)
    }
}

extension Exchange {
    /// The size of the request's head, if nghttp2 did not send it, and no server has reset its stream.
    var headTooLargeForHTTP2: Int? {
        let size = request.headers.size + request.url.longest
        return http2.failure == .refused && http2.resetCode == nil && size > ExchangeFailure.headLimitOfHTTP2 ? size : nil
    }
}
