public import Foundation

/// Finds errors inside successes and turns failures into the app's own error.
///
/// Use a filter to *translate*; use an ``ErrorHandler`` to *act*. A filter finds, and it translates:
///
/// - what it was made with sees every answer, verified or not, once per attempt before decoding, and may name an error for it;
/// - what was added by ``translating(_:)``, ``defaulting(to:)`` or ``localized(_:default:)`` sees, once per call, the error that
///   interceptors and handlers left, whatever its stage. The app's own errors and cancellations pass it by.
///
/// ```swift
/// channel.errorFilter = ErrorFilter.envelope(ShopEnvelope.self) { envelope, _ in envelope.error }
///     .localized(["transport": "Bağlantı kurulamadı."], default: "Bir şeyler ters gitti.")
/// ```
///
/// Both run synchronously, on the pipeline's thread.
public struct ErrorFilter: Sendable {
    /// `nil` where nothing is looked for.
    private let find: (@Sendable (Response<Data>) throws -> (any Error)?)?
    private let translate: @Sendable (APIClientError) -> (any Error)?

    /// - Parameter find: returns the error that the response stands for, or `nil` to leave it as it is. What it throws becomes the
    ///   result too, so that a filter that trips over a body is seen.
    public init(_ find: @escaping @Sendable (Response<Data>) throws -> (any Error)?) {
        self.init(find: find, translate: { _ in nil })
    }

    private init(
        find: (@Sendable (Response<Data>) throws -> (any Error)?)?,
        translate: @escaping @Sendable (APIClientError) -> (any Error)?
    ) {
        self.find = find
        self.translate = translate
    }

    /// Leaves every response as it is.
    public static let none = ErrorFilter(find: nil, translate: { _ in nil })

    /// Whether it looks at answers.
    var readsAnswers: Bool { find != nil }

    /// Reads the body of an answer that was refused as the app's own error; a body that is none is left alone, and so is every success.
    public static func refusal<AppError: Error & Decodable>(_ type: AppError.Type) -> ErrorFilter {
        ErrorFilter { response in
            guard response.error != nil, !response.data.isEmpty else { return nil }
            return try? response.coder.decode(AppError.self, from: response.data)
        }
    }

    /// Reads an error envelope, in successes too: decodes the body, if it is one, and asks `translate` what it means.
    ///
    /// - Parameters:
    ///   - type: the envelope; a body that is none is left alone.
    ///   - translate: returns the app's error, or `nil` if the envelope holds none.
    public static func envelope<Envelope: Decodable & SendableMetatype>(
        _ type: Envelope.Type, translate: @escaping @Sendable (Envelope, ResponseHead) -> (any Error)?
    ) -> ErrorFilter {
        ErrorFilter { response in
            guard let head = response.head, !response.data.isEmpty,
                let envelope = try? response.coder.decode(
                    Envelope.self, from: response.data)
            else { return nil }
            return translate(envelope, head)
        }
    }

    /// This filter, and then another error in the place of what a call failed with.
    ///
    /// - Parameter translate: returns `nil` for what should stay as it is. What it returns arrives as ``APIClientError/app(_:_:)``, with
    ///   the error it stands for in ``ErrorContext/cause``; an ``APIClientError`` arrives as it is.
    public func translating(_ translate: @escaping @Sendable (APIClientError) -> (any Error)?) -> ErrorFilter {
        let first = self.translate
        return ErrorFilter(find: find) { first($0) ?? translate($0) }
    }

    /// This filter, and a default error for every failure that nothing else has named.
    public func defaulting(to error: @escaping @Sendable (APIClientError) -> any Error) -> ErrorFilter {
        translating { error($0) }
    }

    /// This filter, and a message in the user's language for every failure that nothing else has named; see ``LocalizedMessage``.
    ///
    /// - Parameters:
    ///   - messages: by ``APIClientError/label``, or by its beginning up to a dot: `transport.timedOut.connect`, `transport.timedOut`,
    ///     `transport`. The longest that fits counts.
    ///   - default: for what has no message; `nil` leaves the error as it is.
    public func localized(_ messages: [String: String], default: String? = nil) -> ErrorFilter {
        translating { error in
            var label = error.label[...]
            while true {
                if let message = messages[String(label)] { return LocalizedMessage(message) }
                guard let dot = label.lastIndex(of: ".") else { break }
                label = label[..<dot]
            }
            return `default`.map(LocalizedMessage.init)
        }
    }

    // Not inlined: the pipeline would keep room for its temporaries.
    @inline(never)
    func translate(_ response: Response<Void>) -> Response<Void> {
        switch response.error {
        case nil, .app, .cancelled: return response
        case let error?:
            guard let own = translate(error) else { return response }
            return response.with(.failure(APIClientError(own, error.context.caused(by: error), stage: APIClientError.app)))
        }
    }

    func apply(to response: inout Response<Data>) {
        // Without an answer there is nothing to translate but the transport's own error, which must stay recognisable.
        guard let find, response.head != nil else { return }
        do {
            var seen = response
            // What enhancers made of the body, where it is a success.
            if case .success(let body) = response.result { seen.data = body }
            if let error = try find(seen) { throw error }
        } catch {
            response.result = .failure(APIClientError(error, ErrorContext(response), stage: APIClientError.app))
        }
    }
}

/// What went wrong, in the words of the user's language; see ``ErrorFilter/localized(_:default:)``.
public struct LocalizedMessage: LocalizedError, Hashable {
    public let message: String

    public init(_ message: String) {
        self.message = message
    }

    public var errorDescription: String? { message }
}
