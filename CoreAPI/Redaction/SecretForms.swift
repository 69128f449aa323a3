internal import CoreAPIHTTP
internal import Foundation

/// Finds secrets that tell themselves by their form, under any name.
enum SecretForms {
    /// The secret that begins at an offset: a private key, a JSON Web Token, a bank account, or after `Bearer` a credential.
    static func secret(in bytes: [UInt8], at start: Int) -> Range<Int>? {
        let first = bytes[start]
        guard first.isLetter else { return first == UInt8(ascii: "-") ? privateKey(in: bytes, at: start) : nil }
        return webToken(in: bytes, at: start) ?? bankAccount(in: bytes, at: start) ?? credential(in: bytes, at: start)
    }

    /// RFC 7468, up to the end line or to the end of a text that is cut off.
    private static func privateKey(in bytes: [UInt8], at start: Int) -> Range<Int>? {
        guard bytes[start...].starts(with: "-----BEGIN ".utf8),
            String(decoding: bytes[start...].prefix(64), as: UTF8.self).firstRange(of: "PRIVATE KEY") != nil
        else { return nil }
        let mark = Array("-----END ".utf8)
        return start..<((start..<bytes.count).first { bytes[$0] == mark[0] && bytes[$0...].starts(with: mark) } ?? bytes.count)
    }

    /// RFC 7519: the header is an object, `eyJ` in base64url, and has two or four dots after it.
    private static func webToken(in bytes: [UInt8], at start: Int) -> Range<Int>? {
        guard bytes[start...].starts(with: "eyJ".utf8) else { return nil }
        let token = bytes[start...].prefix { $0.isWordByte || $0 == UInt8(ascii: ".") }
        return token.count > 16 && token.count { $0 == UInt8(ascii: ".") } >= 2 ? start..<token.endIndex : nil
    }

    /// ISO 13616, with or without separators: the length of the country, and a remainder of 1 modulo 97 (ISO 7064).
    private static func bankAccount(in bytes: [UInt8], at start: Int) -> Range<Int>? {
        guard start + 4 < bytes.count, bytes[start + 1].isLetter,
            let length = lengths[String(decoding: bytes[start...start + 1], as: UTF8.self).uppercased()]
        else { return nil }
        var number: [UInt8] = []
        var index = start
        while index < bytes.count, number.count < length {
            // The spaces U+00A0 and U+202F do not break a line; U+2009 is thin.
            let separator = [" ", "-", ".", "\u{A0}", "\u{202F}", "\u{2009}"].first { bytes[index...].starts(with: $0.utf8) }
            if !number.isEmpty { index += separator?.utf8.count ?? 0 }
            guard index < bytes.count, bytes[index].isDigit || bytes[index].isLetter && !(2...3).contains(number.count) else {
                return nil
            }
            number.append(bytes[index])
            index += 1
        }
        guard number.count == length, index == bytes.count || !(bytes[index].isLetter || bytes[index].isDigit) else { return nil }
        let remainder = (number[4...] + number[..<4]).reduce(0) { remainder, byte in
            (byte.isDigit ? remainder * 10 + Int(byte & 0xF) : remainder * 100 + Int(byte | 0x20) - 87) % 97
        }
        return remainder == 1 ? start..<index : nil
    }

    /// By country: of the registry of SWIFT, and of countries that use the form without being in it.
    private static let lengths = Dictionary(
        uniqueKeysWithValues: """
            AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24
            FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32
            LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24
            RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30
            AO25 BF28 BJ28 CF27 CG27 CI28 CM27 CV25 DZ26 GA27 GQ27 GW25 IR26 KM27 MA28 MG27 ML28 MZ25 NE28 SN28 TD27 TG28
            """.words.map { (String($0.prefix(2)), Int($0.suffix(2)) ?? 0) })

    /// The credential after the name of a scheme; `nil` in a sentence: `Basic authentication is required`.
    private static func credential(in bytes: [UInt8], at start: Int) -> Range<Int>? {
        let scheme = bytes[start...].prefix(7).prefix(while: \.isLetter)
        let first = bytes[scheme.endIndex...].firstIndex { $0 != 0x20 && $0 != 0x09 } ?? bytes.count
        guard scheme.count < 7, first > scheme.endIndex else { return nil }
        let token = bytes[first...].prefix { $0.isLetter || $0.isDigit || "-_.~+/=".utf8.contains($0) }
        let words = token.split { "-/.=".utf8.contains($0) }
        switch String(decoding: scheme, as: UTF8.self).lowercased() {
        case "basic": return isPair(token) || token.count > 7 && !words.allSatisfy(isWord) ? first..<token.endIndex : nil
        case "bearer":
            let isSentence = words.allSatisfy { bearerWords.contains(String(decoding: $0, as: UTF8.self).lowercased()) }
            return token.count > 7 && !isSentence ? first..<token.endIndex : nil
        // RFC 7616 §3.4: everything after one of its parameters. `sha-256=:…:` is a digest of content.
        case "digest":
            let name = String(decoding: token.prefix(while: \.isLetter), as: UTF8.self).lowercased()
            let rest = bytes[first...].dropFirst(name.utf8.count).prefix(8).drop { " \t*".utf8.contains($0) }
            return digestParameters.contains(name) && rest.first == UInt8(ascii: "=") ? first..<bytes.count : nil
        default: return nil
        }
    }

    /// RFC 7617 §2: Base64 of a text with a colon.
    private static func isPair(_ token: ArraySlice<UInt8>) -> Bool {
        let letters = token.prefix { $0 != UInt8(ascii: "=") }
        let whole = letters.prefix(letters.count - (letters.count % 4 == 1 ? 1 : 0))
        let padding = String(repeating: "=", count: (4 - whole.count % 4) % 4)
        guard let data = Data(base64Encoded: String(decoding: whole, as: UTF8.self) + padding) else { return false }
        return data.contains(UInt8(ascii: ":")) && String(validating: data, as: UTF8.self) != nil
    }

    /// Letters in one case, or with a capital first; a number.
    private static func isWord(_ word: ArraySlice<UInt8>) -> Bool {
        if word.allSatisfy(\.isDigit) { return true }
        return word.allSatisfy(\.isLetter)
            && (word.dropFirst().allSatisfy { $0 & 0x20 != 0 } || word.allSatisfy { $0 & 0x20 == 0 })
    }

    /// The words of a sentence about bearers, and a challenge's parameters (RFC 6750 §3, RFC 9728 §5.1).
    private static let bearerWords = Set(
        """
        authentication authorization credential credentials challenge assertion assertions required token tokens scheme access
        based and or type oauth authorization_uri error_description error_uri resource_metadata resource_id client_id
        """.words)
    private static let digestParameters = Set(
        "username realm uri nonce cnonce nc qop response opaque algorithm userhash charset domain stale".words)
}

extension String {
    var words: [String] { split { $0 == " " || $0 == "\n" }.map(String.init) }
}

extension UInt8 {
    /// A character of a name, or of base64url.
    var isWordByte: Bool { isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") || self >= 0x80 }
}
