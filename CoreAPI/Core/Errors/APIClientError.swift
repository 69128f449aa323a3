public import Foundation

/// Why a call failed, by the stage of the pipeline that it failed in. Every case keeps where it happened and, once there is one, the
/// response with its body.
///
/// ```swift
/// do {
///     orders = try await networkManager.request(endpoint: .orderList(path: "page=1"))
/// } catch {
///     if let dolap: DLError = error.app() { show(dolap.message) } else { show(error.localizedDescription) }
/// }
/// ```
public indirect enum APIClientError: Error, Sendable {
    /// The channel itself is not usable; see ``Channel/problems``.
    case channel(problems: [String], ErrorContext)
    /// The request could not be built or encoded.
    case request(RequestError, ErrorContext)
    /// An enhancer threw.
    case enhancing(any Error, ErrorContext)
    /// An interceptor threw while adapting.
    case adapting(any Error, ErrorContext)
    /// The exchange failed.
    case transport(TransportError, ErrorContext)
    /// A complete response that a verifier refused.
    case verification(VerificationError, ErrorContext)
    /// An error of the app's own, found by its error filter or given by a handler. It arrives intact; see ``app(_:)``.
    case app(any Error, ErrorContext)
    /// A verified response that is not what was asked for.
    case decoding(DecodingFailure, ErrorContext)
    /// The task or the `Cancellable` was cancelled.
    case cancelled(ErrorContext)
    /// An error that no stage knows, from code around the pipeline: a dispatcher of the team's own, an operator.
    case unknown(any Error, ErrorContext)

    /// Any error at the stage where it belongs, nothing of it lost. The kit's own errors keep theirs, `CancellationError` is a
    /// cancellation, an ``APIClientError`` stays what it is, and anything else is of the stage that threw it.
    ///
    /// - Parameters:
    ///   - error: what was thrown.
    ///   - context: where.
    ///   - stage: for an error that is none of the kit's. Default ``unknown(_:_:)``.
    public init(
        _ error: any Error, _ context: ErrorContext, stage: (any Error, ErrorContext) -> APIClientError = APIClientError.unknown
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
    public var context: ErrorContext {
        switch self {
        case .channel(_, let context), .request(_, let context), .enhancing(_, let context), .adapting(_, let context),
            .transport(_, let context), .verification(_, let context), .app(_, let context), .decoding(_, let context),
            .cancelled(let context), .unknown(_, let context):
            context
        }
    }

    /// The error below this one, or `nil`.
    public var underlyingError: (any Error)? {
        switch self {
        case .channel, .cancelled: nil
        case .request(let error, _): error
        case .enhancing(let error, _), .adapting(let error, _), .app(let error, _), .unknown(let error, _): error
        case .transport(let error, _): error
        case .verification(let error, _): error
        case .decoding(let error, _): error
        }
    }

    /// The app's own error, if this is one of that type.
    public func app<AppError: Error>(_ type: AppError.Type = AppError.self) -> AppError? {
        guard case .app(let error, _) = self else { return nil }
        return error as? AppError
    }

    public var isCancelled: Bool {
        if case .cancelled = self { true } else { false }
    }

    /// A name for metrics: the stage and the reason, without a host, a path or a value.
    public var label: String {
        switch self {
        case .channel: "channel"
        case .request(let error, _): "request.\(error.label)"
        case .enhancing: "enhancing"
        case .adapting: "adapting"
        case .transport(let error, _): "transport.\(error.label)"
        case .verification(let error, _): "verification.\(error.label)"
        // Beside what a filter has put in its place, the reason still counts.
        case .app(_, let context): context.cause.map { "app.\($0.label)" } ?? "app"
        case .decoding: "decoding"
        case .cancelled: "cancelled"
        case .unknown: "unknown"
        }
    }
}

extension APIClientError: LocalizedError, CustomStringConvertible {
    /// The app's own error in its own words; of any other what was expected, what came, and where. Secrets are redacted.
    public var errorDescription: String? {
        guard case .app(let error, let context) = self else { return description }
        return context.redaction.redact(text: error.readableDescription.shortened(to: Self.textLength)).escapingControls
    }

    /// What was expected, what came, and where; secrets are redacted.
    public var description: String {
        let reason =
            switch self {
            case .channel(let problems, _): "the channel is not usable: " + problems.joined(separator: "; ")
            case .cancelled: "the call was cancelled"
            case .enhancing(let error, _): "an enhancer failed: \(error.readableDescription)"
            case .adapting(let error, _): "an interceptor failed: \(error.readableDescription)"
            default: underlyingError?.readableDescription ?? label
            }
        // On one line, whatever a server put into its message: a log line must not be forged.
        return "\(context.redaction.redact(text: reason.shortened(to: Self.textLength))) [\(context)]".escapingControls
    }

    /// Bytes of a reason that are shown; a server's message may have millions.
    private static let textLength = 2_000
}
