/// A media type with its parameters, as `Content-Type` carries it (RFC 9110 §8.3.1).
public struct MediaType: Sendable, Hashable {
    /// `application/json`, in lower case, without parameters.
    public let essence: String
    /// Names in lower case, values as they stand, quotes removed. Of a name that comes twice the first counts.
    public let parameters: [String: String]

    /// Reads a field value; `nil` when there is no type in it. Parameters that cannot be read are left out.
    public init?(_ text: String) {
        let parts = Self.split(text)
        let essence = parts[0].trimmingHTTPWhitespace().lowercased()
        let halves = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ !$0.isEmpty && !$0.contains(" ") }) else { return nil }
        self.essence = essence
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            let name = pair[0].trimmingHTTPWhitespace().lowercased()
            if parameters[name] == nil { parameters[name] = Self.unquoted(pair[1].trimmingHTTPWhitespace()) }
        }
        self.parameters = parameters
    }

    /// At semicolons outside quotes. Scalar by scalar: a combining character makes another letter of a quote.
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
            case ";" where !isQuoted:
                parts.append(text[start..<index])
                start = text.unicodeScalars.index(after: index)
            default: break
            }
        }
        return parts + [text[start...]]
    }

    private static func unquoted(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.count >= 2, scalars.first == "\"", scalars.last == "\"" else { return text }
        var isEscaped = false
        let kept = scalars.dropFirst().dropLast().filter { scalar in
            guard scalar == "\\", !isEscaped else {
                isEscaped = false
                return true
            }
            isEscaped = true
            return false
        }
        return String(String.UnicodeScalarView(kept))
    }
}
