internal import CoreAPIHTTP
internal import CoreAPIRedaction
internal import HTTPTypes

/// Follows redirects (RFC 9110 §15.4), so that middleware after it sees every hop. The kit puts it around every attempt.
///
/// libcurl's own way (`CURLOPT_FOLLOWLOCATION`) withholds only `Authorization` and `Cookie` from another host, so it would send
/// an `X-Api-Key`. And fixtures and other transports would not follow redirects.
struct Redirects: Middleware {
    func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        var hop = attempt
        var earlier: RawResponse?
        while true {
            let raw = (await next(hop)).after(earlier)
            switch hop.step(after: raw) {
            case .ends(let raw): return raw
            case .redirects(let target):
                await raw.discardBody()
                (hop, earlier) = (target, raw)
            }
        }
    }

    fileprivate enum Step {
        case ends(RawResponse)
        case redirects(to: Attempt)
    }

    /// Fields that go to another origin, as the kit's own do (``Request/isOwn(_:)``). A custom field may be a credential, so the
    /// channel names the ones that may go along (``Channel/fieldsForOtherOrigins``).
    private static let harmless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-digest",
        "content-disposition", "content-encoding", "content-language", "content-length", "content-type", "date", "dnt",
        "expect", "idempotency-key", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
        "pragma", "prefer", "priority", "range", "repr-digest", "sec-gpc", "sec-websocket-protocol", "te",
        "transfer-encoding", "upgrade-insecure-requests", "user-agent", "x-requested-with",
    ]

    /// Whether a request without content has no use for the field (§15.4), or must not have it (`Expect`, §10.1.1).
    private static func describesContent(_ name: String) -> Bool {
        name.hasPrefix("content-") || ["expect", "repr-digest", "transfer-encoding"].contains(name)
    }

    static func isRedirect(_ status: Int) -> Bool { [300, 301, 302, 303, 307, 308].contains(status) }

    /// The request that a response redirects to; `nil` if it is the final response.
    static func target(of raw: RawResponse, to attempt: Attempt) throws(TransportError) -> Request? {
        let request = attempt.request
        let limits = request.call.channel.limits
        guard let head = raw.head else { return nil }
        let locations = Set(head.headers[fields: .location].filter(\.hasValue).map(address))
        guard let location = locations.first else { return nil }
        let redaction = request.redaction
        guard locations.count == 1 else {
            throw .redirectRejected(
                to: redaction.redact(text: location.shortened(to: 500)), reason: "the response names several addresses")
        }
        guard attempt.redirectCount < limits.redirects else { throw .tooManyRedirects(limit: limits.redirects) }

        let target: HTTPURL
        do throws(RequestError) {
            target = try request.url.resolving(location)
        } catch {
            throw .redirectRejected(
                to: redaction.redact(text: location.shortened(to: 500).escapingControls),
                reason: error.readableDescription.shortened(to: 500))
        }
        func rejected(_ reason: String) -> TransportError { .redirectRejected(to: redaction.redact(url: target), reason: reason) }
        if target.scheme == .http {
            if request.url.scheme == .https, !limits.allowsRedirectsToInsecure {
                throw rejected("it leads from https to http; Limits.allowsRedirectsToInsecure would allow it")
            }
            if !request.call.channel.environment.allowsInsecureConnections(to: target.host) {
                throw rejected("it leads to clear text http; APIEnvironment.allowsInsecureConnections would allow it")
            }
        }
        guard request.body.isReplayable || becomesGET(request, head.status.code) else {
            throw rejected("its body was sent and cannot be sent a second time")
        }
        if request.call.prepared.forbids(target) {
            let name = request.call.channel.environment.name
            throw rejected("the environment '\(name)' is simulated; expected an address at its own origin")
        }
        return next(request, to: target, status: head.status.code)
    }

    /// A field's value with every byte beyond ASCII percent-encoded: such bytes are data in any charset (RFC 3986 §2.5). A host
    /// in UTF-8 stays text, because it has another encoding (UTS 46).
    private static func address(_ field: HTTPField) -> String {
        field.withUnsafeBytesOfValue { bytes in
            let bytes = Array(bytes)
            let hostEnd = endOfHost(bytes)
            let host = String(validating: bytes[..<hostEnd], as: UTF8.self)
            return bytes[(host == nil ? 0 : hostEnd)...].reduce(into: host ?? "") { text, byte in
                if byte < 0x80 {
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    text += "%" + String(byte, radix: 16, uppercase: true)
                }
            }
        }
    }

    /// The offset of the end of a reference's authority; 0 without one.
    private static func endOfHost(_ bytes: [UInt8]) -> Int {
        let path = bytes.firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        guard bytes[path...].starts(with: "//".utf8), path == 0 || bytes[path - 1] == UInt8(ascii: ":") else { return 0 }
        return bytes[(path + 2)...].firstIndex { "/?#\\".utf8.contains($0) } ?? bytes.endIndex
    }

    /// 303 always asks for the other resource (§15.4.4). For 301 and 302 only POST may become GET (§15.4.2–3): a DELETE that
    /// became a GET would falsely report success.
    private static func becomesGET(_ request: Request, _ status: Int) -> Bool {
        status == 303 ? request.method != .head : [301, 302].contains(status) && request.method == .post
    }

    private static func next(_ request: Request, to target: HTTPURL, status: Int) -> Request {
        var next = request
        next.url = target
        if becomesGET(request, status) {
            next.method = .get
            next.body = .none
            next.headers = next.headers.filter { !describesContent($0.name.canonicalName) }
        }
        if !request.url.hasSameOrigin(as: target) {
            let named = Set(request.call.channel.fieldsForOtherOrigins.map { $0.lowercased() })
            next.headers = next.headers.filter { field in
                let name = field.name.canonicalName
                return name != "host" && (harmless.contains(name) || named.contains(name) || request.isOwn(field.name))
            }
        } else if next.headers[.authorization]?.lowercased().hasPrefix("digest ") == true {
            // A Digest answer is valid for one target only (RFC 7616 §3.4). Most servers reject it for another with 400.
            next.headers[.authorization] = nil
        }
        return next
    }
}

extension HTTPField {
    /// Whether there is anything beside blanks. A `Location` of blanks names no address.
    fileprivate var hasValue: Bool { withUnsafeBytesOfValue { $0.contains { $0 != 0x20 && $0 != 0x09 } } }
}

extension Attempt {
    /// Whether a response with this status and a `Location` is followed or rejected, so that its body is not needed.
    package func follows(status: Int) -> Bool { call.channel.limits.redirects > 0 && Redirects.isRedirect(status) }

    /// The bytes that a transport collects of a response's body. A response is complete without the rest if that is discarded.
    package func bodyLimit(of head: ResponseHead) -> (size: Int, isDiscarded: Bool) {
        let size = call.channel.limits.responseBodySize
        guard follows(status: head.status.code), head.headers[fields: .location].contains(where: \.hasValue) else {
            return (size, false)
        }
        return (min(RawResponse.discardLimit, size), true)
    }

    fileprivate var redirectCount: Int { redirectedFrom.map { $0.redirectCount + 1 } ?? 0 }

    /// The request that a response redirects to, if the redirect may be followed.
    // Not inlined: a request by value would lie in the frame of the async caller.
    @inline(never)
    fileprivate func step(after raw: RawResponse) -> Redirects.Step {
        guard let status = raw.status, Redirects.isRedirect(status), raw.failure == nil else { return .ends(raw) }
        do throws(TransportError) {
            guard let target = try Redirects.target(of: raw, to: self) else { return .ends(raw) }
            notify(.redirected(self, status: status, to: target.url))
            return .redirects(to: redirected(target))
        } catch {
            return .ends(raw.failed(.transport(error, APIClientError.Context(raw))))
        }
    }
}

extension RawResponse {
    /// This response with the cost of the hops before it, as the response to the attempt before all redirects.
    fileprivate func after(_ earlier: RawResponse?) -> RawResponse {
        guard let earlier, let attempt else { return self }
        let hops = earlier.hops + [attempt]
        var sum = metrics.map { metrics in earlier.metrics.map { metrics.adding(earlier: $0) } ?? metrics } ?? earlier.metrics
        sum?.redirects = hops.map(\.request.url)
        let raw = copy(attempt: earlier.attempt, metrics: .some(sum), hops: hops)
        // A failed refresh of a token has the context of its own call.
        guard let failure, failure.context.callID == call.id else { return raw }
        return raw.failed(failure.replacingContext(failure.context.redirected(raw.redaction)))
    }
}

extension ExchangeMetrics {
    /// The metrics of an attempt whose earlier exchanges were redirects: sums if sums make sense, otherwise the last exchange's.
    fileprivate func adding(earlier: ExchangeMetrics) -> ExchangeMetrics {
        var sum = self
        sum.queued += earlier.queued
        sum.total += earlier.total
        sum.bytesSent += earlier.bytesSent
        sum.resends += earlier.resends
        sum.bytesReceived = bytesReceived.map { $0 + (earlier.bytesReceived ?? 0) }
        return sum
    }
}
