internal import CoreAPICore
internal import HTTPTypes

// After a 417 that comes before the whole body is sent, libcurl sends the request again. It leaves out the `Expect` that it
// had added itself. A field that the user has added stays, so the server rejects it again.
//
// The kit forbids that at the second call of `CURLOPT_PREREQFUNCTION`. Whatever code libcurl then ends with, the exchange
// ends with the response, unless a part of its body has arrived. The response has no body, because libcurl has dropped it.
// Shown by `UploadTests.expectationFailed`.

extension Exchange {
    /// Whether the server has rejected the expectation of a request whose body is still to be sent.
    var isExpectationRejected: Bool {
        sendings.count > 0 && isSending && handle?.head.status == 417 && request.request.headers[.expect] != nil
    }
}
