internal import CoreAPI
package import Foundation

/// A short excerpt of a response, for people.
package struct DemoSample: Sendable, Hashable, Encodable {
    package let headline: String
    package let lines: [String]

    /// The largest number of lines of a list; ``headline`` states how many items there are.
    package static let length = 3

    package init(_ headline: String, _ lines: [String] = []) {
        self.headline = headline.escapingControls
        self.lines = lines.prefix(Self.length).map(\.escapingControls)
    }
}

/// The reason of a feature's failure.
package struct DemoFailure: Error, Sendable, Hashable, LocalizedError {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason.escapingControls
    }

    package var errorDescription: String? { reason }
}

extension Decimal {
    /// `129.99 TRY`
    package func price(in currency: String) -> String {
        let amount = formatted(.number.precision(.fractionLength(2)).grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
        return "\(amount) \(currency)"
    }
}
