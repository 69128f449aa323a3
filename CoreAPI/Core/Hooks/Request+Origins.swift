internal import CoreAPIHTTPSupport

extension Request {
    /// Whether the request goes to the origin (scheme, host and port) of its environment or to one of those that are named: where
    /// credentials may go along.
    package func goesToEnvironment(or origins: [String]) -> Bool {
        ([call.channel.environment.baseURL] + origins).contains { origin in
            (try? HTTPURL(origin)).map(url.hasSameOrigin) ?? false
        }
    }
}
