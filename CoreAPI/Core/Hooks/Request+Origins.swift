internal import CoreAPIHTTPSupport

extension Request {
    /// Whether the request goes to the origin (scheme, host and port) of its environment or to one of the given origins.
    /// Middleware checks this before it adds a credential: a redirect, or an endpoint with its own base URL, may lead elsewhere.
    ///
    /// - Parameter origins: further origins, as in `https://files.example.com`.
    public func goesToEnvironment(or origins: [String] = []) -> Bool {
        ([call.channel.environment.baseURL] + origins).contains { origin in
            (try? HTTPURL(origin)).map(url.hasSameOrigin) ?? false
        }
    }
}
