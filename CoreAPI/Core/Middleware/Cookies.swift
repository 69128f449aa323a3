public import CoreAPICookies
public import CoreAPIHTTP
internal import HTTPTypes

/// Sends the jar's cookies for an address and keeps those that responses set. The kit puts it around each hop of a channel with a
/// jar, so that a login works with fixtures as over the wire.
struct Cookies: Middleware {
    let jar: CookieJar

    func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        let raw = await next(attempt.withCookies(of: jar))
        // Also for a redirect: its cookies are sent to its target.
        raw.keepCookies(in: jar)
        return raw
    }
}

extension Attempt {
    /// The attempt with the jar's cookies for its address. A request that already has a `Cookie` header is unchanged, through all
    /// its redirects. TRACE requests get no cookies, because the response echoes them (RFC 9110 §9.3.8).
    fileprivate func withCookies(of jar: CookieJar) -> Attempt {
        let first = beforeRedirects.request
        guard first.headers[.cookie] == nil, first.method != .trace else { return self }
        var line: [UInt8] = []
        for pair in jar.cookies(for: request.url).lazy.map(\.pair) {
            // A server could set more cookies than it, or another host of its domain, accepts.
            guard line.count + pair.count + 2 <= CookieJar.headerLimit else { continue }
            line += (line.isEmpty ? "" : "; ").utf8 + pair
        }
        guard !line.isEmpty else { return self }
        // As bytes: a cookie declares no charset, and is sent back unchanged.
        return with { $0.headers.append(HTTPField(name: .cookie, lenientValue: line)) }
    }
}

extension RawResponse {
    fileprivate func keepCookies(in jar: CookieJar) {
        guard let attempt, let head else { return }
        let url = attempt.request.url
        let rejections = jar.store(head, from: url)
        guard let first = rejections.first else { return }
        // One event, however many lines a server sends.
        let others = rejections.count > 1 ? ", and \(rejections.count - 1) more of the same response" : ""
        attempt.warn("a cookie of '\(url.host)' was rejected\(others): \(first.readableDescription)")
    }
}

extension CookieJar {
    /// Stores every `Set-Cookie` line of a response. Returns why lines were rejected, in order; empty if all were stored.
    @discardableResult
    public func store(_ head: ResponseHead, from url: HTTPURL) -> [Cookie.Rejection] { store(head.headers, from: url) }
}
