internal import CoreAPICore

extension Endpoint {
    /// An endpoint whose call fails before anything is sent. Through it the channel's hooks and listeners receive the error of a
    /// transfer that cannot make a request.
    ///
    /// - Parameter error: makes the error of the call.
    func failing(with error: @escaping @Sendable (ErrorContext) -> APIClientError) -> any Endpoint {
        let encoding = InputEncoding("a transfer") { _, _ in throw CallRefusal(error) }
        var endpoint = AdHocEndpoint(method, path, encoding: encoding, name: description)
        endpoint.baseURL = baseURL
        return endpoint
    }
}
