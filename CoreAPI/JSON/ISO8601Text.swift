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
        guard year >= 1_600, (1...12).contains(month), day >= 1, day <= days(month, year), hour < 24, minute < 60, second < 60
        else { return nil }
        let seconds = daysSince2001(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return Date(timeIntervalSinceReferenceDate: Double(seconds))
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

    private static func days(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Counts in years that begin in March, so that the leap day comes last.
    private static func daysSince2001(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let marchMonth = month > 2 ? month - 3 : month + 9
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        return marchYear * 365 + leapDays + (153 * marchMonth + 2) / 5 + day - 730_792
    }
}
