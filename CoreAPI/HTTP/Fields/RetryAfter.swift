internal import Foundation

/// The value of `Retry-After` (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// The pause of a value: seconds or a date; at most a day.
    ///
    /// Careless servers send other values: a fraction is rounded up, and of several values separated by commas the longest wins.
    /// Any other value is ignored, a number with a sign included.
    package static func pause(_ value: String) -> Duration? {
        // A date is read without its weekday, which precedes its comma.
        value.split(separator: ",").compactMap { part in
            let text = part.trimmingHTTPWhitespace()
            return seconds(text) ?? untilDate(text)
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

    private static func untilDate(_ text: String) -> Duration? {
        HTTPDate.date(text).map { .seconds(min(max($0.timeIntervalSinceNow, 0), 86_400)) }
    }
}
