import Foundation

/// A request, read to its end.
struct SandboxRequest: Sendable {
    let method: String
    /// Path and query, as sent.
    let target: String
    private let headers: [String: String]
    /// `nil` if it is longer than the sandbox reads.
    private let body: Data?
    /// The variable segments of the path, by the names in the route's pattern.
    var parameters: [String: String] = [:]

    /// - Parameters:
    ///   - headers: names in any case; of two headers with one name, the first counts.
    ///   - body: `nil` if it is longer than the sandbox reads.
    init(_ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: Data? = Data()) {
        self.method = method
        self.target = target
        self.headers = Dictionary(headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        self.body = body
    }

    /// The segments of the path, as sent.
    var segments: [Substring] { target.prefix { $0 != "?" }.split(separator: "/") }

    /// The value of a header, by its name in lower case; nil when it is absent or empty.
    func header(_ name: String) -> String? {
        guard let value = headers[name], !value.isEmpty else { return nil }
        return value
    }

    /// The first value of a query item, percent-decoded, with `+` as a space as in forms.
    func query(_ name: String) -> String? {
        let query = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first ?? ""
        for item in query.split(separator: "&") {
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

    /// - Throws: ``Mishap/bodyTooLarge``
    func wholeBody() throws(Mishap) -> Data {
        guard let body else { throw .bodyTooLarge }
        return body
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.replacing("+", with: " ")
        return String(spaced).removingPercentEncoding ?? String(spaced)
    }
}
