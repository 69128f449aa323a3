import TestSupport

@testable import CoreAPITransfers

@Suite("A resumable upload to a hostile server", .closing, .timeLimit(.minutes(1)))
struct HostileServerTests {
    typealias Dialect = ResumableUpload.Dialect

    private static let data = Data.noise(200_000)

    private func response(
        _ server: ResumableServer, _ plan: ResumableUpload, attempts: Int = 3, _ change: (inout Channel) -> Void = { _ in }
    ) async -> Response<Void> {
        var plan = plan
        plan.attempts = attempts
        return await upload(.bytes(Self.data), to: server.url, plan, change).response
    }

    @Test("answers that acknowledge no byte end it after as many attempts as it may make", arguments: [Dialect.tus, .ietf])
    func noProgress(dialect: Dialect) async throws {
        let server = try ResumableServer(dialect)
        server.script("PATCH", 204, ["Upload-Offset": "0", "Upload-Complete": "?0"], times: 200)
        let response = await response(server, plan(dialect) { $0.pieceSize = 50_000 })
        #expect(response.error?.label == "transport.malformedResponse", "\(response.result)")
        #expect(server.count("PATCH") == 3)
    }

    @Test("a server that has all bytes, and always calls the upload incomplete, ends it after as many attempts as it may make")
    func neverComplete() async throws {
        let server = try ResumableServer(.ietf)
        let incomplete = ["Upload-Offset": "\(Self.data.count)", "Upload-Complete": "?0"]
        for method in ["PATCH", "HEAD"] { server.script(method, 204, incomplete, times: 200) }
        let response = await response(server, plan(.ietf))
        #expect(response.error?.label == "transport.malformedResponse", "\(response.result)")
        #expect(server.count("PATCH") == 4 && server.count("HEAD") == 2)
    }

    @Test(
        "an upload that is forgotten again and again, also after a piece, is begun as often as it may be tried",
        arguments: [(404, false), (410, false), (404, true)])
    func forgotten(status: Int, afterPiece: Bool) async throws {
        let server = try ResumableServer(.tus)
        let answers = (afterPiece ? [(204, ["Upload-Offset": "50000"])] : []) + [(status, [:])]
        server.script("PATCH", Array(repeating: answers, count: 100).flatMap(\.self))
        let response = await response(server, plan(.tus) { $0.pieceSize = 50_000 })
        #expect(response.head?.status.code == status)
        #expect(server.count("POST") == 3)
    }

    @Test("a conflict that never ends is a failure with its status")
    func conflicts() async throws {
        let server = try ResumableServer(.tus)
        server.script("PATCH", 409, times: 200)
        #expect(await response(server, plan(.tus)).head?.status.code == 409)
        #expect(server.count("PATCH") == 3)
    }

    @Test("redirects without an end are rejected", arguments: ["POST", "PATCH", "HEAD"])
    func redirects(method: String) async throws {
        let server = try ResumableServer(.tus)
        server.script(method, 308, ["Location": "/files/1"], times: 400)
        if method == "HEAD" { server.script("PATCH", 503, times: 100) }
        let response = await response(server, plan(.tus))
        #expect(response.error?.label == "transport.tooManyRedirects", "\(response.result)")
        #expect(server.requests.count < 60)
    }

    @Test("an upload that is complete before its last byte is no success", arguments: [Dialect.ietf, .ietfInterop3])
    func completeTooEarly(dialect: Dialect) async throws {
        let server = try ResumableServer(dialect)
        server.script("PATCH", 503)
        let (name, value) = dialect == .ietf ? ("Upload-Complete", "?1") : ("Upload-Incomplete", "?0")
        server.script("HEAD", 204, [name: value, "Upload-Offset": "0"])
        let response = await response(server, plan(dialect))
        #expect(response.error?.label == "transport.malformedResponse", "\(response.result)")
    }

    @Test(
        "a last response that says that bytes are missing is followed by them",
        arguments: [(0, ["Upload-Complete": "?0", "Upload-Offset": "0"]), (50, ["Upload-Offset": "50"])])
    func incompleteAtTheEnd(stored: Int, fields: [String: String]) async throws {
        let server = try ResumableServer(.ietf)
        server.script("POST", 201, ["Location": "/files/1"])
        server.script("PATCH", 200, fields)
        server.state.change { $0.uploads["/files/1"] = Self.data.prefix(stored) }
        let response = await response(server, plan(.ietf))
        #expect(response.error == nil, "\(response.result)")
        #expect(server.data == Self.data)
    }

    @Test(
        "a limit that makes no sense is no limit",
        arguments: [
            "max-append-size=0", "max-append-size=-1", "max-append-size", "max-append-size=99999999999999999999",
            "max-append-size=999999999999999999", "=", ",,;;", "max-append-size=\"1\"",
        ])
    func limits(text: String) async throws {
        let server = try ResumableServer(.ietf, limit: text)
        let response = await response(server, plan(.ietf))
        #expect(response.error == nil, "\(response.result)")
        #expect(server.data == Self.data && server.count("PATCH") == 1)
    }

    @Test("a redirect to another host takes the bytes there at most, never a secret", arguments: ["POST", "PATCH"])
    func otherHost(method: String) async throws {
        let other = try LoopbackServer.test { _ in .status(500) }
        let server = try ResumableServer(.tus)
        server.script(method, 308, ["Location": "\(other.url)/files/2"])
        let response = await response(server, plan(.tus), attempts: 1) {
            $0.modifiers += [Header("Authorization", "Bearer s3cret"), Header("Cookie", "session=s3cret")]
        }
        #expect(response.error != nil)
        #expect(server.requests.allSatisfy { $0.fields["authorization"] == "Bearer s3cret" })
        #expect(other.requests.allSatisfy { !String(decoding: $0.rawHead, as: UTF8.self).contains("s3cret") })
    }

    @Test("an upload whose creation ends at another host after a redirect does not send credentials there")
    func createdElsewhere() async throws {
        let other = try LoopbackServer.test { _ in .status(201, headers: ["Location": "/files/2"]) }
        let server = try ResumableServer(.tus)
        // Each creation, because a lost connection leads to another one.
        server.script("POST", 308, ["Location": "\(other.url)/files"], times: 50)
        let response = await response(server, plan(.tus)) { $0.modifiers += [Header("Authorization", "Bearer s3cret")] }
        #expect(response.error?.label == "transport.redirectRejected", "\(response.result)")
        #expect(server.requests.map(\.method) == ["POST"])
        #expect(other.requests.allSatisfy { !String(decoding: $0.rawHead, as: UTF8.self).contains("s3cret") })
    }

    @Test("an empty Location is none", arguments: ["", " ", nil])
    func emptyLocation(location: String?) async throws {
        let server = try ResumableServer(.tus, location: location ?? "")
        if location == nil { server.script("POST", 201) }
        let response = await response(server, plan(.tus))
        #expect(response.error?.label == "transport.malformedResponse")
        #expect("\(response.result)".contains("expected a Location for the upload"))
        #expect(server.requests.map(\.method) == ["POST"])
    }

    @Test(
        "a redirect that makes a request of the upload a GET ends it, and the error says so",
        arguments: [("POST", 301), ("POST", 302), ("POST", 303), ("PATCH", 303)])
    func becomesGET(method: String, status: Int) async throws {
        for target in [200, 404, 503] {
            let other = try LoopbackServer.test { _ in .status(target, headers: ["Location": "/files/1", "Upload-Offset": "0"]) }
            for dialect in [Dialect.tus, .ietf] {
                let server = try ResumableServer(dialect)
                server.script(method, status, ["Location": "\(other.url)/page"])
                let response = await response(server, plan(dialect) { $0.pieceSize = 50_000 })
                #expect("\(response.result)".contains("a redirect that made it a GET"), "\(response.result)")
                #expect(response.head?.status.code == target)
                #expect(server.requests.map(\.method) == (method == "POST" ? ["POST"] : ["POST", "PATCH"]))
            }
        }
    }

    @Test("a connection that is lost behind such a redirect is reported as lost", arguments: [Dialect.tus, .ietf])
    func lostBehindRedirect(dialect: Dialect) async throws {
        let other = try LoopbackServer.test { _ in [.reset] }
        let server = try ResumableServer(dialect)
        server.script("POST", 303, ["Location": "\(other.url)/page"])
        let response = await response(server, plan(dialect), attempts: 1)
        #expect(response.error?.label == "transport.connectionLost", "\(response.result)")
    }

    @Test("a user's name in the upload's address is not sent")
    func userInAddress() async throws {
        let server = try ResumableServer(.tus, location: "http://admin:s3cret@127.0.0.1/files/1")
        let response = await response(server, plan(.tus))
        #expect(response.error != nil)
        #expect(server.requests.count == 1)
        #expect(!"\(response.result)".contains("s3cret"))
    }

    @Test("it pauses as long as the server asks, whatever request it rejects", arguments: ["POST", "PATCH", "HEAD"], [429, 503])
    func asked(method: String, status: Int) async throws {
        let server = try ResumableServer(.tus)
        server.script(method, status, ["Retry-After": "1"])
        // Only after a failure the upload asks for the offset.
        if method == "HEAD" { server.script("PATCH", 423) }
        let started = ContinuousClock.now
        try await upload(.bytes(Self.data), to: server.url, plan(.tus)).value
        #expect(ContinuousClock.now - started >= .seconds(1))
        #expect(server.data == Self.data)
    }

    @Test("it pauses as long as the longest of several lines asks, in seconds or as a date")
    func severalValues() async throws {
        let server = try ResumableServer(.ietf)
        server.script("PATCH", 503, ["Retry-After": "1, Sun, 06 Nov 1994 08:49:37 GMT"])
        let started = ContinuousClock.now
        try await upload(.bytes(Self.data), to: server.url, plan(.ietf)).value
        #expect(ContinuousClock.now - started >= .seconds(1))
    }

    @Test("it never pauses as long as a request may take in all: it fails at once, with the response")
    func beyondDeadline() async throws {
        let server = try ResumableServer(.tus)
        server.script("PATCH", 429, ["Retry-After": "3600"])
        let response = await response(server, plan(.tus)) { $0.modifiers = [Timeout(total: .seconds(600))] }
        #expect(response.error?.label == "verification.unacceptableStatus.429", "\(response.result)")
        #expect(server.requests.map(\.method) == ["POST", "PATCH"])
    }
}
