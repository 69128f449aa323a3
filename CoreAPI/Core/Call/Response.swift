public import Foundation
internal import HTTPTypes

/// Everything known about a call when it ends, or about one attempt while it runs: its ``Reply`` and the value that was made of
/// it. A failed one loses nothing: head, body, metrics and attempts stay beside the error.
public struct Response<Value: Sendable>: Sendable {
    public var result: Result<Value, APIClientError> {
        didSet { isDelivered = false }
    }
    private(set) var reply: Reply
    /// Whether the pipeline delivered it so; only then is it known what another attempt's value would be.
    private(set) var isDelivered = false

    public var call: Call { reply.call }
    /// The request as it was sent, or `nil` when it could not even be built.
    public var request: Request? {
        get { reply.request }
        set {
            guard newValue != nil || reply.attempt != nil else { return }
            reply = reply.copy(attempt: .some(newValue.map { reply.attempt?.with($0) ?? Attempt($0) }))
        }
    }
    /// Status and fields, or `nil` when none arrived.
    public var head: ResponseHead? {
        get { reply.head }
        set { reply = reply.with(head: newValue) }
    }
    /// The body's bytes as received, decompressed.
    public var data: Data {
        get { reply.data }
        set { reply = reply.with(body: .bytes(newValue)) }
    }
    public var metrics: TransferMetrics? {
        get { reply.metrics }
        set { reply = reply.copy(metrics: .some(newValue)) }
    }
    /// One entry per finished attempt, oldest first.
    public var attempts: [AttemptOutcome] { reply.attempts }
    /// What reads the body.
    var coder: BodyCoder { request?.coder ?? call.prepared.coder }

    /// What a transport answers with, for one that is easier to write so; see ``Reply/init(_:)``.
    public init(
        request: Request, head: ResponseHead? = nil, data: Data = Data(), result: Result<Value, APIClientError>,
        metrics: TransferMetrics? = nil
    ) {
        self.init(Reply(Attempt(request), head: head, body: .bytes(data), metrics: metrics), result)
    }

    init(_ reply: Reply, _ result: Result<Value, APIClientError>, isDelivered: Bool = false) {
        self.reply = reply
        self.result = result
        self.isDelivered = isDelivered
    }

    /// The value.
    ///
    /// - Throws: the call's error.
    public var value: Value {
        get throws(APIClientError) { try result.get() }
    }

    /// The error, or `nil` after a success.
    public var error: APIClientError? {
        guard case .failure(let error) = result else { return nil }
        return error
    }

    /// The same response with another result; not to be repeated by hand, as what made the result of the other is not known.
    public func with<Other>(_ result: Result<Other, APIClientError>) -> Response<Other> { Response<Other>(reply, result) }
}

extension Response where Value == Void {
    /// An attempt or a call as hooks see it, which do not know the type of its value.
    package init(_ reply: Reply) {
        self.init(reply, reply.failure.map { .failure($0) } ?? .success(()))
    }
}

extension Response where Value == Data {
    /// An answer that enhancers, verifiers and filters have not seen.
    init(unread reply: Reply) {
        self.init(reply, reply.failure.map { .failure($0) } ?? .success(reply.data))
    }
}

extension Reply {
    /// The reply that a response describes, for a transport that is easier to write so.
    public convenience init(_ response: Response<Data>) {
        let reply = response.reply
        var body = reply.body
        if case .success(let data) = response.result { body = .bytes(data) }
        self.init(
            call: reply.call, attempt: reply.attempt, head: reply.head, body: body, failure: response.error,
            metrics: reply.metrics, reading: .unread)
    }
}
