import TestSupport

@Suite("Getting started", .timeLimit(.minutes(1)))
struct GettingStartedTests {

    @Test("the program prints its response, and its error")
    func program() async throws {
        let answer = FixtureTransport([Fixture(body: #"{"args": {"page": "1"}}"#)])
        let printed = await Printed.by { await withChannel(.echo, transport: answer) { await EchoProgram.main() } }
        #expect(printed == [#"["page": "1"]"#])
        let rejection = FixtureTransport([Fixture(status: 503)])
        let error = await Printed.by { await withChannel(.echo, transport: rejection) { await EchoProgram.main() } }
        #expect(error.count == 1)
        #expect(error.first?.contains("503") == true, "\(error)")
    }

    @Test("asks for one page")
    func page() async throws {
        let transport = FixtureTransport([Fixture(.get, "get?page=1", body: #"{"args": {"page": "1"}}"#)])
        try await withChannel(.echo, transport: transport) {
            let echo = try await EchoFeature().page(1)
            #expect(echo.args == ["page": "1"])
        }
    }

    @Test("reports a rejection with its status")
    func rejection() async throws {
        let transport = FixtureTransport([Fixture(.get, "get", status: 503)])
        await withChannel(.echo, transport: transport) {
            let error = await #expect(throws: APIClientError.self) { try await EchoFeature().page(1) }
            #expect(error?.label == "verification.unacceptableStatus.503")
        }
    }
}
