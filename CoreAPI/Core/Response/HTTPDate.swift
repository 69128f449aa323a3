package import Foundation

/// Dates of HTTP header fields (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT` and its two obsolete forms.
package enum HTTPDate {
    package static func date(_ text: String) -> Date? {
        let words = text.split { " ,-".contains($0) }
        switch words.count {
        case 6:
            // Sun, 06 Nov 1994 08:49:37 GMT — Sunday, 06-Nov-94 08:49:37 GMT
            guard let day = number(words[1]), let year = number(words[3]), words[5] == "GMT" else { return nil }
            return date(year: words[3].count == 2 ? fullYear(year) : year, month: words[2], day: day, time: words[4])
        case 5:
            // Sun Nov  6 08:49:37 1994
            guard let day = number(words[2]), let year = number(words[4]) else { return nil }
            return date(year: year, month: words[1], day: day, time: words[3])
        default: return nil
        }
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func date(year: Int, month: Substring, day: Int, time: Substring) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
        guard let month = months.firstIndex(of: String(month)), clock.count == 3, let hour = clock[0], let minute = clock[1],
            let second = clock[2], (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
            (1...31).contains(day), (1600...9999).contains(year)
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let components = DateComponents(year: year, month: month + 1, day: day)
        // The calendar makes the 3rd of March of a 31st of February.
        guard let midnight = calendar.date(from: components), calendar.component(.day, from: midnight) == day else { return nil }
        return midnight.addingTimeInterval(TimeInterval(hour * 3_600 + minute * 60 + second))
    }

    /// Not the integers' own reading, which takes a sign.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
    }

    /// RFC 9110 §5.6.7: a two-digit year more than 50 years ahead is one of the past.
    private static func fullYear(_ year: Int) -> Int {
        let now = Calendar(identifier: .gregorian).component(.year, from: Date())
        let candidate = now - now % 100 + year
        return candidate > now + 50 ? candidate - 100 : candidate
    }
}
