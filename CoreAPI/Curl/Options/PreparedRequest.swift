internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPIRedaction
internal import CoreAPITrust
internal import HTTPTypes

/// One exchange, checked and prepared by the sending task, so that the loop's thread only hands it to libcurl.
struct PreparedRequest: Sendable {
    let attempt: Attempt
    let method: String
    let isIdempotent: Bool
    let headers: HeaderList
    /// Whether the transport decodes the body's codings, because the caller did not ask for them.
    let decodesContent: Bool
    /// Whether the task reads the response's body as it arrives.
    let streamsBody: Bool
    /// Whether only the connection is wanted, for another protocol.
    let connectsOnly: Bool
    /// The bytes that the response's body may have; read for each piece of it.
    let bodyLimit: Int
    let deadline: LoopClock.Nanoseconds
    /// The proxy for this hop, if any. A channel that rejects addresses uses no proxy, because a proxy would connect to them.
    let proxy: Proxy?
    // By reference: a request has some 200 bytes, and thousands may be held.
    var request: Request { attempt.request }
    var url: HTTPURL { attempt.request.url }
    var limits: Limits { request.call.channel.limits }
    var trust: ServerTrustManager { request.call.channel.environment.serverTrustManager }

    init(
        _ attempt: Attempt, deadline: LoopClock.Nanoseconds, _ library: CurlLibrary = .linked, connectsOnly: Bool = false
    ) throws(APIClientError) {
        let lines: HeaderBlock
        do throws(RequestError) {
            try Self.check(attempt)
            lines = try HeaderBlock(attempt.request.headers, hasBody: !attempt.request.body.isNone)
            try Self.check(size: lines.list.size, attempt)
            try attempt.request.headers.checkLengths(size: lines.list.size, library)
        } catch {
            throw .request(error, APIClientError.Context(attempt.request))
        }
        if let error = Self.rejection(of: attempt) { throw .transport(error, APIClientError.Context(attempt.request)) }
        // All at once and at the end: earlier assignments would force a copy.
        self.attempt = attempt
        self.deadline = deadline
        proxy = attempt.request.proxy
        decodesContent = lines.decodesContent
        streamsBody = attempt.call.streamsBody || connectsOnly
        self.connectsOnly = connectsOnly
        bodyLimit = attempt.call.prepared.channel.limits.responseBodySize
        method = attempt.request.method.rawValue
        isIdempotent = attempt.request.method.isIdempotent
        headers = lines.list
    }

    /// libcurl composes a head in a buffer of 1 MiB (`DYN_HTTP_REQUEST`), of which 4 KiB are left for its own lines: length,
    /// coding, and a proxy's credentials.
    private static let headLimit = 1_024 * 1_024 - 4_096

    /// libcurl would report "out of memory".
    private static func check(size: Int, _ attempt: Attempt) throws(RequestError) {
        // " HTTP/1.1", two line ends and the spaces; the address stands for the target and the `Host` line.
        let size = size + attempt.request.method.rawValue.utf8.count + attempt.request.url.longest + 16
        guard size <= headLimit else { throw .headTooLarge(size: size, limit: headLimit) }
    }

    /// The second line of defence. libcurl sends a CR, LF or NUL in a method or an address verbatim, together with everything
    /// that an attacker puts after it.
    private static func check(_ attempt: Attempt) throws(RequestError) {
        let method = attempt.request.method.rawValue
        guard method == "GET" || method.isToken else { throw .malformedMethod(method.escapingControls) }
        guard !attempt.request.url.hasControlOrSpace else {
            let text = attempt.request.url.string
            let reason = "\(text.firstForbiddenControl ?? "a space") is not allowed in a URL"
            throw .malformedURL(text.escapingControls, reason: reason)
        }
        // An interceptor may have changed the address since the request was built.
        guard attempt.request.url.scheme == .https || attempt.call.prepared.allowsClearText(to: attempt.request.url) else {
            throw .insecureConnection(host: attempt.request.url.host)
        }
    }

    private static func rejection(of attempt: Attempt) -> TransportError? {
        guard !attempt.call.prepared.rejectsHost(of: attempt.request.url) else {
            let reason = "the pin set names no pins for it and rejects other hosts"
            return .pinMismatch(host: attempt.request.url.host, reason: reason)
        }
        return rejectedMethod(attempt).map { .unsupported(capability: $0) }
    }

    /// Why a method is rejected: because it is no exchange of a request and a response, or for its body.
    private static func rejectedMethod(_ attempt: Attempt) -> String? {
        switch attempt.request.method {
        // Nearly every request; comparing all the others costs 200 instructions.
        case .get: nil
        // Turns the connection into a tunnel; only libcurl sends it, to a proxy (RFC 9110 §9.3.6).
        case .connect: "the method CONNECT, which opens a tunnel instead of asking for a resource"
        // Its response repeats the request, so the request must contain no secret and no content (RFC 9110 §9.3.8).
        case .trace where !attempt.request.body.isEmpty: "a body in a TRACE request"
        case .trace where attempt.request.headers.contains(where: { attempt.call.channel.redaction.hides($0.name.rawName) }):
            "credentials in a TRACE request, whose answer repeats them"
        // Has no meaning (RFC 9110 §9.3.2), and libcurl would wait for the body of the response that never arrives.
        case .head where !attempt.request.body.isEmpty: "a body in a HEAD request"
        default: nil
        }
    }
}
