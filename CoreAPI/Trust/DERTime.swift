internal import CoreAPIHTTP
internal import Foundation

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
        return GregorianDate.date(
            year: year, month: pairs[1], day: pairs[2], hour: pairs[3], minute: pairs[4], second: pairs[5])
    }
}
