public import HTTPTypes

/// A media type with its parameters, as in `Content-Type` (RFC 9110 §8.3.1).
public struct MediaType: Sendable, Hashable {
    /// `application/json`, in lower case, without parameters.
    public let essence: String
    /// Names in lower case, values unchanged, quotes removed. Of equal names the first wins.
    public private(set) var parameters: [String: String]

    /// Reads one media type; `nil` if the text has none. Unreadable parameters are dropped.
    public init?(_ text: String) { self.init(text) { _ in true } }
    /// Reads a `Content-Disposition`. Browsers and mail software write the names of Windows' files with single backslashes, so
    /// one is an escape only before a quote and before another.
    package init?(disposition: String) { self.init("a/" + disposition) { $0 == "\"" || $0 == "\\" } }

    /// Scalar by scalar, because a combining character turns a quote into another character.
    private init?(_ text: String, escapes: (Unicode.Scalar) -> Bool) {
        var rest = text.unicodeScalars[...]
        let essence = Self.trimmed(rest.take(upTo: ";")).lowercased()
        let halves = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ String($0).isToken }) else { return nil }
        (self.essence, parameters) = (essence, [:])
        while rest.popFirst() != nil {
            let name = Self.trimmed(rest.take(upTo: ";", "=")).lowercased()
            // Without a value. Only a quote at the beginning of a value quotes (MIME Sniffing §4.4).
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let quoted = rest.takeQuoted(escapes: escapes)
            let plain = Self.trimmed(rest.take(upTo: ";"))
            let value = quoted ?? plain
            if name.isToken, parameters[name] == nil, quoted != nil || !value.isEmpty { parameters[name] = value }
        }
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String { String(text).trimmingHTTPWhitespace() }

    /// The combined media type of a message's `Content-Type` lines, by the Fetch standard's "extract a MIME type".
    ///
    /// The last readable type wins, on its own line or after a comma. If the type before it is equal, its charset is kept. `nil`
    /// if no line has a readable type; `*/*` does not count.
    public init?(_ fields: HTTPFields) {
        guard let list = fields[.contentType] else { return nil }
        var found: MediaType?
        var charset: String?
        for text in Self.split(list) {
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

    /// Splits at commas outside quotes, scalar by scalar as above.
    private static func split(_ text: String) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.unicodeScalars.indices {
            switch text.unicodeScalars[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                parts.append(text[start..<index])
                start = text.unicodeScalars.index(after: index)
            default: break
            }
        }
        return parts + [text[start...]]
    }
}

extension Substring.UnicodeScalarView {
    /// Removes and returns the text before the first of these characters.
    fileprivate mutating func take(upTo ends: Unicode.Scalar...) -> Substring.UnicodeScalarView {
        let text = prefix { !ends.contains($0) }
        self = self[text.endIndex...]
        return text
    }

    /// Removes and returns the quoted text; `nil` without a quote. Without a closing one it extends to the end. `escapes` says
    /// whether a backslash before a character is an escape.
    fileprivate mutating func takeQuoted(escapes: (Unicode.Scalar) -> Bool) -> String? {
        guard first == "\"" else { return nil }
        removeFirst()
        var kept = String.UnicodeScalarView()
        while let scalar = popFirst(), scalar != "\"" {
            if scalar == "\\", let next = first, escapes(next) { _ = popFirst(); kept.append(next) } else { kept.append(scalar) }
        }
        return String(kept)
    }
}
