import Foundation
import HTTPTypes
import Hummingbird

extension Request {
    /// The value of a header; nil when it is absent or empty.
    func header(_ name: String) -> String? {
        guard let name = HTTPField.Name(name), let value = headers[name], !value.isEmpty else { return nil }
        return value
    }

    /// The first value of a query item, percent-decoded, with `+` as a space as in forms.
    func query(_ name: String) -> String? {
        for item in (uri.query ?? "").split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.first.map(Self.decoded) == name else { continue }
            return parts.count == 2 ? Self.decoded(parts[1]) : ""
        }
        return nil
    }

    /// A query item as a number within a range; the default if it is missing, not a number or out of range.
    func query(_ name: String, in range: ClosedRange<Int>, default value: Int) -> Int {
        guard let number = query(name).flatMap({ Int($0) }), range.contains(number) else { return value }
        return number
    }

    /// The whole body. It stays in the request, so that the handler can read it again.
    mutating func wholeBody() async throws -> Data {
        // Every valid request is far below a megabyte.
        Data(try await collectBody(upTo: 1 << 20).readableBytesView)
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.replacing("+", with: " ")
        return String(spaced).removingPercentEncoding ?? String(spaced)
    }
}
