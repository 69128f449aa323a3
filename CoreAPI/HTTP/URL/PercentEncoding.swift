/// RFC 3986 percent-encoding for path segments, queries and forms.
package enum PercentEncoding {
    /// One query name or value, or one path segment: everything but the unreserved characters is encoded (RFC 3986 §2.3).
    package static func component(_ text: String) -> String { encode(text, keepsEscapes: false, \.isUnreserved) }

    /// A path with its slashes: allowed characters and valid escapes are kept, all others are encoded.
    package static func path(_ text: String) -> String {
        encode(text, keepsEscapes: true) { $0.isPathCharacter || $0 == UInt8(ascii: "/") }
    }

    /// A hand-written query, whose `=` and `&` are separators. `+` is kept, because a server may read it as a space.
    package static func query(_ text: String) -> String {
        encode(text, keepsEscapes: true) { $0.isPathCharacter || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
    }

    /// One name or value of an `application/x-www-form-urlencoded` body: as ``component(_:)``, with `+` for a space.
    package static func form(_ text: String) -> String { component(text).replacing("%20", with: "+") }

    /// Decodes escapes; an incomplete or invalid escape is unchanged.
    package static func decode(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = rest.leadingHexPair {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func encode(_ text: String, keepsEscapes: Bool, _ isAllowed: (UInt8) -> Bool) -> String {
        // Most text needs no change, and is then not rebuilt.
        guard !text.utf8.allSatisfy(isAllowed) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + text.utf8.count / 2)
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if isAllowed(byte) || (keepsEscapes && byte == UInt8(ascii: "%") && rest.leadingHexPair != nil) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}

extension UInt8 {
    /// RFC 3986 §2.3.
    var isUnreserved: Bool {
        isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "~")
    }

    /// RFC 3986 §3.3, `pchar` without escapes.
    fileprivate var isPathCharacter: Bool { isUnreserved || "!$&'()*+,;=:@".utf8.contains(self) }
}

extension String {
    /// Whether it is a valid path as it is: unreserved characters and slashes, and no segment that begins with a dot.
    var isPlainPath: Bool {
        var text = self
        return text.withUTF8 { bytes in
            var isFirst = true
            for byte in bytes {
                guard byte == UInt8(ascii: "/") || byte.isUnreserved, !(isFirst && byte == UInt8(ascii: ".")) else {
                    return false
                }
                isFirst = byte == UInt8(ascii: "/")
            }
            return true
        }
    }
}

extension DefaultStringInterpolation {
    /// Inserts a value into a path as one segment: `"orders/\(segment: id)"`. Characters that would end the segment or begin a
    /// query are percent-encoded, so that an id from outside cannot name another resource (RFC 3986 §3.3). An empty value, `.`
    /// and `..` are rejected when the request is built.
    public mutating func appendInterpolation(segment value: some CustomStringConvertible) {
        let segment = PercentEncoding.component(value.description)
        // An empty segment would name the collection itself. A dot is rejected like the others.
        appendLiteral(segment.isEmpty ? "." : segment)
    }
}
