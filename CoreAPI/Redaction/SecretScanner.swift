internal import CoreAPIHTTP

/// Reads text once, word by word, and removes the value after each secret name. It never parses, so the same few rules work for
/// cut-off JSON, forms and header lines.
struct SecretScanner {
    /// A `&` as JSON may escape it.
    private static let escapedAmpersand = Array(#"\u0026"#.utf8)

    private let bytes: [UInt8]
    private let redaction: Redaction
    private var position = 0
    private var output: [UInt8] = []
    /// The offset up to which the text describes a payment card or a bank account.
    private var cardEnd: Int
    /// Whether values may be percent-encoded.
    private let isEncoded: Bool
    /// The depth of the object with a `"name": "password"`, whose `"value"` is the secret; `nil` without one.
    private var pairDepth: Int?
    private var depth = 0
    /// The offset of the secret value in a part of a multipart form.
    private var partStart: Int?

    /// - Parameters:
    ///   - isCard: whether the text is a part of a payment card.
    ///   - isEncoded: whether values may be percent-encoded.
    init(_ text: String, redaction: Redaction, isCard: Bool = false, isEncoded: Bool = true) {
        bytes = Array(text.utf8)
        self.redaction = redaction
        cardEnd = isCard ? Int.max : 0
        self.isEncoded = isEncoded
        output.reserveCapacity(bytes.count)
    }

    mutating func redacted() -> String {
        while position < bytes.count {
            if skipPart() || skipUserInformation() || skipPrivateKey() || skipItem() { continue }
            guard bytes[position].isWordByte else {
                noteNesting(bytes[position])
                copy(1)
                continue
            }
            if skipWebToken() || skipBankAccount() { continue }
            let isEscape = position > 0 && bytes[position - 1] == UInt8(ascii: "%")
            let word = readName()
            // After `%3F` and `%26` follows the name of an item in an address that is itself percent-encoded.
            let name = isEscape ? String(word.dropFirst(2)) : word
            let scheme = (5...6).contains(name.utf8.count) ? name.lowercased() : ""
            if ["bearer", "basic", "digest"].contains(scheme) {
                skipCredentials(of: scheme)
            } else if isElement(name) || separator(after: position) != nil {
                if redaction.hides(name, inForm: isEscape) || isSecretPart(name) {
                    if !skipElement(name) { skipValue() }
                } else {
                    noteCard(name)
                    notePair(name)
                    notePart(name)
                }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func copy(_ count: Int) {
        output.append(contentsOf: bytes[position..<position + count])
        position += count
    }

    /// A private key in PEM (RFC 7468) up to its end line, or to the end of a text that is cut off.
    private mutating func skipPrivateKey() -> Bool {
        guard bytes[position] == UInt8(ascii: "-"), bytes[position...].starts(with: "-----BEGIN ".utf8) else { return false }
        let head = bytes[position...].prefix(64)
        guard let labelEnd = head.dropFirst(11).firstIndex(of: UInt8(ascii: "-")),
            Array(head[..<labelEnd]).holds(Array("PRIVATE KEY".utf8))
        else { return false }
        copy(labelEnd - position)
        mask(to: endOfPEM(from: position))
        // After the mark, in which no other key can begin.
        if position < bytes.count { copy(Self.pemEnd.count) }
        return true
    }

    /// A JSON Web Token (RFC 7519): its header is an object, which begins with `eyJ` in base64url, and has two or four dots after
    /// it.
    private mutating func skipWebToken() -> Bool {
        guard bytes[position...].starts(with: "eyJ".utf8) else { return false }
        var end = position
        var dots = 0
        while end < bytes.count, bytes[end].isWordByte || bytes[end] == UInt8(ascii: ".") && dots < 4 {
            if bytes[end] == UInt8(ascii: ".") { dots += 1 }
            end += 1
        }
        guard dots >= 2, end - position > 16 else { return false }
        mask(to: end)
        return true
    }

    /// `name=value` of a query, a form or a matrix parameter. The name and the value may be percent-encoded.
    private mutating func skipItem() -> Bool {
        if bytes[position] == UInt8(ascii: "\\"), bytes[position...].starts(with: Self.escapedAmpersand) {
            copy(Self.escapedAmpersand.count)
            return true
        }
        guard
            position == 0 || bytes[position - 1].isBeforeItem || bytes[..<position].suffix(6).elementsEqual(Self.escapedAmpersand)
        else { return false }
        var end = position
        while end < bytes.count, end - position < 128, bytes[end].isItemName { end += 1 }
        guard end > position, end + 1 < bytes.count, bytes[end] == UInt8(ascii: "="), bytes[end + 1].isItemValue else {
            return false
        }
        let name = PercentEncoding.decode(String(decoding: bytes[position..<end], as: UTF8.self))
        var valueEnd = end + 1
        while valueEnd < bytes.count, bytes[valueEnd].isItemValue { valueEnd += 1 }
        let value = bytes[(end + 1)..<valueEnd]
        // An error's `Code=-1009` and a program's `code=1` are no secrets, but a code of four or more digits may be one.
        let digits = value.count(where: \.isDigit)
        let isNumberInProse =
            position > 0 && bytes[position - 1].isProse && value.allSatisfy { $0.isDigit || ",.;:)".utf8.contains($0) }
            && (digits <= 3 || bytes[position] == UInt8(ascii: "C"))
        if redaction.hides(name, inForm: !isNumberInProse) || isSecretPart(name) {
            copy(end + 1 - position)
            var valueEnd = endOfPlain(from: position, kind: UInt8(ascii: "="))
            // `Authorization=Bearer abc`
            let scheme = String(decoding: bytes[position..<valueEnd].prefix(8), as: UTF8.self).lowercased()
            if ["bearer", "basic", "digest", "token"].contains(scheme), valueEnd + 1 < bytes.count, bytes[valueEnd] == 0x20 {
                valueEnd = endOfPlain(from: valueEnd + 1, kind: UInt8(ascii: "="))
            }
            mask(to: valueEnd)
            return true
        }
        copy(end + 1 - position)
        guard isEncoded, value.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return true }
        let decoded = Redaction.decoded(String(decoding: value, as: UTF8.self))
        var inner = SecretScanner(decoded, redaction: redaction, isEncoded: false)
        if inner.redacted() == decoded { copy(valueEnd - position) } else { mask(to: valueEnd) }
        return true
    }

    /// Notes a part of a multipart form (RFC 7578 §4.2) with a secret's name: `form-data; name="password"`, a blank line, the
    /// value.
    private mutating func notePart(_ name: String) {
        guard name.lowercased() == "name", position + 2 < bytes.count, bytes[position] == UInt8(ascii: "="),
            bytes[position + 1] == UInt8(ascii: "\""),
            Array(bytes[..<position].suffix(256).split(separator: 0x0A, omittingEmptySubsequences: false).last ?? []).holds(
                Array("form-data;".utf8)),
            let close = bytes[(position + 2)...].prefix(128).firstIndex(of: UInt8(ascii: "\"")),
            redaction.hides(String(decoding: bytes[(position + 2)..<close], as: UTF8.self), inForm: true)
        else { return }
        // The part's other fields precede the blank line.
        var start = close
        let limit = min(bytes.count, close + 512)
        while start < limit, !bytes[start...].starts(with: "\n\n".utf8), !bytes[start...].starts(with: "\n\r\n".utf8) {
            start += 1
        }
        guard start < limit else { return }
        start += bytes[start + 1] == UInt8(ascii: "\n") ? 2 : 3
        partStart = start
    }

    /// The secret value of a part of a multipart form, up to the next boundary.
    private mutating func skipPart() -> Bool {
        guard let start = partStart, position >= start else { return false }
        partStart = nil
        var end = position
        while end < bytes.count, !bytes[end...].starts(with: "\n--".utf8) { end += 1 }
        guard end > position else { return false }
        mask(to: end)
        return true
    }

    /// Whether the name is the number of the described card, or the value of the current pair.
    private func isSecretPart(_ name: String) -> Bool {
        if position < cardEnd, SecretNames.isNumber(name) { return true }
        guard ["value", "values", "string", "content"].contains(name.lowercased()) else { return false }
        return pairDepth == depth || nameBehind().map { redaction.hides($0) } == true
    }

    /// The end of an object ends its pair; so does an element other than the pair's value.
    private mutating func noteNesting(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "}"):
            if pairDepth == depth { pairDepth = nil }
            depth -= 1
        case UInt8(ascii: "<"):
            let isValue = ["value", "string", "/"].contains { bytes[(position + 1)...].starts(with: $0.utf8) }
            if !isValue { pairDepth = nil }
        default: break
        }
    }

    /// The name of the pair with this value, if the name follows: `{"value": "x", "name": "password"}`.
    private func nameBehind() -> String? {
        let rest = bytes[position...].prefix(512)
        let end = rest.firstIndex { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "{") } ?? rest.endIndex
        let text = String(decoding: bytes[position..<end], as: UTF8.self)
        let match = text.firstMatch(of: /\b(?:name|key|field|header|parameter)\\?"?\s*[:=]\s*\\?"([^"\\]{1,64})/.ignoresCase())
        return match.map { String($0.output.1) }
    }

    /// `{"name": "password", "value": …}` and `<param name="password" value="…"/>`, as lists of headers and fields are written.
    private mutating func notePair(_ name: String) {
        guard ["name", "key", "field", "header", "parameter"].contains(name.lowercased()),
            let (start, kind, _) = separator(after: position)
        else { return }
        // `<key>password</key><string>…</string>`
        if kind == UInt8(ascii: ">") {
            guard isElement(name) else { return }
            let text = bytes[start...].prefix { $0 != UInt8(ascii: "<") }.prefix(64)
            return pairDepth = redaction.hides(String(decoding: text, as: UTF8.self)) ? depth : nil
        }
        guard
            let open = bytes[start...].prefix(8).firstIndex(where: { $0 != UInt8(ascii: "\\") }), bytes[open].isQuote
        else { return }
        let text = bytes[(open + 1)...].prefix(64)
        guard let close = text.firstIndex(where: { $0 == bytes[open] || $0 == UInt8(ascii: "\\") }) else { return }
        pairDepth = redaction.hides(String(decoding: text[..<close], as: UTF8.self)) ? depth : nil
    }

    /// Notes that the content of a card's object or element describes a card.
    private mutating func noteCard(_ name: String) {
        guard position >= cardEnd, SecretNames.isCard(name) else { return }
        if isElement(name) {
            guard let tagEnd = bytes[position...].firstIndex(of: UInt8(ascii: ">")) else { return cardEnd = bytes.count }
            let start = elementStart(name) ?? position
            cardEnd =
                bytes[tagEnd - 1] == UInt8(ascii: "/") ? tagEnd : endOfElement(Array(bytes[start..<position]), from: tagEnd + 1)
        } else if let (start, _, _) = separator(after: position) {
            var start = start
            while start < bytes.count, [UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[start]) {
                start += 1
            }
            guard start < bytes.count, bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") else { return }
            cardEnd = endOfNested(from: start)
        }
    }

    private func isElement(_ name: String) -> Bool { elementStart(name) != nil }

    /// The offset of an opening tag's name, with its prefix, if this is one.
    private func elementStart(_ name: String) -> Int? {
        var start = position - name.utf8.count
        guard start > 0 else { return nil }
        if bytes[start - 1] == UInt8(ascii: ":") {
            start -= 1
            let limit = max(0, start - 64)
            while start > limit, bytes[start - 1].isWordByte { start -= 1 }
        }
        return start > 0 && bytes[start - 1] == UInt8(ascii: "<") ? start : nil
    }

    /// `<token type="bearer">a<b/>c</token>` → `<token><redacted></token>`: hides all content and attributes of the element.
    private mutating func skipElement(_ name: String) -> Bool {
        guard let start = elementStart(name) else { return false }
        let tag = Array(bytes[start..<position])
        guard let tagEnd = bytes[position...].firstIndex(of: UInt8(ascii: ">")), bytes[tagEnd - 1] != UInt8(ascii: "/") else {
            let end = bytes[position...].firstIndex(of: UInt8(ascii: ">")).map { $0 - 1 } ?? bytes.count
            if end > position { mask(to: end) }
            return true
        }
        output.append(UInt8(ascii: ">"))
        mask(to: endOfElement(tag, from: tagEnd + 1))
        return true
    }

    /// The offset of the closing tag of an opening one; the end of the text without one.
    private func endOfElement(_ tag: [UInt8], from start: Int) -> Int {
        var depth = 1
        var index = start
        while let bracket = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            let isClosing = bytes[(bracket + 1)...].first == UInt8(ascii: "/")
            let name = bracket + (isClosing ? 2 : 1)
            index = name
            guard name <= bytes.count, bytes[name...].starts(with: tag),
                name + tag.count == bytes.count || !bytes[name + tag.count].isWordByte
            else { continue }
            depth += isClosing ? -1 : 1
            if depth == 0 { return bracket }
        }
        return bytes.count
    }

    /// Hides text up to an offset, and the whole of a PEM text that begins before it.
    private mutating func mask(to end: Int) {
        output.append(contentsOf: Redaction.mask.utf8)
        let begin = lastIndex(of: Self.pemBegin, in: position..<end)
        let isOpen = begin.map { lastIndex(of: Self.pemEnd, in: $0..<end) == nil } ?? false
        position = isOpen ? endOfPEM(from: end) : end
    }

    private static let pemBegin = Array("-----BEGIN".utf8)
    private static let pemEnd = Array("-----END ".utf8)

    private func lastIndex(of mark: [UInt8], in range: Range<Int>) -> Int? {
        range.last { bytes[$0] == mark[0] && range.upperBound - $0 >= mark.count && bytes[$0...].starts(with: mark) }
    }

    /// The offset of the end line of a PEM text; the end of the text without one.
    private func endOfPEM(from start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end] != Self.pemEnd[0] || !bytes[end...].starts(with: Self.pemEnd) { end += 1 }
        return end
    }

    /// Reads a word. After an opening quote it reads the whole quoted text, if that is short and a value follows: a JSON key may
    /// contain any characters.
    private mutating func readName() -> String {
        let start = position
        var end = position
        while end < bytes.count, bytes[end].isWordByte { end += 1 }
        if start > 0, bytes[start - 1].isQuote {
            var close = end
            while close < bytes.count, close - start < 64, bytes[close] != bytes[start - 1],
                bytes[close] != UInt8(ascii: "\\") || isEscapedUnit(at: close), bytes[close] >= 0x20
            {
                close += 1
            }
            if close < bytes.count, bytes[close] == bytes[start - 1] || bytes[close] == UInt8(ascii: "\\"),
                separator(after: close) != nil
            {
                end = close
            }
        }
        copy(end - start)
        let name = String(decoding: bytes[start..<end], as: UTF8.self)
        guard bytes[start..<end].contains(UInt8(ascii: "\\")) else { return name }
        // A key may contain escapes; they are decoded.
        return name.replacing(/\\u([0-9a-fA-F]{4})/) { match in
            UInt32(match.output.1, radix: 16).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? ""
        }
    }

    private func isEscapedUnit(at index: Int) -> Bool {
        index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "u")
    }

    /// `//user:secret@host` → `//<redacted>@host`
    private mutating func skipUserInformation() -> Bool {
        // Also in PHP's JSON form: `\/\/`.
        let slashes: [UInt8] = bytes[position...].starts(with: #"\/\/"#.utf8) ? Array(#"\/\/"#.utf8) : Array("//".utf8)
        guard bytes[position] == slashes[0], bytes[position...].starts(with: slashes) else { return false }
        var end = position + slashes.count
        while end < bytes.count, bytes[end].isUserInformation { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "@"), end > position + slashes.count else { return false }
        // Removed already if the address is malformed.
        guard !bytes[(position + slashes.count)..<end].elementsEqual("…".utf8) else { return false }
        copy(slashes.count)
        output.append(contentsOf: Redaction.mask.utf8)
        position = end
        return true
    }

    /// `Bearer abc…` → `Bearer <redacted>`; a sentence is shown.
    private mutating func skipCredentials(of scheme: String) {
        let start = bytes[position...].firstIndex { $0 != UInt8(ascii: " ") && $0 != 0x09 } ?? bytes.count
        guard start > position, let end = CredentialForm.end(of: scheme, in: bytes, from: start) else { return }
        copy(start - position)
        mask(to: end)
    }

    /// A bank account in the word that begins here, alone, after an escape or after a hyphen.
    private mutating func skipBankAccount() -> Bool {
        var start = position
        if position > 0, bytes[position - 1] == UInt8(ascii: "\\"), "nrtbf".utf8.contains(bytes[position]) { start += 1 }
        if position > 0, bytes[position - 1] == UInt8(ascii: "%") { start += 2 }
        while start < bytes.count, bytes[start].isWordByte {
            if let end = BankAccount.end(in: bytes, from: start) {
                copy(start - position)
                mask(to: end)
                return true
            }
            while start < bytes.count, bytes[start].isLetter || bytes[start].isDigit { start += 1 }
            while start < bytes.count, bytes[start].isWordByte, !bytes[start].isLetter, !bytes[start].isDigit { start += 1 }
        }
        return false
    }

    /// The offset of the value of a name that ends here: after `:`, `=` or an XML tag's `>`, and after the name's closing quotes,
    /// brackets or white space.
    private func separator(after end: Int) -> (value: Int, kind: UInt8, isQuoted: Bool)? {
        var next = end
        while next < bytes.count, bytes[next] == UInt8(ascii: "\\") || bytes[next].isQuote { next += 1 }
        let isQuoted = next > end
        while next < bytes.count {
            if bytes[next] == UInt8(ascii: "]") || bytes[next] == UInt8(ascii: "[") {
                next += 1
            } else if bytes[next...].starts(with: "%5D".utf8) || bytes[next...].starts(with: "%5B".utf8) {
                next += 3
            } else {
                break
            }
        }
        func skipSpace() {
            while next < bytes.count,
                bytes[next] == 0x20 || bytes[next] == 0x09 || (isQuoted && (bytes[next] == 0x0A || bytes[next] == 0x0D))
            {
                next += 1
            }
        }
        if bytes[next...].prefix(3).elementsEqual("%3D".utf8) {
            return next + 3 < bytes.count ? (next + 3, UInt8(ascii: "="), isQuoted) : nil
        }
        skipSpace()
        guard next < bytes.count, [UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: ">")].contains(bytes[next]) else {
            return nil
        }
        let kind = bytes[next]
        next += 1
        // `password => secret` in Ruby and PHP.
        if kind == UInt8(ascii: "="), next < bytes.count, bytes[next] == UInt8(ascii: ">") { next += 1 }
        skipSpace()
        guard next < bytes.count, bytes[next] != UInt8(ascii: ")") else { return nil }
        return (next, kind, isQuoted)
    }

    private mutating func skipValue() {
        guard let (start, kind, isQuoted) = separator(after: position) else { return }
        var valueStart = start
        while valueStart < bytes.count, bytes[valueStart] == UInt8(ascii: "\\") { valueStart += 1 }
        guard valueStart < bytes.count else { return }

        let end: Int
        if bytes[valueStart].isQuote, kind != UInt8(ascii: ">") {
            let quote = bytes[valueStart]
            valueStart += 1
            end = endOfString(from: valueStart, quote: quote, escapes: valueStart - 1 - start)
        } else if bytes[valueStart] == UInt8(ascii: "{") || bytes[valueStart] == UInt8(ascii: "[") {
            end = endOfNested(from: valueStart)
        } else {
            end = (isQuoted ? endOfLiteral(from: valueStart) : nil) ?? endOfPlain(from: valueStart, kind: kind)
        }
        guard end > valueStart else { return }
        copy(valueStart - position)
        mask(to: end)
    }

    /// The closing quote has as many backslashes before it as the opening one; one with more belongs to the text.
    private func endOfString(from start: Int, quote: UInt8, escapes: Int) -> Int {
        var index = start
        var backslashes = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\") {
                backslashes += 1
            } else {
                if bytes[index] == quote, backslashes == escapes || (escapes == 0 && backslashes.isMultiple(of: 2)) {
                    return index - min(backslashes, escapes)
                }
                backslashes = 0
            }
            index += 1
        }
        return bytes.count
    }

    private func endOfNested(from start: Int) -> Int {
        var depth = 0
        var index = start
        var inString = false
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\"): index += 1
            case UInt8(ascii: "\""): inString.toggle()
            case UInt8(ascii: "{") where !inString, UInt8(ascii: "[") where !inString: depth += 1
            case UInt8(ascii: "}") where !inString, UInt8(ascii: "]") where !inString:
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
            index += 1
        }
        return bytes.count
    }

    /// The end of a JSON number, truth value or null, if it is one and the object continues after it.
    private func endOfLiteral(from start: Int) -> Int? {
        guard let end = bytes[start...].firstIndex(where: { !$0.isLetter && !$0.isDigit && !"+-.".utf8.contains($0) }) else {
            return nil
        }
        let isLiteral =
            bytes[start] == UInt8(ascii: "-") || bytes[start].isDigit
            || ["true", "false", "null"].contains { bytes[start..<end].elementsEqual($0.utf8) }
        guard isLiteral, let next = bytes[end...].first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return nil }
        return ",}]".utf8.contains(next) ? end : nil
    }

    /// Whether a value follows here with a space after the separator.
    private func isLabel(at index: Int) -> Bool {
        guard index + 1 < bytes.count else { return false }
        return bytes[index + 1].isQuote || [0x20, 0x09, UInt8(ascii: "\\")].contains(bytes[index + 1])
    }

    private func endOfPlain(from start: Int, kind: UInt8) -> Int {
        var index = start
        var kind = kind
        while index < bytes.count {
            switch bytes[index] {
            case 0x0A, 0x0D: return index
            // A value that looks like a name itself is hidden with its own value: `otp=X-Api-Key: abc`.
            case UInt8(ascii: ":") where isLabel(at: index), UInt8(ascii: "=") where isLabel(at: index):
                if kind == UInt8(ascii: "=") { kind = UInt8(ascii: ":") }
            case UInt8(ascii: "<"): if kind == UInt8(ascii: ">") { return index }
            // A bracket within a text does not end the structure around it.
            case UInt8(ascii: "\"") where kind == UInt8(ascii: ":"):
                index = min(endOfString(from: index + 1, quote: UInt8(ascii: "\""), escapes: 0), bytes.count - 1)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): if kind != UInt8(ascii: ">") { return index }
            // After a colon it may be a header line, whose value may contain spaces and commas.
            case UInt8(ascii: "&"), UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: ")"), UInt8(ascii: "\""):
                if kind == UInt8(ascii: "=") { return index }
            // The closing quote of `'https://h/?token=a' is rejected` belongs to the sentence.
            case UInt8(ascii: "'"), UInt8(ascii: "`"): if kind == UInt8(ascii: "="), endsItem(at: index + 1) { return index }
            default: break
            }
            index += 1
        }
        return bytes.count
    }

    /// Whether an item's value ends here, perhaps after a punctuation mark, or the text does.
    private func endsItem(at index: Int) -> Bool {
        let rest = bytes[index...].prefix(2)
        let next = rest.first.map { ".:;?!".utf8.contains($0) } == true ? rest.dropFirst().first : rest.first
        return next.map { "\n\r\t ,&)\"".utf8.contains($0) } ?? true
    }
}

extension UInt8 {
    fileprivate var isWordByte: Bool {
        isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") || self >= 0x80
    }
    /// Whether an item of a query or a form may begin after it.
    fileprivate var isBeforeItem: Bool { self <= 0x20 || "&?;#\"'({,`".utf8.contains(self) }
    fileprivate var isProse: Bool { self == 0x20 || self == 0x09 || ",({".utf8.contains(self) }
    fileprivate var isItemName: Bool { isWordByte || "%[].+~".utf8.contains(self) }
    /// Ends before any byte at which another item may begin, so that each byte belongs to one item.
    fileprivate var isItemValue: Bool { !isBeforeItem && !"\\}<>".utf8.contains(self) }
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
    /// RFC 3986 §3.2.1; a slash, a quote or a space ends it.
    fileprivate var isUserInformation: Bool {
        self > 0x20 && !"/?#@\"'<>[]{}\\".utf8.contains(self)
    }
}
