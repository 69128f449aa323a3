internal import CoreAPICore

/// An endpoint whose call fails before anything is sent.
private struct FailingEndpoint: WrappingEndpoint {
    let wrapped: any Endpoint
    let encoding: InputEncoding
}

extension Endpoint {
    /// This endpoint, failing before anything is sent. Through it the channel's hooks and listeners receive the error of a
    /// transfer that cannot make a request.
    ///
    /// - Parameter error: makes the error of the call.
    func failing(with error: @escaping @Sendable (APIClientError.Context) -> APIClientError) -> any Endpoint {
        FailingEndpoint(wrapped: self, encoding: InputEncoding("a transfer") { _, _ in throw CallRejection(error) })
    }
}
