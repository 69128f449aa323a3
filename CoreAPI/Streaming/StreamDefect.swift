public import CoreAPICore
public import Foundation

/// A body is not what its reader expects: a line without an end, a value that cannot be decoded, a part that breaks off.
///
/// A sequence of a ``Body`` throws it. A sequence of a call, such as ``Dispatcher/jsonLines(_:of:lineLimit:)``, throws
/// `APIClientError.decoding` instead, with the defect as its `DecodingFailure.underlying`.
public struct StreamDefect: Error, Sendable {
    /// What is wrong.
    public enum Reason: Error, Sendable {
        /// A line has more bytes than allowed.
        case lineTooLong(limit: Int)
        /// A line or a text is not UTF-8.
        case invalidUTF8
        /// A value cannot be decoded.
        case undecodable(DecodingFailure)
        /// Something precedes the first record separator of a JSON text sequence (RFC 7464 §2.2).
        case noRecordSeparator
        /// A text of a JSON text sequence breaks off (RFC 7464 §2.4).
        case truncatedText
        /// An event has more bytes than allowed.
        case eventTooLarge(limit: Int)
        /// The body is not a multipart one, or names no boundary; the media type that it has.
        case noBoundary(String?)
        /// A part has a field that is none.
        case malformedPartHead(String)
        /// The head of a part has more bytes or lines than allowed.
        case partHeadTooLarge(limit: Int)
        /// There are more parts than allowed.
        case tooManyParts(limit: Int)
        /// The body ended before the last part did (RFC 2046 §5.1).
        case partWithoutEnd
        /// A part was read after the next one had begun.
        case partPassed
    }

    /// What is wrong.
    public let reason: Reason
    /// Bytes of the body that were read before, the defective ones included.
    public let bytes: Int64
    /// Lines, values, parts or events that were delivered before.
    public let items: Int
}

extension StreamDefect.Reason: LocalizedError {
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
        case .partPassed: "the part was passed by: read it before the next one"
        }
    }
}

extension StreamDefect: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? {
        "\(reason.errorDescription ?? "a defect"), after \(bytes) bytes and \(items) items"
    }

    /// As the localized one.
    public var description: String { errorDescription ?? "" }
}

extension APIClientError {
    /// The defect of the body that failed a sequence of a call; `nil` for another failure.
    public var streamDefect: StreamDefect? {
        guard case .decoding(let failure, _) = self else { return nil }
        return failure.underlying as? StreamDefect
    }

    /// The same error with what a reader had before it.
    func after(_ count: StreamCount) -> APIClientError {
        replacingContext(context.after(ErrorContext.Streamed(bytes: count.bytes, items: count.items)))
    }
}
