public import CoreAPICoding
public import CoreAPIHTTP
internal import CoreAPIRedaction
public import Foundation
internal import HTTPTypes

/// The failure of a call, with one case for each stage of the pipeline. Every case keeps its context and any response.
///
/// ```swift
/// do {
///     orders = try await networkManager.request(endpoint: .orderList(page: 1))
/// } catch {
///     if let rejection: DLError = error.app() { show(rejection.message) } else { show(error.localizedDescription) }
///     log("\(error)")
/// }
/// ```
public indirect enum APIClientError: Error, Sendable {
    /// The channel itself is not usable; see ``Channel/problems``.
    case channel(problems: [String], APIClientError.Context)
    /// The request could not be built or encoded.
    case request(RequestError, APIClientError.Context)
    /// An enhancer threw before the request was sent.
    case enhancing(any Error, APIClientError.Context)
    /// An enhancer threw after a response. If that had been rejected before, ``APIClientError/Context/cause`` has the rejection.
    case deenhancing(any Error, APIClientError.Context)
    /// An interceptor threw while adapting, or a middleware that prepares the attempt failed.
    case adapting(any Error, APIClientError.Context)
    /// The exchange failed.
    case transport(TransportError, APIClientError.Context)
    /// A complete response that a verifier rejected.
    case verification(VerificationError, APIClientError.Context)
    /// The app's own error, found by its error filter or supplied by a handler. It arrives unchanged; see ``app(_:)``.
    case app(any Error, APIClientError.Context)
    /// A verified response that could not be decoded into the value.
    case decoding(DecodingFailure, APIClientError.Context)
    /// The task or the `Cancellable` was cancelled.
    case cancelled(APIClientError.Context)
    /// Any other error: a file of a download, a middleware's own, a value of the wrong type from a handler, a custom dispatcher.
    case unknown(any Error, APIClientError.Context)

    /// Wraps any error in the case of its stage, and keeps all of it. The kit's own errors keep their stage, `CancellationError`
    /// becomes a cancellation, and an ``APIClientError`` is unchanged. `stage` makes the case of any other error.
    public init(
        _ error: any Error, _ context: APIClientError.Context,
        stage: (any Error, APIClientError.Context) -> APIClientError = APIClientError.unknown
    ) {
        self =
            switch error {
            case let error as APIClientError: error
            case let error as RequestError: .request(error, context)
            case let error as TransportError: .transport(error, context)
            case let error as VerificationError: .verification(error, context)
            case let error as DecodingFailure: .decoding(error, context)
            case is CancellationError: .cancelled(context)
            default: stage(error, context)
            }
    }

    /// Where the call failed.
    public var context: APIClientError.Context { parts.context }
    /// The error below this one, or `nil`.
    public var underlyingError: (any Error)? { parts.error }
    package func replacingContext(_ context: APIClientError.Context) -> APIClientError { parts.at(context) }

    /// The parts of every case: an error, if there is one, and a context. `at` makes the same case with another context.
    private var parts: (error: (any Error)?, context: APIClientError.Context, at: (APIClientError.Context) -> APIClientError) {
        switch self {
        case .channel(let problems, let context): (nil, context, { .channel(problems: problems, $0) })
        case .request(let error, let context): (error, context, { .request(error, $0) })
        case .enhancing(let error, let context): (error, context, { .enhancing(error, $0) })
        case .deenhancing(let error, let context): (error, context, { .deenhancing(error, $0) })
        case .adapting(let error, let context): (error, context, { .adapting(error, $0) })
        case .transport(let error, let context): (error, context, { .transport(error, $0) })
        case .verification(let error, let context): (error, context, { .verification(error, $0) })
        case .app(let error, let context): (error, context, { .app(error, $0) })
        case .decoding(let error, let context): (error, context, { .decoding(error, $0) })
        case .cancelled(let context): (nil, context, { .cancelled($0) })
        case .unknown(let error, let context): (error, context, { .unknown(error, $0) })
        }
    }

    /// The kit's own error, where a filter has translated it; otherwise this error.
    package var untranslated: APIClientError { context.cause ?? self }

    /// The app's own error, if it has that type.
    public func app<AppError: Error>(_ type: AppError.Type = AppError.self) -> AppError? {
        guard case .app(let error, _) = self else { return nil }
        return error as? AppError
    }

    /// Whether the caller cancelled the call.
    public var isCancelled: Bool { if case .cancelled = self { true } else { false } }

    /// A name for metrics, without a host, a path or a value. That of an app's error is the first of these: `app.` and its
    /// ``APIClientError/Labelled/label``; `app.` and the label of the error that a filter translated; the status, as in
    /// `app.404`; `app`.
    public var label: String {
        switch self {
        case .channel: "channel"
        case .request(let error, _): "request.\(error.label)"
        case .enhancing: "enhancing"
        case .deenhancing: "deenhancing"
        case .adapting: "adapting"
        case .transport(let error, _): "transport.\(error.label)"
        case .verification(let error, _): "verification.\(error.label)"
        case .app(let error, let context):
            (error as? any APIClientError.Labelled).map { "app.\($0.label.safeLabel)" }
                // After a filter replaces the error, the label uses the original error.
                ?? context.cause.map { "app.\($0.label)" } ?? context.head.map { "app.\($0.status.code)" } ?? "app"
        case .decoding: "decoding"
        case .cancelled: "cancelled"
        case .unknown: "unknown"
        }
    }

    /// An app error with a name for metrics: ``APIClientError/label`` is then `app.` and this name, such as `app.sold-out`.
    ///
    /// ```swift
    /// extension ShopError: APIClientError.Labelled {
    ///     var label: String { code }  // app.sold-out
    /// }
    /// ```
    public protocol Labelled: Error {
        /// One of few names, without a value: at most 64 ASCII letters, digits, `.`, `_` and `-`; others become `_`.
        var label: String { get }
    }
}

extension String {
    /// A name that metrics backends accept.
    fileprivate var safeLabel: String {
        let safe = unicodeScalars.prefix(64).map { scalar -> Character in
            guard scalar.isASCII else { return "_" }
            let byte = UInt8(ascii: scalar)
            return byte.isLetter || byte.isDigit || "._-".utf8.contains(byte) ? Character(scalar) : "_"
        }
        return safe.isEmpty ? "unnamed" : String(safe)
    }
}

extension APIClientError: LocalizedError, ErrorForUsers, Redacted {
    /// One English sentence for the user of an app, without ids, names of channels and addresses, the same for every error of one
    /// ``label``. The app's own error supplies its own text, secrets redacted. ``ErrorFilter/localized(_:default:)`` supplies
    /// sentences of another language. For logs and developers see ``description``.
    public var errorDescription: String? {
        switch self {
        case .app(let error, let context):
            error.ownWords.map { context.redaction.redact(text: $0.shortened(to: Self.textLength)).escapingControls }
                ?? context.head.map { VerificationError.sentence(for: $0.status.code) } ?? "Something went wrong."
        case .cancelled: "The request was cancelled."
        case .channel, .request, .enhancing, .adapting: "The request could not be made."
        case .transport(let error, _): error.userDescription
        case .verification(let error, _): error.userDescription
        case .decoding, .deenhancing: "The response could not be read."
        case .unknown: "Something went wrong."
        }
    }

    /// What was expected, what arrived, and where; for developers, on one line, secrets redacted. Channel, endpoint, address,
    /// attempt and the call's id follow in brackets at the end.
    public var description: String { "\(reason) [\(context)]".escapingControls }

    package var reason: String {
        // It is redacted, part by part; a second redaction could hide more than the secrets.
        if case .decoding(let failure, let context) = self {
            return context.redaction.hidingValues(failure.description).shortened(to: Self.textLength).escapingControls
        }
        let reason =
            switch self {
            case .channel(let problems, _): "the channel is not usable: " + problems.joined(separator: "; ")
            case .cancelled: "the call was cancelled"
            case .enhancing(let error, _): "an enhancer failed: \(error.readableDescription)"
            case .deenhancing(let error, _): "an enhancer failed on the response: \(error.readableDescription)"
            case .adapting(let error, _): "the attempt could not be prepared: \(error.readableDescription)"
            default: underlyingError?.readableDescription ?? label
            }
        // On one line, whatever a server wrote into its message: it must not forge a log line.
        return context.redaction.redact(text: reason.shortened(to: Self.textLength)).escapingControls
    }

    /// The number of bytes shown of a reason; a server's message may have millions.
    private static let textLength = 2_000
}

extension Error {
    /// The text of an app's own error for its user; `nil` if it has none.
    fileprivate var ownWords: String? {
        // A description is for developers.
        #if canImport(Darwin)
        let words = type(of: self) == NSError.self ? localizedDescription : (self as? any LocalizedError)?.errorDescription
        #else
        // Elsewhere `NSError` would link all of Foundation into a static binary, 47 MB, and few apps throw one.
        let words = (self as? any LocalizedError)?.errorDescription
        #endif
        return words?.isEmpty == true ? nil : words
    }
}

extension VerificationError {
    /// One sentence for the user of an app.
    fileprivate var userDescription: String {
        switch self {
        case .unacceptableStatus(let code, _): Self.sentence(for: code)
        case .emptyBody, .unacceptableContentType, .custom: "The server gave a response that was not expected."
        }
    }

    /// One sentence for the user of an app about a rejected response.
    fileprivate static func sentence(for status: Int) -> String {
        switch status {
        case 401: "You are not signed in, or your session has ended (401)."
        case 403: "You are not allowed to do this (403)."
        case 404, 410: "The server could not find this (\(status))."
        case 408, 504: "The server took too long to answer (\(status))."
        case 429: "The server is busy; please try again later (429)."
        case 500...: "The server answered with an error; please try again later (\(status))."
        case 400..<500: "The server rejected the request (\(status))."
        default: "The server gave a response that was not expected (\(status))."
        }
    }
}

extension TransportError {
    /// One sentence for the user of an app.
    fileprivate var userDescription: String {
        switch self {
        case .tls, .pinMismatch: "A secure connection to the server could not be made."
        case .timedOut: "The server took too long to answer."
        case .connectionLost, .truncated: "The connection was lost before the response was complete."
        case .responseTooLarge, .headTooLarge, .tooManyHeadLines, .malformedResponse: "The response could not be read."
        case .tooManyRedirects: "The server sent the request from address to address without an end."
        case .redirectRejected: "The server sent the request to an address that is not allowed."
        case .queueFull: "Too many requests are waiting; please try again later."
        case .bodyUnreadable: "The data to send could not be read."
        case .unsupported, .closed, .fixture: "The request could not be made."
        default: "The server could not be reached."
        }
    }
}
