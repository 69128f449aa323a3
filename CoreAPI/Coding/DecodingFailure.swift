package import CoreAPIHTTP
internal import CoreAPIJSON
package import CoreAPIRedaction
public import Foundation

/// Why a body could not be decoded into the expected type, with the coding path of the error.
public struct DecodingFailure: Error, Sendable {
    /// The expected type.
    public let expected: String
    /// The reason, in words. Never contains a value under a secret's name.
    public let reason: String
    /// Keys and indices from the top, as in `orders[3].price.amount`; empty for the body as a whole.
    public let codingPath: String
    /// The JSON around the error, at most 200 bytes, secrets redacted. For a body that is not JSON, and for one over 1 MiB, its
    /// size and media type stand: `<312 bytes of text/html>`. A text of at most 200 bytes that names no secret is shown, such as
    /// `[DONE]`.
    public let excerpt: String
    /// The coder's error, such as a `DecodingError`.
    public let underlying: any Error
    /// Whether the body is not in the coder's format at all. `false` for a valid body with an unexpected value.
    public let isMalformed: Bool

    /// The largest number of bytes shown of a path, and of a reason.
    private static let (pathLength, reasonLength) = (300, 400)

    /// - Parameter type: the body's media type, if it is known.
    package init(_ underlying: any Error, expected: String, body: Data, type: MediaType? = nil, redaction: Redaction) {
        self.underlying = underlying
        self.expected = expected
        let explained = Self.explain(underlying)
        let path = explained.path
        let isAtRoot = if case DecodingError.dataCorrupted(let context) = underlying { context.codingPath.isEmpty } else { false }
        let isLarge = body.count > Redaction.largestBody
        let root = isLarge ? nil : try? JSONNode.root(of: body, takesTrailingCommas: true)
        // An error without a path may be about any value of the body.
        var whole = RedactedJSON(redaction)
        let isJSON = isAtRoot && root.map { (try? whole.write($0)) != nil } ?? false
        // An invalid value at the root, such as a date, fails with the same text.
        isMalformed = isAtRoot && !isJSON && (!isLarge || Self.isMalformed(body))
        // Below a secret key everything is secret. For a number that does not fit, and for some dates, Foundation gives no path.
        let isBesideSecrets = isAtRoot && !isMalformed && (isLarge || whole.text.firstRange(of: Redaction.mask) != nil)
        let isSecret = isBesideSecrets || redaction.hides(path: path.lazy.filter { $0.index == nil }.map(\.stringValue))
        let words = isSecret ? explained.reasonWithoutValue : explained.reason
        reason = redaction.redact(text: words.shortened(to: Self.reasonLength)).escapingControls
        codingPath = path.prefix(50).reduce(into: "") { text, key in
            if let index = key.index {
                text += "[\(index)]"
            } else {
                let name = redaction.redact(text: key.stringValue).shortened()
                text += text.isEmpty ? name : ".\(name)"
            }
        }.shortened(to: Self.pathLength)
        excerpt =
            if isSecret, !path.isEmpty {
                Redaction.mask
            } else if let root, let found = try? BodyExcerpt(root: root, redaction: redaction).at(path) {
                found
            } else {
                BodyExcerpt.short(body, redaction) ?? Redaction.summary(of: body, type: type)
            }
    }

    private static func isMalformed(_ body: Data) -> Bool {
        do { _ = try JSONNode.root(of: body, takesTrailingCommas: true) } catch { return true }
        return false
    }

    /// - Returns: `reasonWithoutValue` for a value under a secret's name.
    private static func explain(_ error: any Error) -> (path: [any CodingKey], reason: String, reasonWithoutValue: String) {
        let otherForm = "a value has the wrong form (hidden)"
        guard let error = error as? DecodingError else { return ([], error.readableDescription, otherForm) }
        switch error {
        case .typeMismatch(let type, let context):
            return (context.codingPath, describe(context, expected: type), "expected \(type), found a value of another kind")
        case .valueNotFound(let type, let context):
            return (context.codingPath, describe(context, expected: type), "expected \(type), found null or nothing")
        case .keyNotFound(let key, let context):
            // A missing key of a path is reported with the keys that exist.
            let reason = "the key '\(key.stringValue)' is missing" + (key is FieldName ? "; \(context.debugDescription)" : "")
            return (context.codingPath, reason, reason)
        case .dataCorrupted(let context):
            #if canImport(Darwin)
            let detail = (context.underlyingError as NSError?)?.userInfo["NSDebugDescription"] as? String
            #else
            let detail: String? = nil
            #endif
            return (context.codingPath, context.debugDescription + (detail.map { " \($0)" } ?? ""), otherForm)
        @unknown default: return ([], String(describing: error), otherForm)
        }
    }

    /// The decoder's own text; Foundation's does not name the expected type.
    private static func describe(_ context: DecodingError.Context, expected type: Any.Type) -> String {
        let told = context.debugDescription
        return told.lowercased().hasPrefix("expected") ? told : "expected \(type); \(told)"
    }
}

extension CodingKey {
    /// The index in an array. A key of a dictionary may be a number too.
    fileprivate var index: Int? { stringValue.hasPrefix("Index ") ? intValue : nil }
}

// Prints itself without its secrets: ``underlying`` contains everything.
extension DecodingFailure: LocalizedError, CustomStringConvertible, CustomReflectable {
    /// What was expected, what arrived, and where; secrets are redacted.
    public var description: String { errorDescription ?? reason }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    public var errorDescription: String? {
        // No colon after the path: if it ends in a secret's name, redaction would hide the reason as its value.
        let path = codingPath.isEmpty ? " –" : ", at '\(codingPath)' –"
        let near = excerpt.isEmpty ? "" : ", near \(excerpt)"
        return "cannot decode \(expected)\(path) \(reason)\(near)"
    }
}
