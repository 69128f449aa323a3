public import Foundation

/// Finds errors inside successes and turns failures into the app's own error. A type of the team's own: `channel.errorFilter =
/// ErrorFilter(ShopErrors())`. ``ErrorFilter`` makes filters of closures, too.
///
/// ```swift
/// struct ShopErrors: ErrorFiltering {
///     func filter(_ response: inout Response<Data>) throws {
///         if response.head?.status == .conflict { throw SoldOut() }
///         if response.head?.status == .notFound { response.result = .success(Data("[]".utf8)) }
///     }
///     func translate(_ error: APIClientError) -> (any Error)? { nil }
/// }
/// ```
///
/// Both methods run synchronously, on the pipeline's thread.
public protocol ErrorFiltering: Sendable {
    /// Sees every answer, verified or not, once per attempt before decoding.
    ///
    /// What it throws is the call's error, ``APIClientError/app(_:_:)``. It may also turn a failure into a success: it sets
    /// ``Response/result`` to the bytes that are to be decoded.
    func filter(_ response: inout Response<Data>) throws

    /// Sees, once per call, the error that interceptors and handlers left, whatever its stage. The app's own errors and
    /// cancellations pass it by.
    ///
    /// - Returns: the error in its place, or `nil` to leave it.
    func translate(_ error: APIClientError) -> (any Error)?
}

/// Finds errors inside successes and turns failures into the app's own error, by closures; see ``ErrorFiltering`` for a type of
/// your own.
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
    private var find: (@Sendable (inout Response<Data>) throws -> Void)?
    private let translateError: @Sendable (APIClientError) -> (any Error)?

    /// - Parameter find: returns the error that the response stands for, or `nil` to leave it as it is. What it throws becomes
    ///   the result too, so that a filter that trips over a body is seen.
    public init(_ find: @escaping @Sendable (Response<Data>) throws -> (any Error)?) {
        self.init(
            find: { response in
                if let error = try find(response) { throw error }
            }, translate: { _ in nil })
    }

    /// A filter of the team's own type.
    public init(_ filter: some ErrorFiltering) {
        self.init(find: { response in try filter.filter(&response) }, translate: filter.translate)
    }

    private init(
        find: (@Sendable (inout Response<Data>) throws -> Void)?,
        translate: @escaping @Sendable (APIClientError) -> (any Error)?
    ) {
        self.find = find
        translateError = translate
    }

    /// Leaves every response as it is.
    public static let none = ErrorFilter(find: nil, translate: { _ in nil })

    /// Reads the body of an answer that was refused as the app's own error. A success is left alone. A body that is no such error
    /// leaves the refusal as it is, and ``ErrorContext/unreadEnvelope`` says why it could not be read.
    public static func refusal<AppError: Error & Decodable>(_ type: AppError.Type) -> ErrorFilter {
        ErrorFilter(
            find: { response in
                guard response.error != nil, let error = response.envelope(AppError.self) else { return }
                throw error
            }, translate: { _ in nil })
    }

    /// Reads an error envelope, in successes too: decodes the body, if it is one, and asks `translate` what it means.
    ///
    /// - Parameters:
    ///   - type: the envelope. A success that is none is left alone; of a failure, ``ErrorContext/unreadEnvelope`` says why it is
    ///     none.
    ///   - translate: returns the app's error, or `nil` if the envelope holds none.
    public static func envelope<Envelope: Decodable & SendableMetatype>(
        _ type: Envelope.Type, translate: @escaping @Sendable (Envelope, ResponseHead) -> (any Error)?
    ) -> ErrorFilter {
        ErrorFilter(
            find: { response in
                guard let head = response.head, let envelope = response.envelope(Envelope.self),
                    let error = translate(envelope, head)
                else { return }
                throw error
            }, translate: { _ in nil })
    }

    /// This filter, and then another error in the place of what a call failed with.
    ///
    /// - Parameter translate: returns `nil` for what should stay as it is. What it returns arrives as
    ///   ``APIClientError/app(_:_:)``, with the error it stands for in ``ErrorContext/cause``; an ``APIClientError`` arrives as
    ///   it is.
    public func translating(_ translate: @escaping @Sendable (APIClientError) -> (any Error)?) -> ErrorFilter {
        let first = translateError
        return ErrorFilter(find: find) { first($0) ?? translate($0) }
    }

    /// This filter, and a default error for every failure that nothing else has named.
    public func defaulting(to error: @escaping @Sendable (APIClientError) -> any Error) -> ErrorFilter {
        translating { error($0) }
    }

    /// This filter, and a message in the user's language for every failure that nothing else has named; see ``LocalizedMessage``.
    ///
    /// - Parameters:
    ///   - messages: by ``APIClientError/label``, or by its beginning up to a dot: `transport.timedOut.connect`,
    ///     `transport.timedOut`, `transport`. The longest that fits counts.
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

    /// The error that stands for another; `nil` to leave it. The app's own errors and cancellations stay.
    func translate(_ error: APIClientError) -> APIClientError? {
        switch error {
        case .app, .cancelled: nil
        default: translateError(error).map { APIClientError($0, error.context.caused(by: error), stage: APIClientError.app) }
        }
    }

    func apply(to response: inout Response<Data>) {
        // Without an answer there is nothing to translate but the transport's own error, which must stay recognisable.
        guard let find, response.head != nil else { return }
        let received = response.data
        do {
            // What enhancers made of the body, where it is a success.
            if case .success(let body) = response.result { response.data = body }
            try find(&response)
            response.data = received
        } catch {
            response.data = received
            response.result = .failure(APIClientError(error, ErrorContext(response), stage: APIClientError.app))
        }
    }
}

extension Response where Value == Data {
    /// The body as an error envelope; `nil` if it is none, which a failure then tells.
    fileprivate mutating func envelope<Envelope: Decodable>(_ type: Envelope.Type) -> Envelope? {
        guard !data.isEmpty else { return nil }
        do {
            return try coder.decode(Envelope.self, from: data)
        } catch {
            guard let failure = self.error else { return nil }
            let reason = DecodingFailure(
                error, expected: String(describing: type), body: data, redaction: call.channel.redaction)
            result = .failure(failure.replacingContext(failure.context.unable(toRead: reason)))
            return nil
        }
    }
}

extension APIClientError {
    /// The same error with another context.
    fileprivate func replacingContext(_ context: ErrorContext) -> APIClientError {
        switch self {
        case .channel(let problems, _): .channel(problems: problems, context)
        case .request(let error, _): .request(error, context)
        case .enhancing(let error, _): .enhancing(error, context)
        case .adapting(let error, _): .adapting(error, context)
        case .transport(let error, _): .transport(error, context)
        case .verification(let error, _): .verification(error, context)
        case .app(let error, _): .app(error, context)
        case .decoding(let error, _): .decoding(error, context)
        case .cancelled: .cancelled(context)
        case .unknown(let error, _): .unknown(error, context)
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
