internal import HTTPTypes

/// What becomes of a request when the answer is a redirect (RFC 9110 §15.4). Pure: no I/O.
///
/// libcurl could follow redirects itself (`CURLOPT_FOLLOWLOCATION`), but it keeps only `Authorization` and `Cookie` from another
/// host and knows nothing of an `X-Api-Key`.
struct RedirectPolicy {
    enum Decision {
        /// The response is the answer.
        case deliver
        case follow(Request)
        case refuse(TransportError)
    }

    /// The fields that go to another origin: those that are known to give nothing away. A team's own field may be a credential,
    /// so the channel names the ones that may go along (``Channel/fieldsForOtherOrigins``).
    private static let harmless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-digest",
        "content-disposition",
        "content-encoding", "content-language", "content-length", "content-type", "date", "dnt", "expect", "idempotency-key",
        "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "pragma", "prefer", "priority",
        "range",
        "repr-digest", "sec-gpc", "te", "transfer-encoding", "upgrade-insecure-requests", "user-agent", "x-requested-with",
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
        let locations = Set(head.headers[fields: .location].map(address))
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
                return refused("it leads to clear text http; APIEnvironment.allowsInsecureConnections would allow it")
            }
        }
        guard !request.call.shared.isLeft(by: target) else {
            return refused("the environment '\(request.call.channel.environment.name)' may be simulated and is never left")
        }
        return .follow(next(request, to: target, status: head.status.code))
    }

    /// A field's value with every byte beyond ASCII percent-encoded: bytes are data, whatever charset they are in (RFC 3986
    /// §2.5). A host in UTF-8 stays text, because it has a form of its own (UTS 46).
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

    /// Where the authority of a reference ends; 0 where it has none.
    private static func endOfHost(_ bytes: [UInt8]) -> Int {
        let slash = UInt8(ascii: "/")
        let path = bytes.firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        guard path + 1 < bytes.endIndex, bytes[path] == slash, bytes[path + 1] == slash,
            path == 0 || bytes[path - 1] == UInt8(ascii: ":")
        else { return 0 }
        return bytes[(path + 2)...].firstIndex { "/?#\\".utf8.contains($0) } ?? bytes.endIndex
    }

    private static func next(_ request: Request, to target: HTTPURL, status: Int) -> Request {
        var next = request
        next.url = target
        // 303 always asks for the other resource (§15.4.4). For 300 to 302 only POST may become GET (§15.4.2–3): a DELETE that
        // turned into a GET would be reported as done.
        let becomesGET = status == 303 ? request.method != .head : status < 303 && request.method == .post
        if becomesGET {
            next.method = .get
            next.body = .none
            next.headers = next.headers.without { contentFields.contains($0.canonicalName) }
        }
        if !request.url.hasSameOrigin(as: target) {
            let named = Set(request.call.channel.fieldsForOtherOrigins.map { $0.lowercased() })
            next.headers = next.headers.without {
                $0.canonicalName == "host" || !harmless.contains($0.canonicalName) && !named.contains($0.canonicalName)
            }
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
