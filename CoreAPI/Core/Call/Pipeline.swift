internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// The way of a request, from the endpoint down to the transport and back up to the value.
enum Pipeline {
    /// All stages of a call, in order. ``Channel/stages`` lists them for one channel. `repeated` is the first attempt of a call
    /// that is repeated manually, which was built before.
    static func run(_ call: Call, from repeated: Attempt? = nil) async -> RawResponse {
        // Build and enhance the request, once for each call.
        let first: Attempt
        do throws(APIClientError) {
            if let repeated { first = repeated } else { first = try build(call) }
        } catch {
            return await result(translate(RawResponse(call, failure: error)))
        }
        // The middleware around the call calls this last. It makes attempts until one succeeds or no other may follow.
        @Sendable func tryAttempts(_ start: Attempt) async -> RawResponse {
            var attempt = start
            while true {
                let received: RawResponse
                do throws(APIClientError) {
                    // Interceptors change the attempt. Its middleware (redirects, the channel's, cookies) sends it.
                    attempt = try await adapt(attempt)
                    received = await Next(call.prepared.attemptChain, end: exchange)(attempt)
                } catch {
                    // Only `adapt` throws: nothing was sent.
                    received = attempt.failed(error)
                }
                // Deenhance, filter and decode the response.
                let raw = await readBody(received, of: attempt)
                guard let failure = raw.failure else { return raw }
                // Interceptors and error handler may want another attempt. It begins as the first did, and is adapted anew.
                switch await retry(raw, failure, from: start) {
                case .end(let settled): return settled
                case .again(let another): attempt = another
                }
            }
        }
        let raw = await Next(call.prepared.callChain, end: tryAttempts)(first)
        // A middleware around the call may have answered by itself: `interpret` skips what `tryAttempts` has read.
        return await result(translate(readBody(raw, of: first)))
    }

    // MARK: - Down

    /// Describes, encodes and enhances the request.
    private static func build(_ call: Call) throws(APIClientError) -> Attempt {
        let channel = call.prepared
        guard channel.problems.isEmpty else { throw .channel(problems: channel.problems, APIClientError.Context(call)) }
        var request = try call.request()
        try channel.enhance(&request)
        let attempt = Attempt(consume request)
        call.notify(.built(attempt))
        return attempt
    }

    /// Lets interceptors change the attempt, then checks cancellation and deadline.
    private static func adapt(_ attempt: Attempt) async throws(APIClientError) -> Attempt {
        let interceptors = attempt.call.prepared.channel.interceptors
        guard !interceptors.isEmpty else { return try attempt.admitted() }
        let draft = attempt.draft()
        do {
            for index in interceptors.indices {
                try Task.checkCancellation()
                try await interceptors[index].adapt(&draft.request)
            }
        } catch {
            throw draft.failure(error)
        }
        return try draft.adapted().admitted()
    }

    /// One exchange over the transport. A middleware may have changed the address, so the environment is checked last.
    static func exchange(_ attempt: Attempt) async -> RawResponse {
        if let rejection = attempt.rejectionByEnvironment() { return rejection }
        let attempt = attempt.withoutUselessExpect()
        attempt.notifyQueued()
        let raw = await attempt.transport.send(attempt)
        attempt.notifyExchange(raw)
        return raw
    }

    // MARK: - Up

    /// Reads the response. A stream is collected first, within the channel's limit, unless the caller asked for one and its head
    /// is accepted. Over libcurl an ordinary response arrives complete.
    private static func readBody(_ received: RawResponse, of attempt: Attempt) async -> RawResponse {
        guard !received.body.isInMemory else { return interpret(received, of: attempt) }
        switch attempt.use(of: received) {
        case .drop: return interpret(received.copy(body: Body.none), of: attempt)
        case .deliver: return interpret(received, of: attempt)
        case .collect: return interpret(await received.collected(), of: attempt)
        case .reject(let rejection, let time):
            return interpret(await received.collected(within: time).rejected(rejection), of: attempt)
        }
    }

    private static let emptyResponse = "a middleware or transport gave neither a head nor a failure"

    /// Deenhances a complete response, looks for the channel's own error in it, and decodes it, once.
    private static func interpret(_ given: RawResponse, of attempt: Attempt) -> RawResponse {
        let call = attempt.call
        // A middleware may give a response that it has kept from another call.
        let kept = given.call === call ? given : given.copy(call: call, attempt: attempt)
        let isReadable: Bool
        switch kept.reading {
        case .unread: isReadable = true
        case .unreadable: isReadable = false
        default: return kept
        }
        // Without an attempt, a caller supplied the bytes (`RawResponse.init(_:parsing:)`).
        let isEmpty = kept.head == nil && kept.failure == nil && kept.attempt != nil
        let raw = isEmpty ? attempt.failed(TransportError.malformedResponse(reason: Self.emptyResponse)) : kept
        var response = Response<Data>(unread: raw.answering(attempt))
        deenhance(&response)
        if isReadable { call.channel.errorFilter.apply(to: &response) }
        let decoded = decode(response)
        if raw.head != nil { attempt.notify(.read(attempt, decoded.failure)) }
        return decoded
    }

    /// Runs the enhancers, one of which verifies the status.
    private static func deenhance(_ response: inout Response<Data>) {
        let enhancers = response.call.prepared.enhancers
        for index in enhancers.indices {
            do {
                try enhancers[index].deenhance(&response)
            } catch {
                response.fail(error)
            }
        }
    }

    private static func decode(_ response: Response<Data>) -> RawResponse {
        do throws(APIClientError) {
            let value = try response.call.decoding.anyValue(of: response)
            return response.raw.copy(failure: .some(nil), reading: .value(value))
        } catch {
            return response.raw.copy(failure: .some(error), reading: .failed(error))
        }
    }

    private enum Decision {
        case end(RawResponse)
        case again(Attempt)
    }

    /// Asks interceptors and then the error handler about a failed attempt; the first decision counts. Limit and deadline apply
    /// in any case. A further attempt begins as a copy of `start`, which the call's middleware passed on.
    private static func retry(_ raw: RawResponse, _ failure: APIClientError, from start: Attempt) async -> Decision {
        guard !failure.isCancelled else { return .end(raw) }
        let decision = await retryDecision(Response(raw), failure)
        guard !Task.isCancelled else { return .end(raw.replaced(by: CancellationError())) }
        switch decision {
        case .doNotRetry: return raw.isExpectationRejected ? await pause(.zero, after: raw, from: start) : .end(raw)
        case .fail(let error): return .end(raw.replaced(by: error))
        case .succeed(let value): return .end(raw.resolved(value))
        case .retry: return await pause(.zero, after: raw, from: start)
        case .retryAfter(let delay): return await pause(max(delay, .zero), after: raw, from: start)
        }
    }

    /// The decision of the first interceptor that has one; without one, the error handler's.
    static func retryDecision(_ response: Response<Void>, _ failure: APIClientError) async -> RetryResult {
        let prepared = response.call.prepared
        let interceptors = prepared.channel.interceptors
        for index in interceptors.indices {
            do {
                let decision = try await interceptors[index].retry(response, dueTo: failure)
                if case .doNotRetry = decision { continue }
                return decision
            } catch {
                return .fail(error)
            }
        }
        let handler = prepared.channel.errorHandler
        return handler.canResolve(failure) ? await handler.resolve(failure, for: response) : .doNotRetry
    }

    private static func pause(_ delay: Duration, after raw: RawResponse, from start: Attempt) async -> Decision {
        guard start.request.body.isReplayable, raw.mayTryAgain(after: delay) else { return .end(raw) }
        raw.notifyRetrying(after: delay)
        do {
            if delay > .zero { try await Task.sleep(for: delay) }
            try Task.checkCancellation()
        } catch {
            return .end(raw.replaced(by: CancellationError()))
        }
        return .again(start.next(after: raw.attempts, delay: delay))
    }

    /// The response, its error translated by the channel's filter.
    private static func translate(_ raw: RawResponse) -> RawResponse {
        guard let failure = raw.failure, let translated = raw.call.channel.errorFilter.translate(failure) else { return raw }
        return raw.copy(failure: translated)
    }

    /// Hands the result to the result handler, then to the listeners.
    private static func result(_ raw: RawResponse) async -> RawResponse {
        await raw.call.channel.resultHandler(raw)
        raw.call.notify(.finished(Response(raw)))
        return raw
    }
}

/// The rest of a request's way, seen from a ``Middleware``.
public struct Next: Sendable {
    private let chain: [any Middleware]
    private let index: Int
    private let end: @Sendable (Attempt) async -> RawResponse

    init(_ chain: [any Middleware], index: Int = 0, end: @escaping @Sendable (Attempt) async -> RawResponse) {
        (self.chain, self.index, self.end) = (chain, index, end)
    }

    /// Continues with an attempt and returns its response.
    // Not inlined: the next link of the chain would lie in the frame of its caller.
    @inline(never)
    public func callAsFunction(_ attempt: Attempt) async -> RawResponse {
        guard index < chain.count else { return await end(attempt) }
        return await chain[index].handle(attempt, next: Next(chain, index: index + 1, end: end))
    }
}

// MARK: - Steps

// The synchronous steps of the stages above. Temporaries of two would lie in each held call (docs/decisions/plain-code.md).

extension Call {
    func request() throws(APIClientError) -> Request {
        guard let endpoint = described else {
            throw .channel(problems: ["the call was made without an endpoint"], APIClientError.Context(self))
        }
        do throws(RequestError) {
            var request = try Request(endpoint, call: self)
            if decoding.wantsCoder { request.accept(request.coder) }
            return consume request
        } catch {
            let context = APIClientError.Context(self, method: endpoint.method)
            if case .encodingFailed(_, let cause as CallRejection) = error { throw cause.error(context) }
            // An address is empty only if the channel has no base.
            if case .malformedURL("", _) = error { throw .channel(problems: [channel.environment.missingBase], context) }
            throw .request(error, context)
        }
    }
}

final class Draft {
    var request: Request
    private let attempt: Attempt

    fileprivate init(_ attempt: Attempt) {
        request = attempt.request
        self.attempt = attempt
    }

    func adapted() -> Attempt { attempt.with(request) }

    /// The reason why the attempt is not sent, with the address that interceptors gave it.
    // Not inlined: the context's temporaries would lie in the frame of its caller.
    @inline(never)
    func failure(_ error: any Error) -> APIClientError {
        APIClientError(error, APIClientError.Context(request), stage: APIClientError.adapting)
    }
}

extension Attempt {
    /// The attempt itself, once listeners have heard that it starts. Throws after a cancellation or the deadline.
    func admitted() throws(APIClientError) -> Attempt {
        guard !Task.isCancelled else { throw .cancelled(APIClientError.Context(request)) }
        guard ContinuousClock.now < request.deadline else {
            throw .transport(.timedOut(.total, after: request.timeout.total), APIClientError.Context(request))
        }
        notify(.started(self))
        return self
    }

    /// The rejection of a request that would leave a simulated environment.
    func rejectionByEnvironment() -> RawResponse? {
        guard call.prepared.forbids(request.url) else { return nil }
        return failed(RequestError.leavesEnvironment(host: request.url.host, environment: call.channel.environment.name))
    }

    /// The channel's transport, unless a modifier of a streaming call replaces it.
    // Asked for streaming calls only: a search among modifiers would slow every request.
    fileprivate var transport: any Transport {
        let transport = call.prepared.transport
        guard streamsBody else { return transport }
        let modifier = request.modifiers.lazy.compactMap { $0 as? any TransportModifier }.last
        return modifier?.transport(over: transport) ?? transport
    }

    // Not inlined: the object, which does not escape, would lie in the frame of its caller.
    @inline(never)
    func draft() -> Draft { Draft(self) }

    /// What to do with a response's stream.
    fileprivate enum Use {
        /// The caller reads it: it asked for a stream, and its verifiers accept the head.
        case deliver
        case collect
        /// Filters and retry have seen the failed response without its body, so no code would read it.
        case drop
        /// The call failed, or a verifier rejects a successful head. The body is collected for the error, for at most this time.
        case reject(APIClientError, within: Duration?)
    }

    fileprivate func use(of raw: RawResponse) -> Use {
        // A switched connection never ends as a body does.
        if raw.body.connection != nil { return .deliver }
        guard call.decoding.streamsBody, raw.head != nil else { return .collect }
        if case .failed = raw.reading { return .drop }
        if let failure = raw.failure { return .reject(failure, within: .seconds(10)) }
        guard case .unread = raw.reading else { return .deliver }
        guard let rejection = VerificationEnhancer.rejection(of: Response(unread: raw.answering(self))) else { return .deliver }
        if case .verification(.unacceptableStatus(let code, _), _) = rejection, !(200..<300 ~= code) { return .collect }
        return .reject(rejection, within: rejection.isOfHead ? .seconds(10) : nil)
    }
}

extension APIClientError {
    /// Whether this rejects a head, whatever body follows. Another verifier may have wanted bytes.
    fileprivate var isOfHead: Bool {
        switch self {
        case .verification(.unacceptableStatus, _), .verification(.unacceptableContentType, _), .decoding: true
        default: false
        }
    }
}

extension Response where Value == Data {
    /// An enhancer failed on the response. A transport's error stays, because without a complete response an enhancer may fail on
    /// what is missing. So does one that the response does not hold.
    fileprivate mutating func fail(_ error: any Error) {
        if case .unreadable = raw.reading { return }
        var context = APIClientError.Context(self)
        switch self.error {
        case .transport, .cancelled: return
        case let earlier?: context = context.caused(by: earlier)
        case nil: break
        }
        result = .failure(APIClientError(error, context, stage: APIClientError.deenhancing))
    }
}

extension RawResponse {
    /// Whether the server has rejected the expectation of this attempt; see ``Attempt/withoutUselessExpect()``.
    fileprivate var isExpectationRejected: Bool {
        status == 417 && request?.headers[.expect]?.lowercased() == "100-continue"
    }

    /// This response as one to `attempt`. A transport or a middleware may have made it for a request of its own.
    fileprivate func answering(_ attempt: Attempt) -> RawResponse {
        guard let own = self.attempt else { return copy(attempt: attempt) }
        // A response that a middleware around the call has changed may belong to a later attempt.
        if own.enhanced === attempt.enhanced, own.number >= attempt.number { return self }
        var request = own.request
        request.attempt = attempt.number
        return copy(attempt: attempt.with(request))
    }

    /// This response with another error: from an interceptor or the error handler, or because the call was cancelled.
    func replaced(by error: any Error, stage: (any Error, APIClientError.Context) -> APIClientError = APIClientError.app)
        -> RawResponse
    {
        copy(failure: APIClientError(error, APIClientError.Context(self), stage: stage))
    }

    /// A collected stream whose head was rejected. A failure while it was collected replaces the rejection, because a verifier
    /// may have wanted bytes. A rejection of the head stays, and so does any rejection if the call's time was over.
    fileprivate func rejected(_ rejection: APIClientError) -> RawResponse {
        guard let failure, !failure.isCancelled else { return self }
        if !rejection.isOfHead {
            guard case .transport(.timedOut(.total, _), _) = failure else { return self }
        }
        return failed(rejection.replacingContext(APIClientError.Context(self)))
    }

    func resolved(_ value: any Sendable) -> RawResponse {
        guard let failure, call.decoding.makes(value) else {
            let mismatch = RetryResult.Mismatch(expected: call.decoding.valueName, found: "\(type(of: value))")
            return replaced(by: mismatch, stage: APIClientError.unknown)
        }
        return copy(failure: .some(nil), reading: .resolved(value, after: failure))
    }

    /// Whether the channel's limit and the call's deadline allow another attempt after a pause.
    func mayTryAgain(after delay: Duration) -> Bool {
        guard let attempt, attempts.count < call.attemptLimit else { return false }
        return delay < ContinuousClock.now.duration(to: attempt.request.deadline)
    }

    func notifyRetrying(after delay: Duration) {
        call.notify(.retrying(Response(self), after: delay))
    }
}
