import TestSupport

@testable import NetworkerCommand

@Suite("The report of a call")
struct CallReportTests {
    /// The request of an endpoint as the recorder saw it, with its report.
    private func report(_ endpoint: some Endpoint, _ extras: CallReport.Extras = []) async throws -> CallReport {
        var channel = Channel(
            name: "TEST", environment: try #require(ChannelRegistry.standard.entry("TY")).place("production").make().environment,
            transport: FixtureTransport([
                Fixture(.get, "a", body: #"{"b":1}"#), Fixture(.post, "a", status: 201),
                Fixture(.get, "gone", status: 404, body: "<p>\u{1B}"),
            ]))
        let recorder = CallRecorder()
        channel.listeners = [recorder]
        let response = await CommonDispatcher(channel: channel).response(for: endpoint, as: .data)
        return CallReport(response: response, calls: recorder.takeFinished(), extras: extras)
    }

    @Test("shows a body in lines, and escapes the server's control characters")
    func text() async throws {
        #expect(try await report(.get("a")).rendered().contains("{\n  \"b\": 1\n}"))
        let failed = try await report(.get("gone"))
        #expect(failed.rendered().contains("<p>\\u{1B}"))
        #expect(failed.record.ok == false)
        #expect(failed.record.status == 404)
        #expect(failed.record.errorLabel == "verification.unacceptableStatus.404")
    }

    @Test("hides secrets in the cURL command unless they are requested")
    func cURL() async throws {
        let endpoint = TypedEndpoint.get("a", headers: ["Authorization": "Bearer abcdefghijk"])
        #expect(try await report(endpoint).cURL == nil)
        let hidden = try await report(endpoint, .cURL)
        #expect(hidden.cURL?.contains("abcdefghijk") == false)
        #expect(hidden.rendered().contains("\ncurl "))
        #expect(try await report(endpoint, [.cURL, .secrets]).cURL?.contains("Bearer abcdefghijk") == true)
        #expect(try await report(endpoint, .heads).rendered().contains("abcdefghijk") == false)
    }
}
