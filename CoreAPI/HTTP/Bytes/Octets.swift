/// Character classes shared by several parsers.
extension UInt8 {
    /// RFC 5234 Appendix B.1, `DIGIT`.
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    /// RFC 5234 Appendix B.1, `ALPHA`.
    package var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
    /// RFC 3986 §2.1: in either case, although `HEXDIG` has capitals only.
    package var isHexDigit: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20) }
    /// RFC 9110 §5.6.2, `tchar`.
    package var isTokenOctet: Bool { isLetter || isDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

extension ArraySlice<UInt8> {
    /// Removes and returns the octets before the first that does not belong.
    @discardableResult
    mutating func take(while belongs: (UInt8) -> Bool) -> ArraySlice {
        let taken = prefix(while: belongs)
        self = self[taken.endIndex...]
        return taken
    }

    /// The value of the first two octets, if they are hexadecimal digits.
    var leadingHexPair: UInt8? {
        guard count >= 2, self[startIndex].isHexDigit, self[startIndex + 1].isHexDigit else { return nil }
        return UInt8(String(decoding: prefix(2), as: UTF8.self), radix: 16)
    }

    /// Removes the next octet if it is this one.
    mutating func skip(_ octet: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: octet) else { return false }
        self = dropFirst()
        return true
    }
}

extension Collection<UInt8> {
    /// The octets as code units, each from its most significant octet on; `nil` if some octets are left over.
    package func codeUnits<Unit: FixedWidthInteger>() -> [Unit]? {
        let (octets, size) = (Array(self), Unit.bitWidth / 8)
        guard octets.count.isMultiple(of: size) else { return nil }
        return stride(from: 0, to: octets.count, by: size).map { start in
            octets[start..<start + size].reduce(0) { $0 << 8 | Unit($1) }
        }
    }
}

extension String {
    /// Each octet is the character of its number (ISO-8859-1).
    package init(latin1 octets: some Collection<UInt8>) { self.init(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) })) }

    /// RFC 9110 §5.6.2, `token`: a method or a field's name.
    package var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenOctet) }

    /// This text with another one replaced, wherever its octets stand. `replacing` compares whole characters, and so misses a
    /// text whose last character has got a combining mark.
    package func replacingOctets(of text: String, with replacement: String) -> String {
        guard !text.isEmpty else { return self }
        var (output, start) = ("", startIndex)
        for range in utf8.ranges(of: text.utf8) {
            output += self[start..<range.lowerBound] + replacement
            start = range.upperBound
        }
        return start == startIndex ? self : output + self[start...]
    }

    /// As ``replacingOctets(of:with:)``, also where JSON or an address escapes the text's octets: `\/`, `\u002B`, `%2B`.
    package func replacingSpellings(of text: String, with replacement: String) -> String {
        guard utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "%") }) else {
            return replacingOctets(of: text, with: replacement)
        }
        let (bytes, wanted) = (Array(utf8), Array(text.utf8))
        guard !wanted.isEmpty else { return self }
        var (output, index) = ([UInt8](), 0)
        while index < bytes.count {
            if let end = bytes[index...].end(ofSpelling: wanted) {
                output += replacement.utf8
                index = end
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}

extension ArraySlice<UInt8> {
    /// The offset behind these octets if this begins with them, each as it is or escaped; `nil` if it does not.
    fileprivate func end(ofSpelling octets: [UInt8]) -> Int? {
        var rest = self
        for octet in octets {
            let digits: ArraySlice<UInt8>
            switch rest.popFirst() {
            case octet: continue
            case UInt8(ascii: "%"): digits = rest.prefix(2)
            case UInt8(ascii: "\\"):
                // JSON within JSON has several backslashes.
                rest.take { $0 == UInt8(ascii: "\\") }
                let escaped = rest.popFirst()
                if escaped == octet { continue }
                guard escaped == UInt8(ascii: "u") else { return nil }
                digits = rest.prefix(4)
            default: return nil
            }
            guard Int(String(decoding: digits, as: UTF8.self), radix: 16) == Int(octet) else { return nil }
            rest = rest[digits.endIndex...]
        }
        return rest.startIndex
    }
}
