internal import Foundation

/// What one call's answer is decoded into, for a pipeline that does not know the type: generic code looks its types up anew after every
/// suspension, which was a sixth of what the pipeline cost.
protocol AnyAnswerDecoder: AnyObject, Sendable {
    /// Whether the answer is asked for in the channel coder's media type (`Accept`).
    var wantsCoder: Bool { get }
    /// Whether more is done with a body than to hand it over.
    var readsBody: Bool { get }
    /// Decodes an attempt's answer and keeps the value.
    func decode(_ response: Response<Data>) -> Response<Void>
}

/// Keeps the value until the call is settled. In the task of one call only.
final class AnswerDecoder<Value: Sendable>: AnyAnswerDecoder, @unchecked Sendable {
    private let decoding: ResponseDecoding<Value>
    private var result: Result<Value, APIClientError>?

    init(_ decoding: ResponseDecoding<Value>) {
        self.decoding = decoding
    }

    var wantsCoder: Bool { decoding.wantsCoder }
    var readsBody: Bool { decoding.readsBody }

    func decode(_ response: Response<Data>) -> Response<Void> {
        let result = decoding.result(of: response)
        self.result = result
        return response.with(result.map { _ in })
    }

    /// The settled call with its value.
    ///
    /// - Parameter call: what a repetition by hand begins with; `nil` when the request could not be built.
    func response(_ settled: Response<Void>, of call: EnhancedCall?) -> Response<Value> {
        let result: Result<Value, APIClientError> =
            switch (settled.result, self.result) {
            case (.failure(let error), _): .failure(error)
            case (.success, let result?): result
            // Nothing settles as a success that was not decoded.
            case (.success, nil): .failure(.cancelled(ErrorContext(settled)))
            }
        var response = settled.with(result)
        response.repetition = call.map { .init(call: $0, decoding: decoding) }
        return response
    }
}
