internal import CoreAPICore

extension Endpoint {
    /// An endpoint whose call fails before anything is sent. Its response has the context of the error.
    func failing(with error: any Error) -> any Endpoint {
        let encoding = InputEncoding("a transfer") { _, _ in throw error }
        var endpoint = AdHocEndpoint(method, path, encoding: encoding, name: description)
        endpoint.baseURL = baseURL
        return endpoint
    }
}
