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

    /// At most this many characters of the body are shown.
    static let excerptLength = 200

    package init(_ underlying: any Error, expected: String, body: Data, redaction: Redaction) {
        self.underlying = underlying
        self.expected = expected
        let (path, reason) = Self.explain(underlying)
        self.reason = reason
        codingPath = path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        excerpt = redaction.redact(text: Self.excerpt(of: body, at: path)).escapingControls
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

    /// The part of the body that the path leads to: walked down as far as it can be, then written as JSON again.
    private static func excerpt(of body: Data, at path: [any CodingKey]) -> String {
        guard !body.isEmpty else { return "" }
        var node = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)
        guard node != nil else { return shorten(String(decoding: body.prefix(excerptLength * 4), as: UTF8.self)) }
        for key in path {
            if let index = key.intValue, let array = node as? [Any], array.indices.contains(index) {
                node = array[index]
            } else if let object = node as? [String: Any], let child = object[key.stringValue], !isScalar(child) {
                node = child
            } else {
                break
            }
        }
        guard let node,
            let json = try? JSONSerialization.data(withJSONObject: node, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
        else { return shorten(String(decoding: body.prefix(excerptLength * 4), as: UTF8.self)) }
        return shorten(String(decoding: json, as: UTF8.self))
    }

    /// A lone scalar says little; the object around it shows what it is.
    private static func isScalar(_ node: Any) -> Bool {
        !(node is [Any]) && !(node is [String: Any])
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
