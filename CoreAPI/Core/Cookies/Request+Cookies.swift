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
        var request = self
        request.headers[.cookie] = cookies.map(\.pair).joined(separator: "; ")
        return request
    }

    /// Puts what an answer to this request sets into its channel's jar. One function for every transport of the kit, so that a login
    /// works offline as it does over the wire.
    func keepCookies(of head: ResponseHead) {
        guard let jar = call.channel.cookies else { return }
        for refusal in jar.store(head, from: url) {
            call.channel.logger.log(.warning("a cookie of '\(url.host)' was refused: \(refusal.readableDescription)", self))
        }
    }
}
