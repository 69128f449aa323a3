internal import CoreAPIHTTP
internal import Foundation

/// Reads DER (X.690) element by element, as far as certificates need it.
struct DERReader {
    struct Element {
        let tag: UInt8
        // Slices: copies would make the reading of many elements quadratic.
        /// Including tag and length.
        let whole: Data
        let content: Data
    }

    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let objectIdentifier: UInt8 = 0x06
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
    /// `[0] EXPLICIT`, a certificate's version.
    static let version: UInt8 = 0xA0

    private var rest: Data

    init(_ data: Data) { rest = data }

    var isAtEnd: Bool { rest.isEmpty }

    /// `nil` at the end, and for a length beyond the data or not in its shortest form.
    mutating func next() -> Element? {
        let bytes = Array(rest.prefix(6))
        guard bytes.count >= 2, bytes[0] & 0x1F != 0x1F else { return nil }
        var header = 2
        var length = Int(bytes[1])
        if length >= 0x80 {
            let count = length & 0x7F
            guard (1...4).contains(count), bytes.count >= 2 + count, bytes[2] != 0 else { return nil }
            length = bytes[2..<2 + count].reduce(0) { $0 << 8 | Int($1) }
            guard length >= 0x80 else { return nil }
            header += count
        }
        guard rest.count >= header + length else { return nil }
        let whole = rest.prefix(header + length)
        rest = rest.dropFirst(header + length)
        return Element(tag: bytes[0], whole: whole, content: whole.dropFirst(header))
    }

    mutating func next(_ tag: UInt8) -> Element? { next().flatMap { $0.tag == tag ? $0 : nil } }
}

/// The parts of a certificate that the kit reads, still in DER (RFC 5280 §4.1).
struct CertificateParts {
    let whole, issuer, validity, subject, publicKey: DERReader.Element

    init(der: Data) throws(Certificate.ReadError) {
        var outer = DERReader(der)
        guard let whole = outer.next(DERReader.sequence), outer.isAtEnd else {
            throw .malformed("expected one certificate in DER")
        }
        var parts = DERReader(whole.content)
        guard let signed = parts.next(DERReader.sequence) else { throw .malformed("expected the signed part of a certificate") }
        var fields = DERReader(signed.content)
        var field = fields.next()
        if field?.tag == DERReader.version { field = fields.next() }
        guard field?.tag == DERReader.integer else { throw .malformed("expected a serial number") }
        guard fields.next(DERReader.sequence) != nil else { throw .malformed("expected a signature algorithm") }
        guard let issuer = fields.next(DERReader.sequence), let validity = fields.next(DERReader.sequence),
            let subject = fields.next(DERReader.sequence)
        else { throw .malformed("expected an issuer, a validity and a subject") }
        guard let key = fields.next(DERReader.sequence), Self.isPublicKey(key.content) else {
            throw .malformed("expected a public key")
        }
        (self.whole, self.issuer, self.validity, self.subject, publicKey) = (whole, issuer, validity, subject, key)
    }

    /// Whether the content is an algorithm and bits.
    static func isPublicKey(_ content: Data) -> Bool {
        var reader = DERReader(content)
        return reader.next(DERReader.sequence) != nil && reader.next(DERReader.bitString) != nil && reader.isAtEnd
    }
}

/// A certificate's dates (RFC 5280 §4.1.2.5): `UTCTime` for years from 1950 to 2049, else `GeneralizedTime`; both with seconds
/// and at Greenwich.
enum DERTime {
    static func next(in reader: inout DERReader) throws(Certificate.ReadError) -> Date {
        guard let element = reader.next(), let date = date(element) else {
            throw .malformed("expected a date as UTCTime or GeneralizedTime, with seconds and Z")
        }
        return date
    }

    private static func date(_ element: DERReader.Element) -> Date? {
        let digits = element.content.dropLast()
        guard element.content.last == UInt8(ascii: "Z"), digits.allSatisfy(\.isDigit) else { return nil }
        let values = digits.map { Int($0 - UInt8(ascii: "0")) }
        var pairs = stride(from: 0, to: values.count - 1, by: 2).map { 10 * values[$0] + values[$0 + 1] }
        let year: Int
        switch (element.tag, digits.count) {
        case (DERReader.utcTime, 12): year = pairs[0] + (pairs[0] < 50 ? 2_000 : 1_900)
        case (DERReader.generalizedTime, 14): year = 100 * pairs.removeFirst() + pairs[0]
        default: return nil
        }
        return GregorianDate.date(year: year, month: pairs[1], day: pairs[2], hour: pairs[3], minute: pairs[4], second: pairs[5])
    }
}
