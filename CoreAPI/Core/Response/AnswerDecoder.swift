internal import Foundation

/// What one call's answer is decoded into, for a pipeline that does not know the type: generic code looks its types up anew after every
/// suspension, which was a sixth of what the pipeline cost.
protocol AnyAnswerDecoder: AnyObject {
    /// Whether the answer is asked for in the channel coder's media type (`Accept`).
    var wantsCoder: Bool { get }
    /// Whether more is done with a body than to hand it over.
    var readsBody: Bool { get }
    /// Decodes an attempt's answer and keeps the value.
    func decode(_ response: Response<Data>) -> Response<Void>
}

/// What every attempt that was decoded is a success with: the value waits in the decoder.
private let nothing = Response<Void>.Box(())

/// Keeps the value until the call is settled. Not sendable: it stays in the task of its call.
final class AnswerDecoder<Value: Sendable>: AnyAnswerDecoder {
    private let decoding: ResponseDecoding<Value>
    @exclusivity(unchecked) private var value: Response<Value>.Box?

    init(_ decoding: ResponseDecoding<Value>) {
        self.decoding = decoding
    }

    var wantsCoder: Bool { decoding.wantsCoder }
    var readsBody: Bool { decoding.readsBody }

    func decode(_ response: Response<Data>) -> Response<Void> {
        do throws(APIClientError) {
            value = Response<Value>.Box(try decoding.value(of: response))
            return response.with(nothing)
        } catch {
            return response.failed(error)
        }
    }

    /// The settled call with its value.
    ///
    /// - Parameter call: what a repetition by hand begins with; `nil` when the request could not be built.
    func response(_ settled: Response<Void>, of call: EnhancedCall?) -> Response<Value> {
        var response: Response<Value>
        if let error = settled.error {
            response = settled.failed(error)
        } else if let value {
            response = settled.with(value)
        } else {
            // Nothing settles as a success that was not decoded.
            response = settled.failed(.cancelled(ErrorContext(settled)))
        }
        if let call { response.repetition = .init(call: call, decoding: decoding) }
        return response
    }
}
