internal import HTTPTypes

/// What becomes of a request when the answer is a redirect (RFC 9110 §15.4). Pure: no I/O.
///
/// libcurl could follow redirects itself (`CURLOPT_FOLLOWLOCATION`), but it takes `Authorization` and `Cookie` only to their own host
/// and knows nothing of an `X-Api-Key`.
struct RedirectPolicy {
    enum Decision {
        /// The response is the answer.
        case deliver
        case follow(Request)
        case refuse(TransportError)
    }

    /// Names that lose their meaning, or give something away, at another origin.
    private static let credentials: Set<String> = [
        "authorization", "cookie", "cookie2", "proxy-authorization", "www-authenticate", "host",
    ]

    /// Describe a body that is no longer sent.
    private static let contentFields: Set<String> = ["content-length", "content-type", "transfer-encoding", "content-encoding"]

    /// Whether an answer with this status may lead elsewhere.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 300, 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// - Parameter followed: how many redirects led to this response.
    static func decide(_ request: Request, head: ResponseHead, followed: Int) -> Decision {
        let limits = request.call.channel.limits
        guard isRedirect(head.status.code), limits.redirects > 0 else { return .deliver }
        let locations = Set(head.headers[values: .location])
        guard let location = locations.first else { return .deliver }
        let redaction = request.call.channel.redaction
        guard locations.count == 1 else {
            return .refuse(
                .redirectRefused(
                    to: redaction.redact(text: location.shortened(to: 500)), reason: "the response names several addresses"))
        }
        guard followed < limits.redirects else { return .refuse(.tooManyRedirects(limit: limits.redirects)) }

        let target: HTTPURL
        do throws(RequestError) {
            target = try request.url.resolving(location)
        } catch {
            return .refuse(
                .redirectRefused(
                    to: redaction.redact(text: location.shortened(to: 500).escapingControls),
                    reason: error.readableDescription.shortened(to: 500)))
        }
        func refused(_ reason: String) -> Decision {
            .refuse(.redirectRefused(to: redaction.redact(url: target), reason: reason))
        }
        if target.scheme == .http {
            if request.url.scheme == .https, !limits.allowsRedirectsToInsecure {
                return refused("it leads from https to http; Limits.allowsRedirectsToInsecure would allow it")
            }
            if !request.call.channel.environment.allowsInsecureConnections(to: target.host) {
                return refused("it leads to clear text http; Environment.allowsInsecureConnections would allow it")
            }
        }
        return .follow(next(request, to: target, status: head.status.code))
    }

    private static func next(_ request: Request, to target: HTTPURL, status: Int) -> Request {
        var next = request
        next.url = target
        // 303 always asks for the other resource; for 300 to 302 every client turns what is not GET or HEAD into GET (§15.4.2 note).
        let becomesGET =
            status == 303 ? request.method != .head : status < 303 && request.method != .get && request.method != .head
        if becomesGET {
            next.method = .get
            next.body = .none
            next.headers = next.headers.without { contentFields.contains($0.canonicalName) }
        }
        if !request.url.hasSameOrigin(as: target) {
            let redaction = request.call.channel.redaction
            next.headers = next.headers.without { credentials.contains($0.canonicalName) || redaction.hides($0.canonicalName) }
        } else if next.headers[.authorization]?.lowercased().hasPrefix("digest ") == true {
            // It speaks for one target only (RFC 7616 §3.4): another must refuse it, and most do so with 400.
            next.headers[.authorization] = nil
        }
        return next
    }
}

extension HTTPFields {
    /// The fields whose name is not unwanted, in order.
    func without(_ isUnwanted: (HTTPField.Name) -> Bool) -> HTTPFields {
        guard contains(where: { isUnwanted($0.name) }) else { return self }
        var kept = HTTPFields()
        for field in self where !isUnwanted(field.name) { kept.append(field) }
        return kept
    }
}
