internal import CoreAPIHTTP

/// Finds an International Bank Account Number (ISO 13616) by its form: the length of its country, and a remainder of 1 modulo 97
/// (ISO 7064).
enum BankAccount {
    /// The offset after the number that begins here, in either case, also with a separator between its characters; `nil` if none
    /// begins.
    static func end(in bytes: [UInt8], from start: Int) -> Int? {
        guard start + 4 < bytes.count, bytes[start].isLetter, bytes[start + 1].isLetter,
            bytes[(start + 2 + separator(in: bytes, at: start + 2))...].first?.isDigit == true,
            let length = lengths[String(decoding: bytes[start...start + 1], as: UTF8.self).uppercased()]
        else { return nil }
        var characters: [UInt8] = []
        var index = start
        while index < bytes.count, characters.count < length {
            if !characters.isEmpty { index += separator(in: bytes, at: index) }
            guard index < bytes.count, bytes[index].isLetter || bytes[index].isDigit else { return nil }
            characters.append(bytes[index])
            index += 1
        }
        guard characters.count == length, characters[2].isDigit, characters[3].isDigit,
            index == bytes.count || !(bytes[index].isLetter || bytes[index].isDigit), isValid(characters)
        else { return nil }
        return index
    }

    private static func isValid(_ characters: [UInt8]) -> Bool {
        let remainder = (characters[4...] + characters[..<4]).reduce(0) { remainder, character in
            let value = Int(character | 0x20)
            return character.isDigit
                ? (remainder * 10 + Int(character - UInt8(ascii: "0"))) % 97 : (remainder * 100 + value - 87) % 97
        }
        return remainder == 1
    }

    /// The number of octets of a space, a hyphen or a plus, plain or encoded.
    private static func separator(in bytes: [UInt8], at index: Int) -> Int {
        switch bytes[index] {
        case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "+"): 1
        case UInt8(ascii: "%"): bytes[index...].starts(with: "%20".utf8) ? 3 : bytes[index...].starts(with: "%C2%A0".utf8) ? 6 : 0
        // The spaces that do not break a line, U+00A0 and U+202F.
        case 0xC2: bytes[index...].starts(with: "\u{A0}".utf8) ? 2 : 0
        case 0xE2: bytes[index...].starts(with: "\u{202F}".utf8) ? 3 : 0
        default: 0
        }
    }

    /// By country: of the registry of SWIFT, and of countries that use the form without being in it.
    private static let lengths: [String: Int] = [
        "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29, "BY": 28,
        "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
        "FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28,
        "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
        "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28,
        "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24,
        "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26,
        "UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
        "AO": 25, "BF": 28, "BJ": 28, "CF": 27, "CG": 27, "CI": 28, "CM": 27, "CV": 25, "DZ": 26, "GA": 27, "GQ": 27, "GW": 25,
        "IR": 26, "KM": 27, "MA": 28, "MG": 27, "ML": 28, "MZ": 25, "NE": 28, "SN": 28, "TD": 27, "TG": 28,
    ]
}
