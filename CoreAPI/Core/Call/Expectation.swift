internal import HTTPTypes

// A server or proxy that knows no `Expect: 100-continue` answers 417, and has done nothing else. The request is then sent without
// the field (RFC 9110 §10.1.1), as one of the call's attempts.

extension Reply {
    /// Whether the server has refused the expectation of this attempt, as the first of the call. A hook may add the field to each
    /// attempt.
    var isExpectationRefused: Bool {
        // Not inlined, as below.
        @inline(never)
        get { status == 417 && request?.expectsContinue == true && attempts.count { $0.status == 417 } == 1 }
    }
}

extension Attempt {
    /// The attempt without `Expect`, if an answer to an earlier one has refused it.
    // Not inlined: the request's copy would lie in the frame of its caller.
    @inline(never)
    func withoutRefusedExpectation() -> Attempt {
        guard request.expectsContinue, earlier.contains(where: { $0.status == 417 }) else { return self }
        return with { $0.headers[.expect] = nil }
    }
}

extension Request {
    fileprivate var expectsContinue: Bool { headers[.expect]?.lowercased() == "100-continue" }
}
