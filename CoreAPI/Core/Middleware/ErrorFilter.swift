package import CoreAPICoding
public import Foundation
internal import HTTPTypes

/// Finds errors inside successes and turns failures into the app's own error, by closures; ``ErrorFiltering`` is one of your own
/// type.
///
/// Use a filter to *translate*; use an ``ErrorHandler`` to *act*. A filter has two parts, as ``ErrorFiltering`` has: the closure
/// of its initializer, and those of ``translating(_:)``, ``defaulting(to:)`` or ``localized(_:default:)``.
///
/// ```swift
/// channel.errorFilter = ErrorFilter.envelope(ShopEnvelope.self) { envelope, _ in envelope.error }
///     .localized(["transport": "Bağlantı kurulamadı."], default: "Bir şeyler ters gitti.")
/// ```
public struct ErrorFilter: Sendable {
    /// `nil` for a filter that only translates.
    private var find: (@Sendable (inout Response<Data>) throws -> Void)?
    private let translateError: @Sendable (APIClientError) -> (any Error)?

    /// Finds errors by a function, which returns the error in the response, or `nil` to leave it unchanged. An error that it
    /// throws becomes the result, too, so that a filter that cannot read a body is noticed.
    public init(_ find: @escaping @Sendable (Response<Data>) throws -> (any Error)?) {
        self.init(find: { response in if let error = try find(response) { throw error } })
    }

    /// A filter of your own type.
    public init(_ filter: some ErrorFiltering) {
        self.init(find: { response in try filter.filter(&response) }, translate: filter.translate)
    }

    private init(
        find: (@Sendable (inout Response<Data>) throws -> Void)?,
        translate: @escaping @Sendable (APIClientError) -> (any Error)? = { _ in nil }
    ) { (self.find, translateError) = (find, translate) }

    /// Leaves every response unchanged.
    public static let none = ErrorFilter(find: nil)

    /// Reads the body of a rejected response as the app's own error. A success is unchanged, also one whose body ended early. If
    /// the body is no such error, the rejection stays, and ``APIClientError/Context/unreadEnvelope`` says why.
    public static func rejection<AppError: Error & Decodable>(_ type: AppError.Type) -> ErrorFilter {
        ErrorFilter(find: { response in
            if response.error != nil, let error = response.envelope(AppError.self) { throw error }
        })
    }

    /// Reads an error envelope, in successes too: decodes the body and asks `translate` for its error, `nil` if the envelope has
    /// none. If the body is no envelope, nothing changes; a failure then has ``APIClientError/Context/unreadEnvelope``.
    public static func envelope<Envelope: Decodable & SendableMetatype>(
        _ type: Envelope.Type, translate: @escaping @Sendable (Envelope, ResponseHead) -> (any Error)?
    ) -> ErrorFilter {
        ErrorFilter(find: { response in
            guard let head = response.head, let envelope = response.envelope(Envelope.self) else { return }
            if let error = translate(envelope, head) { throw error }
        })
    }

    /// This filter, followed by a translation of the call's error; `nil` keeps the error. What `translate` returns arrives as
    /// ``APIClientError/app(_:_:)``, with the replaced error as ``APIClientError/Context/cause``.
    public func translating(_ translate: @escaping @Sendable (APIClientError) -> (any Error)?) -> ErrorFilter {
        let first = translateError
        return ErrorFilter(find: find) { first($0) ?? translate($0) }
    }

    /// This filter, and a default error for every failure without another translation.
    public func defaulting(to error: @escaping @Sendable (APIClientError) -> any Error) -> ErrorFilter {
        translating { error($0) }
    }

    /// This filter, and a ``LocalizedMessage`` in the user's language for every failure without another translation. Messages are
    /// by ``APIClientError/label``, or by a prefix of it up to a dot: `transport.timedOut.connect`, `transport.timedOut`,
    /// `transport`. The longest matching prefix wins. Without a default a label without a message keeps the error.
    public func localized(_ messages: [String: String], default: String? = nil) -> ErrorFilter {
        translating { error in
            var label = error.label[...]
            while true {
                if let message = messages[String(label)] { return ErrorFilter.LocalizedMessage(message) }
                guard let dot = label.lastIndex(of: ".") else { break }
                label = label[..<dot]
            }
            return `default`.map(ErrorFilter.LocalizedMessage.init)
        }
    }

    /// A failure's message in the user's language; see ``ErrorFilter/localized(_:default:)``.
    public struct LocalizedMessage: LocalizedError, Hashable {
        /// The text, in the user's language.
        public let message: String

        /// Takes a text in the user's language.
        public init(_ message: String) { self.message = message }

        public var errorDescription: String? { message }
    }

    /// The translated error; `nil` to keep it. The app's own errors and cancellations are kept.
    func translate(_ error: APIClientError) -> APIClientError? {
        switch error {
        case .app, .cancelled: nil
        default: translateError(error).map { APIClientError($0, error.context.caused(by: error), stage: APIClientError.app) }
        }
    }

    func apply(to response: inout Response<Data>) {
        // Without a response there is only the transport's own error, which must stay recognisable.
        guard let find, response.head != nil else { return }
        // A streamed body, too.
        let received = response.raw.body
        do {
            // In a success, the body as enhancers left it.
            if case .success(let body) = response.result { response.data = body }
            try find(&response)
            response.restore(received)
        } catch {
            response.restore(received)
            response.result = .failure(APIClientError(error, APIClientError.Context(response), stage: APIClientError.app))
        }
    }
}

/// Finds errors inside successes and turns failures into the app's own error: `channel.errorFilter = ErrorFilter(ShopErrors())`.
/// ``ErrorFilter`` also makes filters of closures.
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
/// Both methods run synchronously, in Swift's thread pool, never on the main actor.
public protocol ErrorFiltering: Sendable {
    /// Sees every response, verified or not, once per attempt before decoding; of a streamed response the head, and later the
    /// bytes of a line, a value or an event that its reader cannot read. An error that it throws becomes the call's error,
    /// ``APIClientError/app(_:_:)``. It may turn a failure into a success, by setting ``Response/result`` to the bytes to decode.
    func filter(_ response: inout Response<Data>) throws

    /// Sees, once per call, the error that remains after interceptors and handlers, whatever its stage, but for the app's own
    /// errors and cancellations. Returns the error to use instead, or `nil` for no change.
    func translate(_ error: APIClientError) -> (any Error)?
}

extension Response where Value == Void {
    /// The error of a streamed response whose bytes its reader cannot read. The channel's filter sees the bytes, as those of a
    /// rejected response; `streamed` is what the reader had before.
    package func failure(
        _ reason: DecodingFailure, of bytes: Data, after streamed: APIClientError.Context.Streamed
    ) -> APIClientError {
        let read = raw.copy(body: .bytes(bytes))
        var error = APIClientError.decoding(reason, APIClientError.Context(read))
        if !bytes.isEmpty {
            var response = Response<Data>(unread: read.failed(error))
            call.channel.errorFilter.apply(to: &response)
            error = response.error ?? error
        }
        return error.replacingContext(error.context.after(streamed))
    }
}

extension Response where Value == Data {
    /// The body as an error envelope; `nil` if it is not one. A failure then records the reason.
    fileprivate mutating func envelope<Envelope: Decodable>(_ type: Envelope.Type) -> Envelope? {
        var isCut = false
        if case .transport? = error { isCut = true }
        // A success of which a part is missing is no rejection: the transport's error has the cause, and must not be hidden.
        guard !data.isEmpty, !isCut || (head?.status.code ?? 0) >= 400 else { return nil }
        do {
            return try coder.decode(Envelope.self, from: data)
        } catch {
            guard let failure = self.error, !isCut else { return nil }
            let reason = DecodingFailure(
                error, expected: String(describing: type), body: data, type: head?.mediaType, redaction: redaction)
            result = .failure(failure.replacingContext(failure.context.unable(toRead: reason)))
            return nil
        }
    }
}
