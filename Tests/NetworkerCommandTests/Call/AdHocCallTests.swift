import CoreAPI
import Foundation
import HTTPTypes
import Testing

@testable import networker

@Suite("A call from a command line")
struct AdHocCallTests {
    /// The request of an endpoint as the recorder saw it, with its report.
    private func report(_ endpoint: AdHocEndpoint, _ extras: CallReport.Extras = []) async throws -> CallReport {
        var channel = Channel(
            name: "TEST", environment: try ChannelRegistry.standard.entry("TY").place("production").make().environment,
            transport: FixtureTransport([
                Fixture(.get, "a", body: #"{"b":1}"#), Fixture(.post, "a", status: 201),
                Fixture(.get, "gone", status: 404, body: "<p>\u{1B}"),
            ]))
        let recorder = CallRecorder()
        channel.listeners = [recorder]
        let response = await CommonDispatcher(channel: channel).response(for: endpoint, as: .data)
        return CallReport(response: response, calls: recorder.takeFinished(), extras: extras)
    }

    @Test("puts values into the query of a GET")
    func query() async throws {
        let values = try ["q=ş", "q=b"].map { try NamedValue($0) }
        let report = try await report(AdHocEndpoint(method: .get, path: "a?x=1", values: values))
        #expect(report.sent?.request.url.target == "/a?x=1&q=%C5%9F&q=b")
        #expect(report.response.error == nil)
    }

    @Test("puts values into the JSON of a POST")
    func body() async throws {
        let report = try await report(AdHocEndpoint(method: .post, path: "a", values: [try NamedValue("q=b")]))
        guard case .bytes(let body)? = report.sent?.request.body else {
            Issue.record("there is no body")
            return
        }
        #expect(String(decoding: body, as: UTF8.self) == #"{"q":"b"}"#)
        #expect(report.sent?.request.headers[.contentType] == "application/json")
    }

    @Test("sends given data unchanged, with the type of a header")
    func data() async throws {
        let report = try await report(
            AdHocEndpoint(method: .post, path: "a", headers: ["content-type": "text/csv"], body: try CallBody("a,b")))
        guard case .bytes(let body)? = report.sent?.request.body else {
            Issue.record("there is no body")
            return
        }
        #expect(String(decoding: body, as: UTF8.self) == "a,b")
        #expect(report.sent?.request.headers[.contentType] == "text/csv")
    }

    @Test("shows a body in lines, and escapes the server's control characters")
    func text() async throws {
        #expect(try await report(AdHocEndpoint(method: .get, path: "a")).rendered().contains("{\n  \"b\": 1\n}"))
        let failed = try await report(AdHocEndpoint(method: .get, path: "gone"))
        #expect(failed.rendered().contains("<p>\\u{1B}"))
        #expect(failed.record.ok == false)
        #expect(failed.record.status == 404)
        #expect(failed.record.errorLabel == "verification.unacceptableStatus.404")
    }

    @Test("hides secrets in the cURL command unless they are requested")
    func cURL() async throws {
        let endpoint = AdHocEndpoint(method: .get, path: "a", headers: ["Authorization": "Bearer abcdefghijk"])
        #expect(try await report(endpoint).cURL == nil)
        let hidden = try await report(endpoint, .cURL)
        #expect(hidden.cURL?.contains("abcdefghijk") == false)
        #expect(hidden.rendered().contains("\ncurl "))
        #expect(try await report(endpoint, [.cURL, .secrets]).cURL?.contains("Bearer abcdefghijk") == true)
        #expect(try await report(endpoint, .heads).rendered().contains("abcdefghijk") == false)
    }
}
