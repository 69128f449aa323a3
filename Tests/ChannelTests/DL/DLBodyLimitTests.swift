import DLNetworker
import TestSupport

@Suite("DL: large bodies")
struct DLBodyLimitTests {
    @Test("a body of more than a megabyte is rejected in the channel's envelope")
    func tooLarge() async throws {
        let body: Parameters = ["refreshToken": String(repeating: "x", count: 3 << 20)]
        let failure = try await rejection(DLError.self, on: .dl.at(.sandbox)) {
            try await DLNetworker<Never>().networkManager.request(.post("auth/token", body: body))
        }
        #expect(failure.key == "body.too-large" && failure.httpStatus == 413)
    }
}
