import DLNetworker
import TestSupport

@Suite("DL: large bodies")
struct DLBodyLimitTests {
    @Test("a body of more than a megabyte is rejected in the channel's envelope")
    func tooLarge() async throws {
        let endpoint = TypedEndpoint.post(
            "auth/token", body: ["refreshToken": String(repeating: "x", count: 3 << 20)] as Parameters)
        let error = await #expect(throws: APIClientError.self) {
            try await withSandbox(.dl.at(.sandbox)) { _ in
                try await DLNetworker<Never>().networkManager.request(endpoint)
            }
        }
        let failure = try #require(error?.app(DLError.self))
        #expect(failure.key == "body.too-large" && failure.httpStatus == 413)
    }
}
