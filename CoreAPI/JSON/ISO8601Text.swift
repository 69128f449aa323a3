internal import Foundation

/// Dates in their usual form (RFC 3339), to the second: `2024-02-29T23:59:59Z`, `2024-02-29T23:59:59+01:00`.
enum ISO8601Text {
    /// - Returns: `nil` for another form and for an invalid date. Foundation then parses the text.
    static func date(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
        guard text.count == 20 || text.count == 25, let offset = offset(text) else { return nil }
        guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":")
        else { return nil }
        guard let century = number(text, 0), let yearOfCentury = number(text, 2), let month = number(text, 5),
            let day = number(text, 8), let hour = number(text, 11), let minute = number(text, 14), let second = number(text, 17)
        else { return nil }
        let year = century * 100 + yearOfCentury
        // Calendars differ before 1583.
        guard year >= 1_600, (1...12).contains(month), day >= 1, hour < 24, minute < 60, second < 60 else { return nil }
        let days = daysSince2001(year, month, day)
        guard days < daysSince2001(month < 12 ? year : year + 1, month % 12 + 1, 1) else { return nil }
        return Date(timeIntervalSinceReferenceDate: Double(days * 86_400 + hour * 3_600 + minute * 60 + second - offset))
    }

    /// Seconds east of Greenwich; 0 for `Z`.
    private static func offset(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        if text[19] == UInt8(ascii: "Z") { return text.count == 20 ? 0 : nil }
        guard text.count == 25, text[22] == UInt8(ascii: ":"), let hours = number(text, 20), let minutes = number(text, 23),
            hours < 14, minutes < 60
        else { return nil }
        let seconds = hours * 3_600 + minutes * 60
        return text[19] == UInt8(ascii: "+") ? seconds : text[19] == UInt8(ascii: "-") ? -seconds : nil
    }

    private static func number(_ text: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Int? {
        let (tens, ones) = (text[offset] &- UInt8(ascii: "0"), text[offset + 1] &- UInt8(ascii: "0"))
        return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
    }

    /// Counts in years that begin in March, so that the leap day comes last.
    private static func daysSince2001(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let marchMonth = month > 2 ? month - 3 : month + 9
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        return marchYear * 365 + leapDays + (153 * marchMonth + 2) / 5 + day - 730_792
    }

    // MARK: - Writing

    /// Writes a date in quotes. Returns `false` for a date before 1600 or after 9999, which Foundation writes.
    static func write(_ date: Date, to tree: OutputTree) -> Bool {
        let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
        // 1600-01-01 and 10000-01-01.
        guard seconds >= -12_654_403_200, seconds < 252_423_993_600 else { return false }
        let (day, second) = quotient(Int(seconds), 86_400)
        let (year, month, dayOfMonth) = calendar(day)
        tree.literal("\"0000-00-00T00:00:00Z\"")
        let text = tree.text + (tree.count - 22)
        func pair(_ number: Int, at offset: Int) { OutputTree.pair(UInt64(number), text + offset) }
        pair(year / 100, at: 1)
        pair(year % 100, at: 3)
        pair(month, at: 6)
        pair(dayOfMonth, at: 9)
        pair(second / 3_600, at: 12)
        pair(second / 60 % 60, at: 15)
        pair(second % 60, at: 18)
        return true
    }

    /// Rounds down, also for negative numbers.
    private static func quotient(_ number: Int, _ divisor: Int) -> (Int, rest: Int) {
        let rest = ((number % divisor) + divisor) % divisor
        return ((number - rest) / divisor, rest)
    }

    /// Counts from 2001-01-01, in cycles of 400 years that begin in March, so that the leap day comes last.
    private static func calendar(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let (cycle, dayOfCycle) = quotient(day + 730_791, 146_097)
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}
