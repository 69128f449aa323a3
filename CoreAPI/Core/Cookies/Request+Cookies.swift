internal import Foundation
internal import HTTPTypes

extension Request {
    /// Whether the jar has a say in what is sent: not in a request that has its own `Cookie` header, and not in one whose answer
    /// repeats it (RFC 9110 §9.3.8).
    var takesCookies: Bool {
        call.channel.cookies != nil && headers[.cookie] == nil && method != .trace
    }

    /// The request with what its channel's jar has for its address.
    func withCookies() -> Request {
        guard let cookies = call.channel.cookies?.cookies(for: url), !cookies.isEmpty else { return self }
        var line: [UInt8] = []
        for pair in cookies.lazy.map(\.pair) {
            // A server could otherwise have its clients send what it, or another host of its domain, does not take.
            guard line.count + pair.count + 2 <= CookieJar.headerLimit else { continue }
            line += (line.isEmpty ? "" : "; ").utf8 + pair
        }
        guard !line.isEmpty else { return self }
        var request = self
        // As bytes: a cookie declares no charset, and goes back as it came.
        request.headers.append(HTTPField(name: .cookie, lenientValue: line))
        return request
    }

    /// Puts what an answer to this request sets into its channel's jar. One function for every transport of the kit, so that a login
    /// works offline as it does over the wire.
    func keepCookies(of response: Response<Data>) {
        guard let jar = call.channel.cookies, let head = response.head else { return }
        let refusals = jar.store(head, from: url)
        guard let first = refusals.first else { return }
        // One event, however many lines a server sends.
        let others = refusals.count > 1 ? ", and \(refusals.count - 1) more of the same answer" : ""
        call.channel.logger.log(.warning("a cookie of '\(url.host)' was refused\(others): \(first.readableDescription)", self))
    }
}
