import CoreAPI
import Foundation

/// A little of an answer, as a person would be shown it.
struct DemoSample: Sendable, Hashable, Encodable {
    let headline: String
    let lines: [String]

    /// Lines that are shown of a list; that there is more is said by ``headline``.
    static let length = 3

    init(_ headline: String, _ lines: [String] = []) {
        self.headline = headline.escapingControls
        self.lines = lines.prefix(Self.length).map(\.escapingControls)
    }
}

extension Decimal {
    /// `129.99 TRY`
    func price(in currency: String) -> String {
        let amount = formatted(.number.precision(.fractionLength(2)).grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
        return "\(amount) \(currency)"
    }
}
