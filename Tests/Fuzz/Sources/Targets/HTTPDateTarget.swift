import Foundation

@testable import CoreAPIHTTP

extension FuzzTarget {
    /// `Retry-After`, seconds or a date (RFC 9110 §10.2.3), and HTTP dates in their three forms (§5.6.7).
    static let httpDate = FuzzTarget(name: "http-date") { input in
        let text = input.text
        if let pause = RetryAfter.pause(text) {
            expect((.zero ... .seconds(86_400)).contains(pause), "a pause from nothing to a day, got \(pause)")
        }
        guard let date = HTTPDate.date(text) else { return }
        expect(date.timeIntervalSince1970.rounded() == date.timeIntervalSince1970, "whole seconds")
        // A leap second at the end of the year 9999 belongs to the year 10000, which has no text.
        guard let rendered = HTTPDate.text(date) else { return expect(text.contains("60"), "a year of four digits: \(date)") }
        expect(HTTPDate.date(rendered) == date, "rendered and parsed again: \(rendered)")
        let words = text.split { " ,-".contains($0) }
        // The day is the first number of each form, with a weekday or without.
        let day = words.first { $0.allSatisfy(\.isNumber) }.flatMap { Int($0) }
        expect(
            text.contains("60") || day.map { rendered.hasPrefix("Mon, \($0 < 10 ? "0" : "")\($0) ") } ?? false,
            "the day that was written: \(rendered)")
    }
}
