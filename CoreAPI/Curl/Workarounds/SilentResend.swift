internal import CoreAPICore

// When a reused connection turns out to be dead, libcurl sends the request again on a new one: up to five times, without a word,
// for every method, in every version. No option turns that off, so there is no switch either.
//
// Where a part of the body was sent it asks for the body's beginning (`CURLOPT_SEEKFUNCTION`). Otherwise the only sign is that
// `CURLOPT_PREREQFUNCTION` is called twice. The kit refuses either, unless the request may be sent again; the transfer then ends
// with `CURLE_SEND_FAIL_REWIND` or `CURLE_ABORTED_BY_CALLBACK`. Shown by `NoSilentResendTests`.

extension CurlTransfer {
    /// Whether the server may get the request a second time: because that makes no difference, or because it says that it has
    /// done nothing (RFC 9110 §9.2.2, RFC 9113 §8.7).
    var mayBeSentAgain: Bool { request.isIdempotent || streamFailure == .refused }

    /// Makes the request ready to be sent from its beginning, unless it must not be.
    func mayGoOnceMore() -> Bool { mayBeSentAgain && rewind() }

    private func rewind() -> Bool {
        do {
            try upload.rewind()
            forgetAnswer()
            return true
        } catch {
            failure = .bodyUnreadable(error)
            return false
        }
    }
}
