import Foundation
import Testing

@testable import NetworkerKitSandbox

@Suite("A signed request") struct SignatureTests {
    private static let date = "2026-03-14T09:30:00Z"
    private static let path = "/ml/restaurants?lat=41.04&lon=29.00&radius=1500"
    // Computed with Python's hmac module, so that it is independent of the code under test.
    private static let right = "43V6UjSPyR1mKAuZu49OGCoqnK909xfWLj0HXJjXKKU="

    /// The code of the failure; nil if the request is accepted.
    private func fault(
        of headers: [String: String], after seconds: TimeInterval = 0, path: String = Self.path
    ) throws -> Int? {
        let request = SandboxRequest("GET", path, headers: headers.map { ($0.key, $0.value) })
        let signed = try Date(Self.date, strategy: .iso8601)
        do {
            try MLSignature(now: { signed.addingTimeInterval(seconds) }).check(request)
            return nil
        } catch let failure as MLFailure { return failure.body.fault.code }
    }

    private var headers: [String: String] {
        ["x-ml-key-id": "ml-sandbox", "x-ml-date": Self.date, "x-ml-signature": Self.right]
    }

    @Test("is accepted with a correct signature, up to five minutes from its date")
    func right() throws {
        #expect(try fault(of: headers) == nil)
        #expect(try fault(of: headers, after: 300) == nil)
        #expect(try fault(of: headers, after: -300) == nil)
    }

    @Test("is too old, or too early, after that")
    func skew() throws {
        #expect(try fault(of: headers, after: 301) == 1402)
        #expect(try fault(of: headers, after: -301) == 1402)
    }

    @Test("needs all three headers", arguments: ["x-ml-key-id", "x-ml-date", "x-ml-signature"])
    func missing(name: String) throws { #expect(try fault(of: headers.filter { $0.key != name }) == 1400) }

    @Test("is valid for its own path and query only")
    func otherPath() throws { #expect(try fault(of: headers, path: Self.path.replacing("1500", with: "1501")) == 1401) }

    @Test("is valid for its own date only, however old that date is")
    func otherDate() throws { #expect(try fault(of: headers.merging(["x-ml-date": "2026-03-14T09:31:00Z"]) { $1 }) == 1401) }
}
