internal import CoreAPIHTTP
internal import Foundation

/// Names of owners and signers as text (RFC 4514): `CN=localhost,O=Example\, Inc.`.
enum DistinguishedName {
    /// The parts of a sequence of sets of attributes, in reverse order: the most specific one first.
    static func text(of name: DERReader.Element) throws(Certificate.ReadError) -> String {
        var reader = DERReader(name.content)
        var parts: [String] = []
        while !reader.isAtEnd {
            guard let set = reader.next(DERReader.set) else { throw .malformed("expected a set of attributes in a name") }
            parts.append(try part(set))
        }
        return parts.reversed().joined(separator: ",")
    }

    /// The attributes of one set; almost always one. RFC 4514 leaves their order open; this one is that of the `openssl` command.
    private static func part(_ set: DERReader.Element) throws(Certificate.ReadError) -> String {
        var reader = DERReader(set.content)
        var attributes: [String] = []
        repeat {
            guard let attribute = reader.next(DERReader.sequence) else { throw .malformed("expected an attribute in a name") }
            attributes.append(try text(ofAttribute: attribute))
        } while !reader.isAtEnd
        return attributes.reversed().joined(separator: "+")
    }

    private static func text(ofAttribute attribute: DERReader.Element) throws(Certificate.ReadError) -> String {
        var reader = DERReader(attribute.content)
        guard let type = reader.next(DERReader.objectIdentifier), let identifier = objectIdentifier(type.content),
            let value = reader.next(), reader.isAtEnd
        else { throw .malformed("expected an attribute's type and value in a name") }
        if let keyword = keywords[identifier], let text = string(value) { return "\(keyword)=\(escaped(text))" }
        // §2.4: the value's DER, if its form is unknown.
        return "\(keywords[identifier] ?? identifier)=#" + value.whole.map { digits($0) }.joined()
    }

    /// As the `openssl` command spells them; RFC 4514 §3 has only nine.
    private static let keywords = [
        "2.5.4.3": "CN", "2.5.4.4": "SN", "2.5.4.5": "serialNumber", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST",
        "2.5.4.9": "street", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.12": "title", "2.5.4.15": "businessCategory",
        "2.5.4.17": "postalCode", "2.5.4.42": "GN", "2.5.4.97": "organizationIdentifier",
        "0.9.2342.19200300.100.1.1": "UID", "0.9.2342.19200300.100.1.25": "DC", "1.2.840.113549.1.9.1": "emailAddress",
        "1.3.6.1.4.1.311.60.2.1.1": "jurisdictionL", "1.3.6.1.4.1.311.60.2.1.2": "jurisdictionST",
        "1.3.6.1.4.1.311.60.2.1.3": "jurisdictionC",
    ]

    /// Numbers with dots (X.690 §8.19); `nil` if it is malformed or a number has more than 63 bits.
    private static func objectIdentifier(_ content: Data) -> String? {
        var numbers: [UInt64] = []
        var number: UInt64 = 0
        var isComplete = true
        for byte in content {
            // The shortest form never begins with a zero.
            guard number < 1 << 56, !isComplete || byte != 0x80 else { return nil }
            number = number << 7 | UInt64(byte & 0x7F)
            isComplete = byte < 0x80
            if isComplete {
                numbers.append(number)
                number = 0
            }
        }
        guard isComplete, let first = numbers.first else { return nil }
        // The first two numbers share one; the first of them is at most 2.
        let root = min(first / 40, 2)
        return ([root, first - root * 40] + numbers.dropFirst()).map(String.init).joined(separator: ".")
    }

    /// The text of a string; `nil` for another type, and for bytes that are none.
    private static func string(_ element: DERReader.Element) -> String? {
        let bytes = element.content
        return switch element.tag {
        case 0x0C: String(validating: bytes, as: UTF8.self)
        // NumericString, PrintableString, IA5String, VisibleString.
        case 0x12, 0x13, 0x16, 0x1A: String(validating: bytes, as: Unicode.ASCII.self)
        // TeletexString, by general use Latin-1; UniversalString; BMPString.
        case 0x14: String(latin1: bytes)
        case 0x1C: bytes.codeUnits().flatMap { String(validating: $0, as: UTF32.self) }
        case 0x1E: bytes.codeUnits().flatMap { String(validating: $0, as: UTF16.self) }
        default: nil
        }
    }

    /// §2.4, and control characters so that they cannot steer a terminal.
    private static func escaped(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var escaped = ""
        for (index, scalar) in scalars.enumerated() {
            let isAtEnd = index == 0 || index == scalars.count - 1
            if scalar.isControlOrFormat {
                escaped += String(scalar).utf8.map { "\\" + digits($0) }.joined()
            } else if "\"+,;<>\\".unicodeScalars.contains(scalar) || (scalar == " " && isAtEnd) || (scalar == "#" && index == 0) {
                escaped += "\\" + String(scalar)
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func digits(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
}
