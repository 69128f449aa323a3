import Foundation
import HTTPTypes
import Hummingbird

extension Request {
    /// The value of a header; nil when it is absent or empty.
    func header(_ name: String) -> String? {
        guard let name = HTTPField.Name(name), let value = headers[name], !value.isEmpty else { return nil }
        return value
    }

    /// The first value of a query item, percent-decoded, with `+` read as a space as forms write it.
    func query(_ name: String) -> String? {
        for item in (uri.query ?? "").split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.first.map(Self.decoded) == name else { continue }
            return parts.count == 2 ? Self.decoded(parts[1]) : ""
        }
        return nil
    }

    /// A query item as a number within a range; the default when it is absent, no number, or outside.
    func query(_ name: String, in range: ClosedRange<Int>, default value: Int) -> Int {
        guard let number = query(name).flatMap({ Int($0) }), range.contains(number) else { return value }
        return number
    }

    /// The body, read to its end and kept in the request, so that the handler may read it again.
    mutating func wholeBody() async throws -> Data {
        // No request of the contract is near a megabyte; more than that is a mistake or a test of one.
        Data(try await collectBody(upTo: 1 << 20).readableBytesView)
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.replacing("+", with: " ")
        return String(spaced).removingPercentEncoding ?? String(spaced)
    }
}
