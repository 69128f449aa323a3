public import Foundation

/// Finds errors inside successes and turns failures into the app's own error.
///
/// Use a filter to *translate*: it sees every response, verified or not, and may name an error for it; use an ``ErrorHandler`` to
/// *act* on one. Called once per attempt, synchronously, on the pipeline's thread, before decoding.
public struct ErrorFilter: Sendable {
    private let find: @Sendable (Response<Data>) throws -> (any Error)?

    /// - Parameter find: returns the error that the response stands for, or `nil` to leave it as it is. What it throws becomes the
    ///   result too, so that a filter that trips over a body is seen.
    public init(_ find: @escaping @Sendable (Response<Data>) throws -> (any Error)?) {
        self.find = find
    }

    /// Leaves every response as it is.
    public static let none = ErrorFilter { _ in nil }

    /// Reads an error envelope: decodes the body, if it is one, and asks `translate` what it means.
    ///
    /// - Parameters:
    ///   - type: the envelope; a body that is none is left alone.
    ///   - translate: returns the app's error, or `nil` if the envelope holds none.
    public static func envelope<Envelope: Decodable & SendableMetatype>(
        _ type: Envelope.Type, translate: @escaping @Sendable (Envelope, ResponseHead) -> (any Error)?
    ) -> ErrorFilter {
        ErrorFilter { response in
            guard let head = response.head, !response.data.isEmpty,
                let envelope = try? response.call.channel.coder.decode(Envelope.self, from: response.data)
            else { return nil }
            return translate(envelope, head)
        }
    }

    func apply(to response: inout Response<Data>) {
        // Without an answer there is nothing to translate but the transport's own error, which must stay recognisable.
        guard response.head != nil else { return }
        do {
            guard let error = try find(response) else { return }
            response.result = .failure(error as? APIClientError ?? .app(error, ErrorContext(response)))
        } catch {
            response.result = .failure(.app(error, ErrorContext(response)))
        }
    }
}
