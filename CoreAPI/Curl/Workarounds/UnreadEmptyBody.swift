internal import CoreAPICore

extension CurlDefect {
    /// libcurl never reads a body of length 0, so bytes of such a stream would be lost without an error.
    ///
    /// The kit reads the stream to its end before the request is sent, and rejects one that is not empty. Shown by
    /// `WorkaroundTests.unreadEmptyBody`.
    static let unreadEmptyBody = CurlDefect(14, in: .every)
}

extension CurlLibrary {
    /// Checks a streamed body that is declared empty.
    ///
    /// - Returns: why the request must not be sent, or `nil`.
    func rejection(ofEmptyStream attempt: Attempt) async -> RawResponse? {
        guard case .stream(let stream) = attempt.request.body, stream.length == 0, has(.unreadEmptyBody) else { return nil }
        do {
            try await UploadBody.check(empty: stream, of: attempt.request)
            return nil
        } catch {
            return attempt.failed(error)
        }
    }
}
