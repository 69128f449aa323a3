public import HTTPTypes

/// A media type with its parameters, as in `Content-Type` (RFC 9110 §8.3.1).
public struct MediaType: Sendable, Hashable {
    /// `application/json`, in lower case, without parameters.
    public let essence: String
    /// Names in lower case, values unchanged, quotes removed. Of equal names the first wins.
    public private(set) var parameters: [String: String]

    /// Reads one media type; `nil` if the text has none. Unreadable parameters are dropped.
    public init?(_ text: String) {
        let parts = Self.split(text, at: ";")
        let essence = parts[0].trimmingHTTPWhitespace().lowercased()
        let halves = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ String($0).isToken }) else { return nil }
        self.essence = essence
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            let name = pair[0].trimmingHTTPWhitespace().lowercased()
            let value = pair[1].trimmingHTTPWhitespace()
            if parameters[name] == nil, !value.isEmpty { parameters[name] = Self.unquoted(value) }
        }
        self.parameters = parameters
    }

    /// The combined media type of a message's `Content-Type` lines, by the Fetch standard's "extract a MIME type".
    ///
    /// The last readable type wins, on its own line or after a comma. If the type before it is equal, its charset is kept. `nil`
    /// if no line has a readable type; `*/*` does not count.
    public init?(_ fields: HTTPFields) {
        guard let list = fields[.contentType] else { return nil }
        var found: MediaType?
        var charset: String?
        for text in Self.split(list, at: ",") {
            guard var type = MediaType(String(text)), type.essence != "*/*" else { continue }
            if type.essence != found?.essence {
                charset = type.parameters["charset"]
            } else if type.parameters["charset"] == nil {
                type.parameters["charset"] = charset
            }
            found = type
        }
        guard let found else { return nil }
        self = found
    }

    /// Splits at a separator outside quotes. Scalar by scalar, because a combining character turns a quote into another
    /// character.
    private static func split(_ text: String, at separator: Unicode.Scalar) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.unicodeScalars.indices {
            switch text.unicodeScalars[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case separator where !isQuoted:
                parts.append(text[start..<index])
                start = text.unicodeScalars.index(after: index)
            default: break
            }
        }
        return parts + [text[start...]]
    }

    /// The quoted text. Without a closing quote it extends to the end; text after a closing quote is dropped (MIME Sniffing
    /// §4.4).
    private static func unquoted(_ text: String) -> String {
        guard text.unicodeScalars.first == "\"" else { return text }
        var kept = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in text.unicodeScalars.dropFirst() {
            if scalar == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            if scalar == "\"", !isEscaped { break }
            isEscaped = false
            kept.append(scalar)
        }
        return String(kept)
    }
}
