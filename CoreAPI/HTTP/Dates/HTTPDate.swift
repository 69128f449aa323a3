package import Foundation

/// Dates of HTTP header fields (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT` and its two obsolete forms.
///
/// Also accepted: names in any case, a missing weekday, and `UTC`, `UT`, `Z` or `+0000` for `GMT`. Any other zone is rejected.
package enum HTTPDate {
    package static func date(_ text: String) -> Date? {
        var words = text.split { " \t,-".contains($0) }.map { $0.lowercased() }[...]
        // The weekday is redundant.
        if let first = words.first, first.utf8.allSatisfy(\.isLetter), !months.contains(first) { words = words.dropFirst() }
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
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private static func date(year: Int, month: String, day: Int, time: String) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0)) }
        guard let month = months.firstIndex(of: month), clock.count == 3, let hour = clock[0], let minute = clock[1],
            let second = clock[2], (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
            (1...31).contains(day), (1600...9999).contains(year)
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let components = DateComponents(year: year, month: month + 1, day: day)
        // The calendar turns a 31st of February into the 3rd of March.
        guard let midnight = calendar.date(from: components), calendar.component(.day, from: midnight) == day else { return nil }
        return midnight.addingTimeInterval(TimeInterval(hour * 3_600 + minute * 60 + second))
    }

    /// Stricter than the integers' own parsing, which accepts a sign.
    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
    }

    /// RFC 9110 §5.6.7: a two-digit year more than 50 years ahead means the past.
    private static func fullYear(_ year: Int) -> Int {
        let now = Calendar(identifier: .gregorian).component(.year, from: Date())
        let candidate = now - now % 100 + year
        return candidate > now + 50 ? candidate - 100 : candidate
    }
}
