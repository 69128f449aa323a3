public import Foundation

/// Everything known about a call when it ends, or about one attempt while it runs. A failed one loses nothing: head, body, metrics
/// and attempts stay beside the error.
public struct Response<Value: Sendable>: Sendable {
    public let call: Call
    /// The request as it was sent, or `nil` when it could not even be built.
    public var request: Request?
    /// Status and fields, or `nil` when none arrived.
    public var head: ResponseHead?
    /// The body's bytes as received, decompressed.
    public var data: Data
    public var result: Result<Value, APIClientError>
    public var metrics: TransferMetrics? {
        get { sharedMetrics?.value }
        set { sharedMetrics = newValue.map(CopyOnWrite.init) }
    }
    var sharedMetrics: CopyOnWrite<TransferMetrics>?
    /// One entry per finished attempt, oldest first.
    public var attempts: [Attempt]
    /// What a further attempt by hand begins with; see ``retry(max:delay:)``.
    var repetition: Repetition?

    struct Repetition {
        let call: EnhancedCall
        let decoding: ResponseDecoding<Value>
    }

    /// What a transport answers with.
    public init(
        request: Request, head: ResponseHead? = nil, data: Data = Data(), result: Result<Value, APIClientError>,
        metrics: TransferMetrics? = nil
    ) {
        self.init(
            call: request.call, request: request, head: head, data: data, result: result, metrics: metrics.map(CopyOnWrite.init))
    }

    init(
        call: Call, request: Request? = nil, head: ResponseHead? = nil, data: Data = Data(),
        result: Result<Value, APIClientError>, metrics: CopyOnWrite<TransferMetrics>? = nil, attempts: [Attempt] = []
    ) {
        self.call = call
        self.request = request
        self.head = head
        self.data = data
        self.result = result
        sharedMetrics = metrics
        self.attempts = attempts
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

    /// The same response with another result.
    public func with<Other>(_ result: Result<Other, APIClientError>) -> Response<Other> {
        Response<Other>(
            call: call, request: request, head: head, data: data, result: result, metrics: sharedMetrics, attempts: attempts)
    }
}

/// What one attempt came to.
public struct Attempt: Sendable {
    /// 1 for the first.
    public let number: Int
    public let status: Int?
    public let error: APIClientError?
    public var metrics: TransferMetrics? { sharedMetrics?.value }
    let sharedMetrics: CopyOnWrite<TransferMetrics>?
    /// How long the call waited before this attempt.
    public let delay: Duration
}
