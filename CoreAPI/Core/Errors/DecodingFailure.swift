internal import CoreAPIJSON
public import Foundation

/// Why a body could not be turned into the type that was asked for, with the place in the JSON where it went wrong.
public struct DecodingFailure: Error, Sendable {
    /// The type that was asked for.
    public let expected: String
    /// What went wrong, in words. Says nothing of a value that stands under a secret's name.
    public let reason: String
    /// Keys and indices from the top, as in `orders[3].price.amount`; empty for the body as a whole.
    public let codingPath: String
    /// The JSON around that place, shortened, secrets redacted. Of a body that is no JSON, and of a number that the type cannot hold, what
    /// lies before the byte where that shows; from other coders than the kit's own, and behind 64 KiB, the body's beginning.
    public let excerpt: String
    public let underlying: any Error
    /// Whether the body is not of the coder's format at all, rather than another value than was asked for.
    public let isMalformed: Bool

    /// At most this many bytes of a path are shown, and of a reason.
    private static let (pathLength, reasonLength) = (300, 400)

    package init(_ underlying: any Error, expected: String, body: Data, redaction: Redaction) {
        self.underlying = underlying
        self.expected = expected
        let (path, reason) = Self.explain(underlying)
        let isAtRoot = if case DecodingError.dataCorrupted(let context) = underlying { context.codingPath.isEmpty } else { false }
        let tree = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)
        // A sound value of another meaning at the root, a date for instance, fails in the same words.
        isMalformed = isAtRoot && tree == nil
        // Below a secret key everything is secret. A number that does not fit, and some dates, come without their path.
        let isSecret =
            path.contains { $0.intValue == nil && redaction.hides($0.stringValue) }
            || isAtRoot && tree.map { Self.holdsSecret($0, redaction) } ?? false
        self.reason =
            isSecret
            ? "a value has not that form, and is not shown beside secrets"
            : redaction.redact(text: reason.shortened(to: Self.reasonLength)).escapingControls
        let place = path.prefix(50).reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                let name = key.stringValue.shortened()
                text += text.isEmpty ? name : ".\(name)"
            }
        }
        codingPath = place.shortened(to: Self.pathLength)
        let found = BodyExcerpt(of: body, redaction: redaction)
        excerpt =
            if isSecret, !path.isEmpty {
                Redaction.mask
            } else if let place = Malformed.place(of: underlying, in: body) {
                found.before(place)
            } else {
                tree.map { found.at(path, in: $0) } ?? found.beginning
            }
    }

    private static func holdsSecret(_ node: Any, _ redaction: Redaction) -> Bool {
        switch node {
        case let object as [String: Any]: object.contains { redaction.hides($0.key) || holdsSecret($0.value, redaction) }
        case let array as [Any]: array.contains { holdsSecret($0, redaction) }
        default: false
        }
    }

    private static func explain(_ error: any Error) -> (path: [any CodingKey], reason: String) {
        guard let error = error as? DecodingError else { return ([], error.readableDescription) }
        switch error {
        case .typeMismatch(let type, let context):
            return (context.codingPath, "expected \(type); \(context.debugDescription)")
        case .valueNotFound(let type, let context): return (context.codingPath, "expected \(type), found null or nothing")
        case .keyNotFound(let key, let context): return (context.codingPath, "the key '\(key.stringValue)' is missing")
        case .dataCorrupted(let context):
            let detail = (context.underlyingError as NSError?)?.userInfo["NSDebugDescription"] as? String
            return (context.codingPath, [context.debugDescription, detail].compactMap { $0 }.joined(separator: " "))
        @unknown default: return ([], String(describing: error))
        }
    }
}

// Prints itself without its secrets: ``underlying`` tells what it found in full.
extension DecodingFailure: LocalizedError, CustomStringConvertible, CustomReflectable {
    /// What was expected, what came, and where; secrets are redacted.
    public var description: String { errorDescription ?? reason }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    public var errorDescription: String? {
        let place = codingPath.isEmpty ? "" : " at '\(codingPath)'"
        let near = excerpt.isEmpty ? "" : ", near \(excerpt)"
        return "expected \(expected), but\(place): \(reason)\(near)"
    }
}
