package import Foundation

/// Dates of HTTP header fields (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT` and its two obsolete forms.
///
/// Also accepted: names in any case, a missing weekday, and `UTC`, `UT`, `Z` or `+0000` for `GMT`. Any other zone is rejected.
package enum HTTPDate {
    package static func date(_ text: String) -> Date? {
        var words = text.split { " \t,-".contains($0) }.map { $0.lowercased() }[...]
        // The weekday is redundant.
        if let first = words.first, first.utf8.allSatisfy(\.isLetter), !GregorianDate.months.contains(first) {
            words = words.dropFirst()
        }
        let rest = Array(words)
        switch rest.count {
        case 5 where zones.contains(rest[4]):
            // 06 Nov 1994 08:49:37 GMT, 06-Nov-94 08:49:37 GMT
            guard let day = number(rest[0]), let year = number(rest[2]) else { return nil }
            return date(year: rest[2].utf8.count == 2 ? fullYear(year) : year, month: rest[1], day: day, time: rest[3])
        case 5 where zones.contains(rest[3]), 4:
            // Nov  6 08:49:37 1994, Nov  6 08:49:37 UTC 1994
            guard let day = number(rest[1]), let year = number(rest[rest.count - 1]) else { return nil }
            return date(year: year, month: rest[0], day: day, time: rest[2])
        default: return nil
        }
    }

    /// The zones equal to Greenwich. The hyphen of `-0000` was treated as a separator.
    private static let zones: Set<String> = ["gmt", "utc", "ut", "z", "+0000", "0000", "+00:00"]

    /// A leap second is the next second.
    private static func date(year: Int, month: String, day: Int, time: String) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0)) }
        guard year >= 1600, let month = GregorianDate.months.firstIndex(of: month), clock.count == 3, let hour = clock[0],
            let minute = clock[1], let second = clock[2], (0...60).contains(second)
        else { return nil }
        return GregorianDate.date(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: 0)?
            .addingTimeInterval(TimeInterval(second))
    }

    /// Stricter than the integers' own parsing, which accepts a sign.
    private static func number(_ text: String) -> Int? { text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil }

    /// RFC 9110 §5.6.7: a two-digit year more than 50 years ahead means the past.
    private static func fullYear(_ year: Int) -> Int {
        let now = Calendar(identifier: .gregorian).component(.year, from: Date())
        let candidate = now - now % 100 + year
        return candidate > now + 50 ? candidate - 100 : candidate
    }
}

/// Moments by their calendar date and time at Greenwich, for years from 1. `Calendar` changes to the Julian calendar before 1582
/// and turns a 31st of February into the 3rd of March.
package enum GregorianDate {
    package static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// `nil` for a day or a time that does not exist. There are no leap seconds.
    package static func date(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Date? {
        guard (1...9999).contains(year), (1...12).contains(month), (1...length(ofMonth: month, year: year)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
        else { return nil }
        let seconds = days(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970. The years begin in March, so that the leap day is the last.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}

/// The value of `Retry-After` (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// The pause of a value: seconds or a date; at most a day. Careless servers send other values: a fraction is rounded up, and
    /// of several values separated by commas the longest wins. Any other value is ignored, a number with a sign included.
    package static func pause(_ value: String) -> Duration? {
        // A date is read without its weekday, which precedes its comma.
        value.split(separator: ",").compactMap { part in
            let text = part.trimmingHTTPWhitespace()
            return seconds(text) ?? HTTPDate.date(text).map { .seconds(min(max($0.timeIntervalSinceNow, 0), 86_400)) }
        }.max()
    }

    /// - Returns: `nil` for a value with anything but digits and at most one point.
    private static func seconds(_ text: String) -> Duration? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard text.utf8.contains(where: \.isDigit), parts.allSatisfy({ $0.allSatisfy(\.isDigit) }) else { return nil }
        let isFraction = parts.count == 2 && parts[1].contains { $0 != UInt8(ascii: "0") }
        // If a server asks for a year, the call's timeout decides; the arithmetic must not overflow.
        let whole = parts[0].isEmpty ? 0 : min(Int(String(Substring(parts[0]))) ?? 86_400, 86_400)
        return .seconds(min(whole + (isFraction ? 1 : 0), 86_400))
    }
}
