internal import Foundation

// Delimiters are found by octets: a character may be `?` with a combining mark, which is not equal to `?`.

extension HTTPURL {
    /// Parses an absolute address.
    ///
    /// - Throws: ``RequestError/unsupportedScheme(_:)``, or ``RequestError/malformedURL(_:reason:)`` with what was expected.
    public init(_ text: String) throws(RequestError) {
        if let bad = text.firstForbiddenControl {
            throw .malformedURL(text.hidingUser().escapingControls, reason: "\(bad) is not allowed in a URL")
        }
        guard let separator = text.firstRange(of: "://") else {
            throw .malformedURL(text.hidingUser(), reason: "expected an absolute URL such as https://host/path")
        }
        let name = text[..<separator.lowerBound].lowercased()
        guard let scheme = Scheme(rawValue: name) else { throw .unsupportedScheme(name) }
        let rest = text[separator.upperBound...]
        let authorityEnd = rest.utf8.firstIndex { "/?#\\".utf8.contains($0) } ?? rest.endIndex
        let (host, port) = try Self.authority(rest[..<authorityEnd], of: text)

        var tail = rest[authorityEnd...]
        if let fragment = tail.utf8.firstIndex(of: UInt8(ascii: "#")) { tail = tail[..<fragment] }
        let parts = tail.dividedAtQuery
        // Some parsers treat `\` before the query as `/`. In a query it is an ordinary character.
        if parts.path.utf8.contains(UInt8(ascii: "\\")) {
            throw .malformedURL(text.hidingUser(), reason: "a backslash is not allowed in a URL's path")
        }
        let path = PercentEncoding.path(String(parts.path)).removingDotSegments()
        let query = parts.query.map { PercentEncoding.query(String($0)) }
        self.init(scheme: scheme, host: host, port: port, path: path.isEmpty ? "/" : path, query: query)
    }

    /// Resolves the reference of a `Location` header against this address (RFC 3986 §5.2).
    ///
    /// - Throws: as ``init(_:)``.
    public func resolving(_ reference: String) throws(RequestError) -> HTTPURL {
        let reference = reference.trimmingHTTPWhitespace()
        if let bad = reference.firstForbiddenControl {
            throw .malformedURL(reference.escapingControls, reason: "\(bad) is not allowed in a URL")
        }
        if reference.utf8.starts(with: "//".utf8) { return try HTTPURL("\(scheme.rawValue):\(reference)") }
        if reference.hasURLScheme {
            guard reference.drop(while: { $0 != ":" }).hasPrefix("://") else {
                let name = String(reference.prefix { $0 != ":" }).lowercased()
                guard Scheme(rawValue: name) != nil else { throw .unsupportedScheme(name) }
                throw .malformedURL(reference, reason: "expected '//' and a host after '\(name):'")
            }
            return try HTTPURL(reference)
        }
        let withoutFragment = Substring(reference.utf8.prefix { $0 != UInt8(ascii: "#") })
        switch withoutFragment.utf8.first {
        case nil: return self
        case UInt8(ascii: "/"): return try HTTPURL(origin + withoutFragment)
        case UInt8(ascii: "?"): return try HTTPURL(origin + path + withoutFragment)
        default: return try HTTPURL(origin + (path.lastIndex(of: "/").map { path[...$0] } ?? "/") + withoutFragment)
        }
    }

    private static func authority(_ text: Substring, of url: String) throws(RequestError) -> (String, UInt16?) {
        func malformed(_ reason: String) -> RequestError { .malformedURL(url.hidingUser(), reason: reason) }
        let userInformation = "user information before the host is not accepted; send an Authorization header instead"
        guard !text.utf8.contains(UInt8(ascii: "@")) else { throw malformed(userInformation) }
        var host = text
        var portText: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw malformed("the IPv6 address lacks its closing bracket") }
            host = text[...end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw malformed("unexpected text after the IPv6 address") }
            portText = rest.isEmpty ? nil : rest.dropFirst()
            let parts = host.dropFirst().dropLast().dividedAtZone
            guard let address = IPAddress.canonicalIPv6(String(parts.address)) else {
                throw malformed("'\(host)' is not an IPv6 address")
            }
            guard parts.zone?.isZone != false else { throw malformed("'\(host)' has no zone after %25 (RFC 6874 §2)") }
            // Pins, cookies and origins compare hosts as text. So each peer needs exactly one spelling. The names of zones differ
            // by their case.
            host = "[\(address)\(parts.zone.map { "%25\($0)" } ?? "")]"
        } else {
            if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
                host = text[..<colon]
                portText = text[text.utf8.index(after: colon)...]
            }
            guard !host.isEmpty else { throw malformed("the host is empty") }
            guard host.utf8.count <= 253 else { throw malformed("the host is longer than 253 characters (RFC 1035 §2.3.4)") }
            if let converted = asciiHost(host) { host = converted[...] }
            guard host.utf8.allSatisfy({ $0.isHostCharacter }) else {
                throw malformed("'\(host)' is not a host name, and has no xn-- form (UTS 46)")
            }
            let labels = host.split(separator: ".", omittingEmptySubsequences: false)
            let significant = labels.last == "" ? labels.dropLast() : labels[...]
            guard !significant.isEmpty, significant.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 63 }) else {
                throw malformed("'\(host)' has an empty label or one longer than 63 characters")
            }
            // libcurl reads 127.1, 0x7f.1 and 2130706433 as addresses. Then the checked host would differ from the connected one.
            if let last = significant.last, last.looksNumeric, !IPAddress.isIPv4(significant.joined(separator: ".")) {
                throw malformed("'\(host)' ends in a number but is not an IPv4 address of four decimal numbers")
            }
        }
        let name = host.hasPrefix("[") ? String(host) : host.lowercased()
        guard let portText, !portText.isEmpty else { return (name, nil) }
        guard portText.utf8.allSatisfy(\.isDigit), let port = UInt16(portText), port > 0 else {
            // Or the beginning of a password that has a `/`.
            let isPort = !url.utf8.contains(UInt8(ascii: "@"))
            throw malformed(isPort ? "the port '\(portText)' is not a number from 1 to 65535" : userInformation)
        }
        return (name, port)
    }
}

extension StringProtocol where SubSequence == Substring {
    /// Path and query, without the question mark between them.
    var dividedAtQuery: (path: Substring, query: Substring?) {
        guard let mark = utf8.firstIndex(of: UInt8(ascii: "?")) else { return (self[...], nil) }
        return (self[..<mark], self[utf8.index(after: mark)...])
    }
}

extension Substring {
    /// An IPv6 address and its zone, without the `%25` between them.
    fileprivate var dividedAtZone: (address: Substring, zone: Substring?) {
        guard let mark = utf8.firstRange(of: "%25".utf8) else { return (self, nil) }
        return (self[..<mark.lowerBound], self[mark.upperBound...])
    }

    /// Whether it can name an interface: unreserved characters only.
    fileprivate var isZone: Bool { !isEmpty && utf8.allSatisfy(\.isUnreserved) }

    /// Decimal or hexadecimal, like the parts of an address (WHATWG URL §4.3).
    fileprivate var looksNumeric: Bool {
        utf8.allSatisfy(\.isDigit) || (lowercased().hasPrefix("0x") && dropFirst(2).utf8.allSatisfy(\.isHexDigit))
    }
}

/// The DNS form (UTS 46) of a name with letters beyond ASCII; `nil` for any other name, and for a name without such a form. The
/// result is checked again, so that no character that becomes a delimiter gets through.
private func asciiHost(_ host: Substring) -> String? {
    guard host.utf8.contains(where: { $0 >= 0x80 }), host.utf8.allSatisfy({ $0 >= 0x80 || $0.isHostCharacter }) else {
        return nil
    }
    return URLComponents(string: "https://\(host)/")?.encodedHost
}

extension UInt8 {
    fileprivate var isHostCharacter: Bool { isUnreserved && self != UInt8(ascii: "~") }
}

extension Unicode.Scalar {
    /// Whether a terminal or a reader obeys the character instead of showing it: control characters of ASCII and of ISO 6429
    /// (C1), ends of lines and paragraphs, and characters that change the writing direction (UAX #9).
    package var isControlOrFormat: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String {
    /// An address that no request can have, without its possible user and password. The password may have a `/`, so all before
    /// the last `@` is hidden, and the scheme may be missing.
    package func hidingUser(by mark: String = "…") -> String {
        guard let end = utf8.lastIndex(of: UInt8(ascii: "@")) else { return self }
        return (firstRange(of: "://").map { self[..<$0.upperBound] } ?? "") + mark + self[end...]
    }

    /// The name of the first control character that RFC 9110 §5.5 forbids, or `nil`.
    package var firstForbiddenControl: String? {
        // Every address, path and value is checked, and almost none has one.
        var text = self
        switch text.withUTF8({ $0.first { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F } }) {
        case nil: return nil
        case 0x0D: return "CR"
        case 0x0A: return "LF"
        case 0x00: return "NUL"
        case let byte?: return "the control character 0x" + String(byte, radix: 16)
        }
    }

    /// Whether it contains a character that RFC 3986 forbids in an address and that would end or divide a line of HTTP.
    package var hasControlOrSpace: Bool {
        var text = self
        return text.withUTF8 { $0.contains { $0 <= 0x20 || $0 == 0x7F } }
    }

    /// The text, or its beginning: an error does not repeat a stranger's input in full. The limit is in bytes of UTF-8.
    package func shortened(to limit: Int = 100) -> String {
        guard utf8.count > limit else { return self }
        return String(decoding: utf8.prefix(limit), as: UTF8.self) + "…"
    }

    /// The text with control characters made visible, so that they cannot forge an error or a log line.
    package var escapingControls: String {
        var text = self
        // Almost no text has one, or a byte with which one beyond ASCII begins.
        guard text.withUTF8({ $0.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 } }),
            unicodeScalars.contains(where: { $0.isControlOrFormat && $0 != "\t" })
        else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.isControlOrFormat ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    /// Whether the text begins with a scheme (RFC 3986 §3.1).
    package var hasURLScheme: Bool {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")), utf8.first?.isLetter == true else { return false }
        return utf8[..<colon].allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    }

    /// Whether a segment begins with a dot or an escape.
    private var hasDotAfterSlash: Bool {
        var isFirst = true
        for byte in utf8 {
            if isFirst, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { return true }
            isFirst = byte == UInt8(ascii: "/")
        }
        return false
    }

    /// Whether a path segment is `.` or `..`, written plainly or with `%2e`.
    package var hasDotSegment: Bool {
        // Almost no path has a segment that begins with a dot, and every request is checked.
        guard hasDotAfterSlash else { return false }
        return split(separator: "/").contains { segment in
            segment.utf8.count <= 6 && [".", ".."].contains(segment.lowercased().replacing("%2e", with: "."))
        }
    }

    /// RFC 3986 §5.2.4.
    fileprivate func removingDotSegments() -> String {
        guard hasDotSegment else { return self }
        var output: [Substring] = []
        let segments = split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment.lowercased().replacing("%2e", with: ".") {
            case ".": if isLast { output.append("") }
            case "..":
                if output.count > 1 { output.removeLast() }
                if isLast { output.append("") }
            default: output.append(segment)
            }
        }
        return output.joined(separator: "/")
    }
}

extension StringProtocol {
    /// Without leading and trailing spaces and tabs, HTTP's optional white space (RFC 9110 §5.6.3).
    package func trimmingHTTPWhitespace() -> String { trimming(" \t") }

    /// The members of a list, without white space and empty ones (RFC 9110 §5.6.1). Split at octets: a comma before a combining mark is a comma.
    package var listMembers: [String] {
        utf8.split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self).trimmingHTTPWhitespace() }
            .filter { !$0.isEmpty }
    }

    /// Without any of these characters at its beginning and its end.
    package func trimming(_ characters: String) -> String {
        var text = self[...]
        while let first = text.first, characters.contains(first) { text = text.dropFirst() }
        while let last = text.last, characters.contains(last) { text = text.dropLast() }
        return String(text)
    }
}
