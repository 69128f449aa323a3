public import CoreAPICookies
internal import Foundation
internal import HTTPTypes

/// Sends what a channel's jar has for an address and keeps what its answers set. The kit puts it around each hop of a channel
/// that has a jar, so that a login works offline as it does over the wire.
struct Cookies: Middleware {
    let jar: CookieJar

    func handle(_ attempt: Attempt, next: Next) async -> Reply {
        let reply = await next(attempt.withCookies(of: jar))
        // Of a redirect as well: what it sets goes along to where it leads.
        reply.keepCookies(in: jar)
        return reply
    }
}

extension Attempt {
    /// The attempt with what the jar has for its address. A request with a `Cookie` header of its own stays as it is, through all
    /// its redirects, and so does one whose answer repeats it (RFC 9110 §9.3.8).
    @inline(never)
    fileprivate func withCookies(of jar: CookieJar) -> Attempt {
        let first = original.request
        guard first.headers[.cookie] == nil, first.method != .trace else { return self }
        let cookies = jar.cookies(for: request.url)
        var line: [UInt8] = []
        for pair in cookies.lazy.map(\.pair) {
            // A server could otherwise have its clients send what it, or another host of its domain, does not take.
            guard line.count + pair.count + 2 <= CookieJar.headerLimit else { continue }
            line += (line.isEmpty ? "" : "; ").utf8 + pair
        }
        guard !line.isEmpty else { return self }
        // As bytes: a cookie declares no charset, and goes back as it came.
        return with { $0.headers.append(HTTPField(name: .cookie, lenientValue: line)) }
    }
}

extension Reply {
    @inline(never)
    fileprivate func keepCookies(in jar: CookieJar) {
        guard let attempt, let head else { return }
        let url = attempt.request.url
        let refusals = jar.store(head, from: url)
        guard let first = refusals.first else { return }
        // One event, however many lines a server sends.
        let others = refusals.count > 1 ? ", and \(refusals.count - 1) more of the same answer" : ""
        attempt.warn("a cookie of '\(url.host)' was refused\(others): \(first.readableDescription)")
    }
}

extension CookieJar {
    /// Takes every `Set-Cookie` line of an answer.
    ///
    /// - Returns: Why lines were refused, in their order; empty when all were taken.
    @discardableResult
    public func store(_ head: ResponseHead, from url: HTTPURL) -> [CookieRejection] {
        store(head.headers, from: url)
    }
}
