internal import HTTPTypes

/// One attempt of a call: the request as it is sent, and the outcomes of earlier attempts. Immutable; `with(_:)` makes another.
///
/// A class, so that handing it from one stage to the next costs a reference, however large the request is.
public final class Attempt: Sendable {
    /// The request of this attempt, as the stages before have changed it.
    public let request: Request
    /// The attempt whose response redirected to this one; `nil` without a redirect.
    public let redirectedFrom: Attempt?
    /// The outcomes of earlier attempts, oldest first.
    public let earlier: [Attempt.Outcome]
    /// How long the call waited before this attempt.
    public let delay: Duration
    /// The attempt after enhancing, from which this one was made; `nil` if this is that attempt.
    private let first: Attempt?
    /// The call that this is an attempt of.
    public var call: Call { request.call }
    /// 1 for the first.
    public var number: Int { request.attempt }

    /// An attempt for a transport or a middleware without a pipeline.
    public convenience init(_ request: Request) {
        self.init(request, after: [], delay: .zero)
    }

    private init(
        _ request: Request, after earlier: [Attempt.Outcome], delay: Duration, first: Attempt? = nil,
        redirectedFrom: Attempt? = nil
    ) {
        self.request = request
        self.earlier = earlier
        self.delay = delay
        self.first = first
        self.redirectedFrom = redirectedFrom
    }

    /// The attempt after enhancing, from which middleware, interceptors, redirects and retries made this one.
    var enhanced: Attempt { first ?? self }
    /// The same attempt with another request: a further header, another address.
    public func with(_ request: Request) -> Attempt { with(request, redirectedFrom: redirectedFrom) }

    private func with(_ request: Request, redirectedFrom: Attempt?) -> Attempt {
        Attempt(request, after: earlier, delay: delay, first: enhanced, redirectedFrom: redirectedFrom)
    }

    /// The same attempt with its request changed.
    ///
    /// ```swift
    /// let signed = try attempt.with { try $0.setHeader("X-Signature", sign($0)) }
    /// ```
    public func with(_ change: (inout Request) throws -> Void) rethrows -> Attempt {
        var changed = request
        try change(&changed)
        return with(changed)
    }

    func redirected(_ request: Request) -> Attempt { with(request, redirectedFrom: self) }
    var beforeRedirects: Attempt { redirectedFrom?.beforeRedirects ?? self }

    /// Another attempt that begins like this one: enhanced, and with what middleware around the call has changed.
    func next(after outcomes: [Attempt.Outcome], delay: Duration) -> Attempt {
        var again = request
        again.attempt = outcomes.count + 1
        return Attempt(again, after: outcomes, delay: delay, first: enhanced)
    }

    /// The first attempt of the same call repeated manually: adapted again, not enhanced again.
    func repeated(by call: Call, after outcomes: [Attempt.Outcome], delay: Duration) -> Attempt {
        var again = enhanced.request
        again.call = call
        again.attempt = outcomes.count + 1
        return Attempt(again, after: outcomes, delay: delay)
    }

    /// The attempt without an `Expect: 100-continue` that a request without content must not carry. A server or proxy that does
    /// not know the field answers 417, and has done nothing else: the request is then sent without it, as another attempt (RFC
    /// 9110 §10.1.1). Asked last, because a hook may add the field to each attempt.
    // Not inlined: the request's copy would lie in the frame of its caller.
    @inline(never)
    func withoutVainExpectation() -> Attempt {
        // Without a lookup by name, which would make an index of all fields.
        guard request.headers.contains(where: { $0.name == .expect }),
            request.body.isEmpty || earlier.contains(where: { $0.status == 417 })
        else { return self }
        return with { $0.headers[.expect] = nil }
    }

    /// The response of an attempt that failed before a head arrived. `stage` is the case for errors other than the kit's own.
    // Not inlined: the context's temporaries would lie in the frame of every stage that waits (4,592 → 5,630 bytes a held call).
    @inline(never)
    public func failed(
        _ error: any Error, stage: (any Error, APIClientError.Context) -> APIClientError = APIClientError.unknown
    ) -> RawResponse {
        RawResponse(self, failure: APIClientError(error, APIClientError.Context(request), stage: stage))
    }

    /// The outcome of one attempt.
    public struct Outcome: Sendable {
        /// 1 for the first.
        public let number: Int
        /// The response's status; `nil` if no head arrived.
        public let status: Int?
        /// Why the attempt failed; `nil` after a success.
        public let error: APIClientError?
        /// The attempt's cost on the wire; `nil` if the transport measured nothing.
        public let metrics: ExchangeMetrics?
        /// How long the call waited before this attempt.
        public let delay: Duration
    }
}
