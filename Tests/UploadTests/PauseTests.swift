import CoreAPITransfers
import TestSupport

@Suite("A resumable upload pauses", .closing, .timeLimit(.minutes(1)))
struct PauseTests {
    private static let data = Data.noise(10_000)

    private func plan(_ dialect: ResumableUpload.Dialect) -> ResumableUpload {
        var plan = ResumableUpload(dialect)
        plan.pause = .milliseconds(1)
        return plan
    }

    @Test("as long as the server asks, whatever request it rejects", arguments: ["POST", "PATCH", "HEAD"], [429, 503])
    func asked(method: String, status: Int) async throws {
        let server = try ResumableServer(.tus)
        server.script(method, [(status, ["Retry-After": "1"])])
        // Only after a failure the upload asks for the offset.
        if method == "HEAD" { server.script("PATCH", [(423, [:])]) }
        let channel = Channel.test(server.url)
        let started = ContinuousClock.now
        try await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan(.tus)).value
        #expect(ContinuousClock.now - started >= .seconds(1))
        #expect(server.data == Self.data)
    }

    @Test("as long as the longest of several lines asks, in seconds or as a date")
    func severalValues() async throws {
        let server = try ResumableServer(.ietf)
        server.script("PATCH", [(503, ["Retry-After": "1, Sun, 06 Nov 1994 08:49:37 GMT"])])
        let channel = Channel.test(server.url)
        let started = ContinuousClock.now
        try await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan(.ietf)).value
        #expect(ContinuousClock.now - started >= .seconds(1))
    }

    @Test("never as long as a request may take in all: it fails at once, with the response")
    func beyondDeadline() async throws {
        let server = try ResumableServer(.tus)
        server.script("PATCH", [(429, ["Retry-After": "3600"])])
        let channel = Channel.test(server.url) { $0.modifiers = [Timeout(total: .seconds(600))] }
        let response = await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan(.tus)).response
        #expect(response.error?.label == "verification.unacceptableStatus.429", "\(response.result)")
        #expect(server.requests.map(\.method) == ["POST", "PATCH"])
    }
}
