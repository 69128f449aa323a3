import Foundation

@testable import CoreAPIHTTP

extension HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The preferred form (RFC 9110 §5.6.7), computed without the parser's calendar; `nil` beyond the year 9999. The weekday is
    /// always Monday, because the parser ignores it.
    static func text(_ date: Date) -> String? {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let (days, clock) = (Int((Double(seconds) / 86_400).rounded(.down)), ((seconds % 86_400) + 86_400) % 86_400)
        let (year, month, day) = civil(fromDays: days)
        guard (1_000...9_999).contains(year) else { return nil }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = "\(two(clock / 3_600)):\(two(clock / 60 % 60)):\(two(clock % 60))"
        return "Mon, \(two(day)) \(months[month - 1]) \(year) \(time) GMT"
    }

    /// The proleptic Gregorian calendar, by eras of 400 years that begin in March.
    private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = Int((Double(shifted) / 146_097).rounded(.down))
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}
