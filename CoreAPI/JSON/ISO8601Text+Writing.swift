internal import Foundation

extension ISO8601Text {
    /// Writes a date in quotes, with `Z`.
    ///
    /// - Returns: `false` for a date before 1600 or after 9999. Foundation writes those.
    static func write(_ date: Date, to tree: OutputTree) -> Bool {
        let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
        // 1600-01-01 and 10000-01-01.
        guard seconds >= -12_654_403_200, seconds < 252_423_993_600 else { return false }
        let (day, second) = quotient(Int(seconds), 86_400)
        tree.reserve(22)
        let text = tree.text + tree.count
        let (year, month, dayOfMonth) = calendar(day)
        text[0] = UInt8(ascii: "\"")
        pair(year / 100, text + 1)
        pair(year % 100, text + 3)
        text[5] = UInt8(ascii: "-")
        pair(month, text + 6)
        text[8] = UInt8(ascii: "-")
        pair(dayOfMonth, text + 9)
        text[11] = UInt8(ascii: "T")
        pair(second / 3_600, text + 12)
        text[14] = UInt8(ascii: ":")
        pair(second / 60 % 60, text + 15)
        text[17] = UInt8(ascii: ":")
        pair(second % 60, text + 18)
        text[20] = UInt8(ascii: "Z")
        text[21] = UInt8(ascii: "\"")
        tree.count += 22
        return true
    }

    private static func pair(_ number: Int, _ text: UnsafeMutablePointer<UInt8>) {
        text[0] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10)
        text[1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
    }

    /// Rounds down, also for negative numbers.
    private static func quotient(_ number: Int, _ divisor: Int) -> (Int, rest: Int) {
        let rest = ((number % divisor) + divisor) % divisor
        return ((number - rest) / divisor, rest)
    }

    /// Counts in cycles of 400 years that begin in March, so that the leap day comes last.
    ///
    /// - Parameter day: days since 2001-01-01.
    private static func calendar(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let (cycle, dayOfCycle) = quotient(day + 730_791, 146_097)
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}
