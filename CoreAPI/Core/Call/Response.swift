internal import CoreAPICoding
internal import CoreAPIHTTP
public import Foundation
public import HTTPTypes

/// Everything known about a call when it ends, or about one attempt while it runs: its ``RawResponse`` and the decoded value. A
/// failed response keeps head, body, metrics and attempts beside the error.
public struct Response<Value: Sendable>: Sendable {
    /// The decoded value, or why the call failed.
    public var result: Result<Value, APIClientError> { didSet { isDelivered = false } }
    private(set) var raw: RawResponse
    /// Whether the pipeline delivered this response. Only then is the type of another attempt's value known.
    private(set) var isDelivered = false
    /// The call that the response belongs to.
    public var call: Call { raw.call }
    /// The request as it was sent; after redirects, the one before the first of them. `nil` if it could not be built.
    public var request: Request? {
        get { raw.request }
        set {
            guard newValue != nil || raw.attempt != nil else { return }
            raw = raw.copy(attempt: .some(newValue.map { raw.attempt?.with($0) ?? Attempt($0) }))
        }
    }
    /// Status and fields; `nil` if no head arrived.
    public var head: ResponseHead? {
        get { raw.head }
        set { raw = raw.copy(head: newValue) }
    }
    /// The body's bytes, decompressed, before enhancers change them.
    public var data: Data {
        get { raw.data }
        set { raw = raw.copy(body: .bytes(newValue)) }
    }
    /// The attempt's cost on the wire; `nil` if the transport measured nothing.
    public var metrics: ExchangeMetrics? {
        get { raw.metrics }
        set { raw = raw.copy(metrics: .some(newValue)) }
    }
    /// One entry per finished attempt, oldest first.
    public var attempts: [Attempt.Outcome] { raw.attempts }
    /// As ``RawResponse/informational``.
    public var informational: [ResponseHead] { raw.informational }
    /// As ``RawResponse/trailers``.
    public var trailers: HTTPFields? { raw.trailers }
    var coder: BodyCoder { request?.coder ?? call.prepared.coder }

    /// A transport's response in a test, see ``RawResponse/init(_:)``.
    package init(
        request: Request, head: ResponseHead? = nil, data: Data = Data(), result: Result<Value, APIClientError>,
        metrics: ExchangeMetrics? = nil
    ) { self.init(RawResponse(Attempt(request), head: head, body: .bytes(data), metrics: metrics), result) }

    init(_ raw: RawResponse, _ result: Result<Value, APIClientError>, isDelivered: Bool = false) {
        self.raw = raw
        self.result = result
        self.isDelivered = isDelivered
    }

    /// The value. Throws the call's error.
    public var value: Value { get throws(APIClientError) { try result.get() } }
    /// The error, or `nil` after a success.
    public var error: APIClientError? { if case .failure(let error) = result { error } else { nil } }
    /// The request that the response belongs to: after redirects, the last one.
    package var lastRequest: Request? { raw.hops.last?.request ?? raw.request }

    /// Puts a body back that a hook has replaced.
    mutating func restore(_ body: Body) { raw = raw.copy(body: body) }
    /// The same response with another result. It cannot be repeated manually, because how the result was made is not known.
    public func with<Other>(_ result: Result<Other, APIClientError>) -> Response<Other> { Response<Other>(raw, result) }

    /// Asks the channel's interceptors and error handler about a streamed body that broke off, as about a failed attempt. Returns
    /// the delay before the next request, and the outcomes with this one after those of earlier requests for the same body; `nil`
    /// if no request may follow: the hooks want none, the limit on attempts is reached, or the delay is too long.
    package func retryDelay(
        afterBodyBrokeBy error: APIClientError, earlier: [Attempt.Outcome]
    ) async -> (Duration, [Attempt.Outcome])? {
        guard !error.isCancelled, let attempt = raw.attempt else { return nil }
        let broken = raw.copy(
            attempt: .some(attempt.next(after: earlier, delay: .zero)), failure: .some(error), reading: .failed(error))
        let outcomes = broken.attempts
        guard attempt.request.body.isReplayable, outcomes.count < call.channel.limits.attempts else { return nil }
        switch await Pipeline.retryDecision(Response<Void>(broken), error) {
        case .retry: return (.zero, outcomes)
        case .retryAfter(let delay): return delay < attempt.request.timeout.total ? (delay.asPause, outcomes) : nil
        case .doNotRetry, .fail, .succeed: return nil
        }
    }

    /// The same response with its value transformed; a failure is unchanged.
    public func map<Other>(_ transform: (Value) throws -> Other) -> Response<Other> { flatMap { .success(try transform($0)) } }

    /// The same response with its value replaced by a result. An error thrown by `transform` becomes
    /// ``APIClientError/app(_:_:)``, unless it is one of the kit's own errors.
    public func flatMap<Other>(_ transform: (Value) throws -> Result<Other, APIClientError>) -> Response<Other> {
        switch result {
        case .failure(let error): return with(.failure(error))
        case .success(let value):
            do {
                return with(try transform(value))
            } catch {
                return with(.failure(APIClientError(error, APIClientError.Context(self), stage: APIClientError.app)))
            }
        }
    }
}

extension Response where Value == Void {
    /// An attempt or a call as hooks see it: without the type of its value.
    package init(_ raw: RawResponse) { self.init(raw, raw.failure.map { .failure($0) } ?? .success(())) }
}

extension Response where Value == Data {
    /// A response that enhancers, verifiers and filters have not seen.
    init(unread raw: RawResponse) { self.init(raw, raw.failure.map { .failure($0) } ?? .success(raw.data)) }
}

extension RawResponse {
    /// The response that a test's response describes.
    package convenience init(_ response: Response<Data>) {
        let raw = response.raw
        var body = raw.body
        if case .success(let data) = response.result { body = .bytes(data) }
        self.init(
            call: raw.call, attempt: raw.attempt, head: raw.head, body: body, failure: response.error,
            metrics: raw.metrics, reading: .unread, hops: raw.hops, interimAndTrailers: raw.interimAndTrailers)
    }
}
