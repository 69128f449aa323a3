public import Foundation

/// Why a body could not be turned into the type that was asked for, with the place in the JSON where it went wrong.
public struct DecodingFailure: Error, Sendable {
    /// The type that was asked for.
    public let expected: String
    /// What went wrong, in words.
    public let reason: String
    /// Keys and indices from the top, as in `orders[3].price.amount`; empty for the body as a whole.
    public let codingPath: String
    /// The JSON around that place, shortened, secrets redacted.
    public let excerpt: String
    public let underlying: any Error
    /// Whether the body is not of the coder's format at all, rather than another value than was asked for.
    public let isMalformed: Bool

    /// At most this many characters of the body are shown.
    static let excerptLength = 200

    package init(_ underlying: any Error, expected: String, body: Data, redaction: Redaction) {
        self.underlying = underlying
        self.expected = expected
        let (path, reason) = Self.explain(underlying)
        let isAtRoot = if case DecodingError.dataCorrupted(let context) = underlying { context.codingPath.isEmpty } else { false }
        // A sound value of another meaning at the root, a date for instance, fails in the same words.
        isMalformed = isAtRoot && (try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)) == nil
        self.reason = reason
        codingPath = path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        // Below a secret key everything is secret.
        let isSecret = path.contains { $0.intValue == nil && redaction.hides($0.stringValue) }
        excerpt = isSecret ? Redaction.mask : redaction.redact(text: Self.excerpt(of: body, at: path)).escapingControls
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

    /// The part of the body that the path leads to, walked down as far as it can be, written as JSON again. A lone scalar says
    /// little, so the object around it follows.
    private static func excerpt(of body: Data, at path: [any CodingKey]) -> String {
        guard var node = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed) else {
            return shorten(String(decoding: body.prefix(excerptLength * 4), as: UTF8.self))
        }
        var scalar = ""
        for key in path {
            let child: Any? =
                if let index = key.intValue, let array = node as? [Any], array.indices.contains(index) { array[index] } else {
                    (node as? [String: Any])?[key.stringValue]
                }
            guard let child else { break }
            guard child is [Any] || child is [String: Any] else {
                scalar = key.intValue == nil ? "\"\(key.stringValue)\":\(json(child)) in " : "\(json(child)) in "
                break
            }
            node = child
        }
        return shorten(scalar + json(node))
    }

    private static func json(_ node: Any) -> String {
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        return (try? JSONSerialization.data(withJSONObject: node, options: options)).map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }

    private static func shorten(_ text: String) -> String {
        text.count > excerptLength ? text.prefix(excerptLength) + "…" : text
    }
}

extension DecodingFailure: LocalizedError {
    public var errorDescription: String? {
        let place = codingPath.isEmpty ? "" : " at '\(codingPath)'"
        let near = excerpt.isEmpty ? "" : ", near \(excerpt)"
        return "expected \(expected), but\(place): \(reason)\(near)"
    }
}
