public import CoreAPICoding
public import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPIRedaction
public import Foundation

/// The error of a body that cannot be read: a line is too long, a value cannot be decoded, a part breaks off.
///
/// A sequence of a ``Body`` throws it. A sequence of a call, such as ``Dispatcher/jsonLines(_:of:lineLimit:)``, throws
/// `APIClientError.decoding` instead, with this error as its `DecodingFailure.underlying`.
public struct StreamError: Error, Sendable {
    /// What is wrong with the body.
    public enum Reason: Error, Sendable {
        /// A line has more bytes than allowed.
        case lineTooLong(limit: Int)
        /// A line or a text is not UTF-8.
        case invalidUTF8
        /// A value cannot be decoded.
        case undecodable(DecodingFailure)
        /// Bytes precede the first record separator of a JSON text sequence (RFC 7464 §2.2).
        case noRecordSeparator
        /// A text of a JSON text sequence breaks off (RFC 7464 §2.4).
        case truncatedText
        /// An event has more bytes than allowed.
        case eventTooLarge(limit: Int)
        /// The media type is not multipart, or names no boundary; the value is the media type.
        case noBoundary(String?)
        /// The head of a part has a malformed line.
        case malformedPartHead(String)
        /// The head of a part has more bytes or lines than allowed.
        case partHeadTooLarge(limit: Int)
        /// The body has more parts than allowed.
        case tooManyParts(limit: Int)
        /// The body ended before the last part did (RFC 2046 §5.1).
        case partWithoutEnd
        /// A part was read after the next one had begun.
        case partPassed
        /// The body ended before the line or the event that ends it, such as `[DONE]`.
        case noSentinel(String)
    }

    /// What is wrong with the body.
    public let reason: Reason
    /// Bytes of the body read before the error, those at fault included.
    public let bytes: Int64
    /// Lines, values, parts or events delivered before the error.
    public let items: Int
}

extension StreamError.Reason: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .lineTooLong(let limit): "a line has more than the \(limit) bytes that its reader allows"
        case .invalidUTF8: "a line is not UTF-8"
        case .undecodable(let failure): failure.description
        case .noRecordSeparator: "expected a record separator (0x1E) before the first JSON text (RFC 7464 §2.2)"
        case .truncatedText: "a JSON text breaks off: expected a line feed at its end (RFC 7464 §2.4)"
        case .eventTooLarge(let limit): "an event has more than the \(limit) bytes that its reader allows"
        case .noBoundary(let type): "expected a multipart body with a boundary, found \(type ?? "no media type")"
        case .malformedPartHead(let reason): "the head of a part is malformed: \(reason)"
        case .partHeadTooLarge(let limit): "the head of a part has more than the \(limit) bytes that its reader allows"
        case .tooManyParts(let limit): "the body has more than the \(limit) parts that its reader allows"
        case .partWithoutEnd: "the body ended before its last boundary (RFC 2046 §5.1)"
        case .partPassed: "expected the part to be read before the next one began"
        case .noSentinel(let sentinel): "the body ended before '\(sentinel.shortened(to: 40).escapingControls)', which ends it"
        }
    }
}

extension StreamError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }
    /// The reason, and the bytes and items before it.
    public var description: String { "\(reason.readableDescription), after \(bytes) bytes and \(items) items" }
}

extension APIClientError {
    /// The error of the body that failed a sequence of a call; `nil` for another failure.
    public var streamError: StreamError? {
        guard case .decoding(let failure, _) = self else { return nil }
        return failure.underlying as? StreamError
    }

    /// The same error with the bytes and items that preceded it.
    func after(_ count: StreamCount) -> APIClientError { replacingContext(context.after(count.streamed)) }
}
