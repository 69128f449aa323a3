public import Foundation
internal import HTTPTypes

/// Everything known about a call when it ends, or about one attempt while it runs. A failed one loses nothing: head, body, metrics
/// and attempts stay beside the error.
public struct Response<Value: Sendable>: Sendable {
    public var call: Call { fields.value.call }
    /// The request as it was sent, or `nil` when it could not even be built.
    public var request: Request? {
        get { fields.value.request }
        set { fields.value.request = newValue }
    }
    /// Status and fields, or `nil` when none arrived.
    public var head: ResponseHead? {
        get { fields.value.head }
        _modify { yield &fields.value.head }
    }
    /// The body's bytes as received, decompressed.
    public var data: Data {
        get { fields.value.data }
        _modify { yield &fields.value.data }
    }
    public var result: Result<Value, APIClientError> {
        get {
            switch outcome {
            case .success(let box): .success(box.value)
            case .failure(let error): .failure(error)
            }
        }
        set {
            outcome = Outcome(newValue)
            forgetRepetition()
        }
    }
    public var metrics: TransferMetrics? {
        get { sharedMetrics?.value }
        set { sharedMetrics = newValue.map(CopyOnWrite.init) }
    }
    var sharedMetrics: CopyOnWrite<TransferMetrics>? {
        get { fields.value.metrics }
        set { fields.value.metrics = newValue }
    }
    /// One entry per finished attempt, oldest first.
    public var attempts: [Attempt] {
        get { fields.value.earlier + (fields.value.last.map { [$0] } ?? []) }
        set { (fields.value.earlier, fields.value.last) = (newValue, nil) }
    }
    /// What reads the body.
    var coder: BodyCoder { fields.value.request?.coder ?? fields.value.call.shared.coder }
    /// Read by itself, because a head is copied as a whole.
    var statusCode: Int? { fields.value.head?.status.code }
    var bytesReceived: Int64 { fields.value.metrics?.value.bytesReceived ?? 0 }
    /// What a further attempt by hand begins with; see ``retry(max:delay:)``.
    var repetition: (request: Request, decoding: ResponseDecoding<Value>)? {
        guard let repetition = fields.value.repetition, let way = repetition.way as? ResponseDecoding<Value>.Way else {
            return nil
        }
        return (repetition.request, ResponseDecoding(way))
    }

    // Two references and no more, because every stage that waits keeps room for a response.
    private var fields: CopyOnWrite<ResponseFields>
    private var outcome: Outcome

    /// The result with the value behind one reference, so that a response is as large whatever its value is: code for any value looks up
    /// a type, 300 instructions each time, wherever it has to know its size.
    private enum Outcome {
        case success(Box)
        case failure(APIClientError)

        init(_ result: Result<Value, APIClientError>) {
            switch result {
            case .success(let value): self = .success(Box(value))
            case .failure(let error): self = .failure(error)
            }
        }
    }

    final class Box: Sendable {
        let value: Value

        required init(_ value: Value) {
            self.value = value
        }
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
        fields = CopyOnWrite(
            ResponseFields(call: call, request: request, head: head, data: data, metrics: metrics, earlier: attempts))
        outcome = Outcome(result)
    }

    private init(_ fields: CopyOnWrite<ResponseFields>, _ outcome: Outcome) {
        self.fields = fields
        self.outcome = outcome
    }

    /// The value.
    ///
    /// - Throws: the call's error.
    public var value: Value {
        get throws(APIClientError) { try box.value }
    }
    /// The value where it is kept.
    var box: Box {
        get throws(APIClientError) {
            switch outcome {
            case .success(let box): return box
            case .failure(let error): throw error
            }
        }
    }

    /// The error, or `nil` after a success.
    public var error: APIClientError? {
        guard case .failure(let error) = outcome else { return nil }
        return error
    }

    /// Notes what the attempt came to that ended with this response.
    mutating func note(after earlier: [Attempt], delay: Duration) {
        let last = Attempt(
            number: earlier.count + 1, status: statusCode, error: error, sharedMetrics: sharedMetrics, delay: delay)
        (fields.value.earlier, fields.value.last) = (earlier, last)
    }

    /// The same response with another result; not to be repeated by hand, as what made the result of the other is not known.
    public func with<Other>(_ result: Result<Other, APIClientError>) -> Response<Other> {
        var response = self
        response.forgetRepetition()
        return Response<Other>(response.fields, Response<Other>.Outcome(result))
    }

    private mutating func forgetRepetition() {
        if fields.value.repetition != nil { fields.value.repetition = nil }
    }

    /// The same response as a success; of an attempt, which cannot be repeated by hand yet.
    func with<Other>(_ value: Response<Other>.Box) -> Response<Other> {
        Response<Other>(fields, .success(value))
    }

    /// The same response as a failure; of an attempt, too.
    func failed<Other>(_ error: APIClientError) -> Response<Other> {
        Response<Other>(fields, .failure(error))
    }
}

extension Response where Value == Void {
    /// The settled call, with its value where it is a success.
    ///
    /// - Parameter enhanced: what a repetition by hand begins with.
    consuming func delivering<Other>(
        _ value: Response<Other>.Box?, of enhanced: Request?, as decoding: ResponseDecoding<Other>
    ) -> Response<Other> {
        if let enhanced { fields.value.repetition = ResponseFields.Repetition(request: enhanced, way: decoding.way) }
        let outcome: Response<Other>.Outcome
        if let error {
            outcome = .failure(error)
        } else if let value {
            outcome = .success(value)
        } else {
            // Nothing settles as a success that was not decoded.
            outcome = .failure(.cancelled(ErrorContext(copy self)))
        }
        return Response<Other>(fields, outcome)
    }
}

/// What is stored alike whatever the value is, so that a response of another one shares it.
private struct ResponseFields {
    let call: Call
    var request: Request?
    var head: ResponseHead?
    var data: Data
    var metrics: CopyOnWrite<TransferMetrics>?
    var earlier: [Attempt]
    /// The attempt after those: nearly always the only one, which then needs no list.
    var last: Attempt?
    /// Once the call has settled.
    var repetition: Repetition?

    struct Repetition {
        let request: Request
        /// The ``ResponseDecoding`` of the call's value.
        let way: AnyWay
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
