internal import CoreAPIHTTP
internal import Foundation

/// Dates in cookies (RFC 6265bis §5.1.1), read leniently: four parts in any order between any delimiters. Pure and total.
/// ``HTTPDate`` reads the dates of other header fields.
enum CookieDate {
    static func date(_ text: Substring.UTF8View) -> Date? {
        var clock: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text.split(whereSeparator: isDelimiter) {
            if clock == nil, let found = time(token) {
                clock = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = self.month(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let clock, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1_900 } else if (0...69).contains(year) { year += 2_000 }
        guard year >= 1_601 else { return nil }
        return GregorianDate.date(
            year: year, month: month, day: day, hour: clock.hour, minute: clock.minute, second: clock.second)
    }

    private typealias Token = Substring.UTF8View.SubSequence

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// The number at the start of a token, if it has so many digits and no further digit follows.
    private static func number(_ token: Token, digits: ClosedRange<Int>) -> Int? {
        let text = token.prefix(while: \.isDigit)
        guard digits.contains(text.count) else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// `8:49:37`, followed by any text without a leading digit.
    private static func time(_ token: Token) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(\.isDigit), parts[1].allSatisfy(\.isDigit),
            let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
            let second = number(parts[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static let months = "janfebmaraprmayjunjulaugsepoctnovdec"

    /// 1 for a token that begins with `jan` in any case.
    private static func month(_ token: Token) -> Int? {
        let name = Array(token.prefix(3).map { $0 | 0x20 })
        guard name.count == 3 else { return nil }
        let all = Array(months.utf8)
        return (1...12).first { Array(all[($0 - 1) * 3..<$0 * 3]) == name }
    }
}
