internal import HTTPTypes

// A request without content must not carry `Expect: 100-continue`. A server or proxy that does not know the field answers 417,
// and has done nothing else: the request is then sent without it, as one of the call's attempts (RFC 9110 §10.1.1).

extension RawResponse {
    /// Whether the server has rejected the expectation of this attempt.
    var isExpectationRejected: Bool { status == 417 && request?.headers[.expect]?.lowercased() == "100-continue" }
}

extension Attempt {
    /// The attempt without an `Expect` that may not be sent, or that a response to an earlier attempt has rejected. Asked last,
    /// because a hook may add the field to each attempt.
    // Not inlined: the request's copy would lie in the frame of its caller.
    @inline(never)
    func withoutVainExpectation() -> Attempt {
        // Without a lookup by name, which would make an index of all fields.
        guard request.headers.contains(where: { $0.name == .expect }),
            request.body.isEmpty || earlier.contains(where: { $0.status == 417 })
        else { return self }
        return with { $0.headers[.expect] = nil }
    }
}
