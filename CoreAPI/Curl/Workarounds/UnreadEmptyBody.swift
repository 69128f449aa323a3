internal import CoreAPICore

// libcurl never reads a body of length 0, so bytes of such a stream would be lost without an error. The kit reads the stream to
// its end before the request is sent, and rejects one that is not empty.

extension Attempt {
    /// Checks a streamed body that is declared empty. Returns why the request must not be sent, or `nil`.
    func rejectionOfEmptyStream() async -> RawResponse? {
        guard case .stream(let stream) = request.body, stream.length == 0 else { return nil }
        do {
            try await UploadBody.check(empty: stream, of: request)
            return nil
        } catch {
            return failed(error)
        }
    }
}
