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

extension String {
    /// RFC 9110 §5.6.2, `token`: a method or a field's name.
    package var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenOctet) }
}

extension String {
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
}
