/// RFC 3986 percent-encoding for path segments, queries and forms.
package enum PercentEncoding {
    /// One query name or value, or one path segment: everything but the unreserved characters is encoded (RFC 3986 §2.3).
    package static func component(_ text: String) -> String {
        encode(text, keepsEscapes: false) { $0.isUnreserved }
    }

    /// A path with its slashes: allowed characters and valid escapes are kept, all others are encoded.
    package static func path(_ text: String) -> String {
        encode(text, keepsEscapes: true) { $0.isPathCharacter || $0 == UInt8(ascii: "/") }
    }

    /// A hand-written query, whose `=` and `&` are separators. `+` is kept, because a server may read it as a space.
    package static func query(_ text: String) -> String {
        encode(text, keepsEscapes: true) { $0.isPathCharacter || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
    }

    /// One name or value of an `application/x-www-form-urlencoded` body: as ``component(_:)``, with `+` for a space.
    package static func form(_ text: String) -> String {
        encode(text, keepsEscapes: false, spaceAsPlus: true) { $0.isUnreserved }
    }

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

    private static func encode(
        _ text: String, keepsEscapes: Bool, spaceAsPlus: Bool = false, isAllowed: (UInt8) -> Bool
    ) -> String {
        // Most text needs no change, and is then not rebuilt.
        guard !text.utf8.allSatisfy(isAllowed) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + text.utf8.count / 2)
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if isAllowed(byte) || (keepsEscapes && byte == UInt8(ascii: "%") && rest.leadingHexPair != nil) {
                bytes.append(byte)
            } else if spaceAsPlus, byte == UInt8(ascii: " ") {
                bytes.append(UInt8(ascii: "+"))
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(hexDigits[Int(byte >> 4)])
                bytes.append(hexDigits[Int(byte & 0xF)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}

extension ArraySlice<UInt8> {
    fileprivate var leadingHexPair: UInt8? {
        guard count >= 2, self[startIndex].isHexDigit, self[startIndex + 1].isHexDigit else { return nil }
        return UInt8(String(decoding: prefix(2), as: UTF8.self), radix: 16)
    }
}

extension UInt8 {
    /// RFC 3986 §2.3.
    fileprivate var isUnreserved: Bool {
        isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "~")
    }

    /// RFC 3986 §3.3, `pchar` without escapes.
    fileprivate var isPathCharacter: Bool {
        if isUnreserved { return true }
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: ":"),
            UInt8(ascii: "@"):
            return true
        default: return false
        }
    }
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
