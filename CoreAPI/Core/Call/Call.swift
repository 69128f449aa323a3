internal import CoreAPIHTTP
internal import HTTPTypes
internal import Synchronization

/// The state that all attempts of one call share: the channel, the endpoint, the start time, and the values that hooks keep.
public final class Call: Sendable {
    /// Appears in every log line and error text of this call: twelve hexadecimal digits unless one was given.
    public var id: String {
        // 48 bits distinguish the calls of a log, and are short enough to read.
        givenID ?? String(number >> 16, radix: 16, width: 12)
    }
    /// The channel that the call uses, as it was when the call began.
    public var channel: Channel { prepared.channel }
    /// When the call began; ``Request/deadline`` counts from here.
    public let started: ContinuousClock.Instant
    package let prepared: PreparedChannel
    let decoding: any RawResponseDecoding
    /// The manual attempts so far.
    let repetitions: Int
    /// Of all attempts: the channel's limit, or one more than so far for a manual retry.
    let attemptLimit: Int
    /// The endpoint; `nil` for a call that was made without one.
    let described: (any Endpoint)?
    /// The name of a call without an endpoint, made on first use: most calls are neither logged nor fail.
    private let describe: (@Sendable () -> String)?
    private let givenID: String?
    private let number: UInt64
    private let isRepeated = Atomic(false)
    private let context = Mutex<[ObjectIdentifier: any Sendable]>([:])
    /// The endpoint's description.
    public var endpoint: String { described?.description ?? describe?() ?? "" }
    /// The endpoint's ``Endpoint/keyPath``, else the channel's ``Channel/payload``.
    var keyPath: String { if let path = described?.keyPath, !path.isEmpty { path } else { prepared.channel.payload } }

    /// A call without an endpoint, for a custom dispatcher. Its description is made on first use.
    public convenience init(channel: Channel, endpoint: @escaping @autoclosure @Sendable () -> String, id: String? = nil) {
        self.init(PreparedChannel(channel), nil, ResponseDecoding.data, describe: endpoint, id: id)
    }

    init(
        _ channel: PreparedChannel, _ endpoint: (any Endpoint)?, _ decoding: any RawResponseDecoding,
        describe: (@Sendable () -> String)? = nil, id: String? = nil
    ) {
        (prepared, described, self.decoding, self.describe, givenID) = (channel, endpoint, decoding, describe, id)
        number = Self.count.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        started = .now
        (repetitions, attemptLimit) = (0, channel.channel.limits.attempts)
    }

    /// The same call for one more manual attempt. Its deadline begins anew, because a person asked for the attempt.
    init(repeating call: Call, after attempts: Int) {
        (prepared, described, decoding, describe) = (call.prepared, call.described, call.decoding, call.describe)
        (givenID, number) = (call.givenID, call.number)
        (repetitions, attemptLimit) = (call.repetitions + 1, attempts + 1)
        started = .now
        context.withLock { $0 = call.context.withLock { $0 } }
    }

    /// A value that hooks keep with the call, from its enhancers to its listeners; see ``Call/Key``. May be used from any thread.
    /// Reading and setting are each atomic, but not both together; use ``update(_:_:)`` for that.
    public subscript<Key: Call.Key>(key: Key.Type) -> Key.Value {
        get { context.withLock { $0[ObjectIdentifier(key)] }.flatMap { $0 as? Key.Value } ?? key.defaultValue }
        set {
            // The earlier value dies outside the lock, because its deinit may use the call.
            _ = context.withLock { $0.updateValue(newValue, forKey: ObjectIdentifier(key)) }
        }
    }

    /// Changes a value of the call atomically, and returns the result of `change`. May be used from any thread. It runs under the
    /// call's lock, so it must not use the call, nor wait. If it throws, the value stays.
    @discardableResult
    public func update<Key: Call.Key, Result: Sendable, Failure: Error>(
        _ key: Key.Type, _ change: (inout Key.Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (outcome, _, _) = context.withLock { context in
            let earlier = context[ObjectIdentifier(key)]
            var value = earlier.flatMap { $0 as? Key.Value } ?? key.defaultValue
            let outcome = Swift.Result { () throws(Failure) in try change(&value) }
            if case .success = outcome { context[ObjectIdentifier(key)] = value }
            // Both are released outside the lock, because a deinit may use the call.
            return (outcome, earlier, value)
        }
        return try outcome.get()
    }

    package var streamsBody: Bool { decoding.streamsBody }
    /// Claims the one repetition of this call; `false` if it was repeated before.
    func takeRepetition() -> Bool { !isRepeated.exchange(true, ordering: .acquiringAndReleasing) }

    func notify(_ event: @autoclosure () -> CallEvent) {
        guard !prepared.listeners.isEmpty else { return }
        let event = event()
        for listener in prepared.listeners { listener.notify(event) }
    }

    private static let count = Atomic<UInt64>(.random(in: .min ... .max))

    /// Names a value that hooks keep with a ``Call``.
    ///
    /// ```swift
    /// enum Budget: Call.Key { static let defaultValue = 3 }
    /// let left = attempt.call.update(Budget.self) { budget in
    ///     budget -= 1
    ///     return budget
    /// }
    /// ```
    public protocol Key {
        /// The type of the value that a call keeps.
        associatedtype Value: Sendable
        /// The value of a call before a hook sets one.
        static var defaultValue: Value { get }
    }
}

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
    /// Whether the caller reads the body as it arrives. A transport may also stream a response that will be rejected.
    public var streamsBody: Bool { call.streamsBody }

    /// An attempt for a transport or a middleware without a pipeline.
    public convenience init(_ request: Request) { self.init(request, after: [], delay: .zero) }

    private init(
        _ request: Request, after earlier: [Attempt.Outcome], delay: Duration, first: Attempt? = nil,
        redirectedFrom: Attempt? = nil
    ) {
        (self.request, self.earlier, self.delay, self.first) = (request, earlier, delay, first)
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
    func withoutUselessExpect() -> Attempt {
        // Without a lookup by name, which would make an index of all fields.
        guard request.headers.contains(where: { $0.name == .expect }),
            request.body.isEmpty || earlier.contains(where: { $0.status == 417 })
        else { return self }
        return with { $0.headers[.expect] = nil }
    }

    /// The response of an attempt that failed before a head arrived. `stage` is the case for errors other than the kit's own.
    // Not inlined: the context's temporaries would lie in the frame of every stage that waits.
    @inline(never)
    public func failed(
        _ error: any Error, stage: (any Error, APIClientError.Context) -> APIClientError = APIClientError.unknown
    ) -> RawResponse { RawResponse(self, failure: APIClientError(error, APIClientError.Context(request), stage: stage)) }

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
