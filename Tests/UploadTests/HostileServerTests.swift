import TestSupport

@testable import CoreAPITransfers

@Suite("A resumable upload to a hostile server", .closing, .timeLimit(.minutes(1)))
struct HostileServerTests {
    typealias Dialect = ResumableUpload.Dialect

    private static let data = Data.noise(200_000)

    private func plan(_ dialect: Dialect, _ change: (inout ResumableUpload) -> Void = { _ in }) -> ResumableUpload {
        var plan = ResumableUpload(dialect)
        plan.pause = .milliseconds(1)
        plan.attempts = 3
        change(&plan)
        return plan
    }

    /// The response of an upload, within the bounds of a test.
    private func response(
        _ server: ResumableServer, _ plan: ResumableUpload, _ change: (inout Channel) -> Void = { _ in }
    ) async -> Response<Void> {
        let channel = Channel.test(server.url, change)
        let response = await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan).response
        await channel.close()
        return response
    }

    private func count(_ method: String, _ server: ResumableServer) -> Int {
        server.requests.filter { $0.method == method }.count
    }

    // MARK: - Loops

    @Test("answers that acknowledge no byte end it after as many attempts as it may make", arguments: [Dialect.tus, .ietf])
    func noProgress(dialect: Dialect) async throws {
        let server = try ResumableServer(dialect)
        server.script("PATCH", Array(repeating: (204, ["Upload-Offset": "0", "Upload-Complete": "?0"]), count: 200))
        let response = await response(server, plan(dialect) { $0.pieceSize = 50_000 })
        #expect(response.error?.label == "transport.malformedResponse", "\(response.result)")
        #expect(count("PATCH", server) == 3)
    }

    @Test("a server that has all bytes, and always calls the upload incomplete, ends it after as many attempts as it may make")
    func neverComplete() async throws {
        let server = try ResumableServer(.ietf)
        let incomplete = (204, ["Upload-Offset": "\(Self.data.count)", "Upload-Complete": "?0"])
        for method in ["PATCH", "HEAD"] { server.script(method, Array(repeating: incomplete, count: 200)) }
        let response = await response(server, plan(.ietf))
        #expect(response.error?.label == "transport.malformedResponse", "\(response.result)")
        #expect(count("PATCH", server) == 4 && count("HEAD", server) == 2)
    }

    @Test("an upload that is forgotten again and again is begun as often as it may be tried", arguments: [404, 410])
    func forgottenAlways(status: Int) async throws {
        let server = try ResumableServer(.tus)
        server.script("PATCH", Array(repeating: (status, [:]), count: 200))
        let response = await response(server, plan(.tus))
        #expect(response.head?.status.code == status)
        #expect(count("POST", server) == 3)
    }

    @Test("an upload that is forgotten after each piece is begun as often as it may be tried")
    func forgottenAfterProgress() async throws {
        let server = try ResumableServer(.tus)
        let accepted = (204, ["Upload-Offset": "50000"])
        server.script("PATCH", Array(repeating: [accepted, (404, [:])], count: 100).flatMap(\.self))
        let response = await response(server, plan(.tus) { $0.pieceSize = 50_000 })
        #expect(response.head?.status == .notFound)
        #expect(count("POST", server) == 3)
    }

    @Test("a conflict that never ends is a failure with its status")
    func conflicts() async throws {
        let server = try ResumableServer(.tus)
        server.script("PATCH", Array(repeating: (409, [:]), count: 200))
        let response = await response(server, plan(.tus))
        #expect(response.head?.status.code == 409)
        #expect(count("PATCH", server) == 3)
    }

    @Test("redirects without an end are rejected", arguments: ["POST", "PATCH", "HEAD"])
    func redirects(method: String) async throws {
        let server = try ResumableServer(.tus)
        server.script(method, Array(repeating: (308, ["Location": "/files/1"]), count: 400))
        if method == "HEAD" { server.script("PATCH", Array(repeating: (503, [:]), count: 100)) }
        let response = await response(server, plan(.tus))
        #expect(response.error?.label == "transport.tooManyRedirects", "\(response.result)")
        #expect(server.requests.count < 60)
    }

    // MARK: - Lies

    @Test("an upload that is complete before its last byte is no success", arguments: [Dialect.ietf, .ietfInterop3])
    func completeTooEarly(dialect: Dialect) async throws {
        let server = try ResumableServer(dialect)
        server.script("PATCH", [(503, [:])])
        let complete = dialect == .ietf ? ["Upload-Complete": "?1"] : ["Upload-Incomplete": "?0"]
        server.script("HEAD", [(204, complete.merging(["Upload-Offset": "0"]) { $1 })])
        let response = await response(server, plan(dialect))
        #expect(response.error?.label == "transport.malformedResponse", "\(response.result)")
    }

    @Test("a last response that says that bytes are missing is followed by them")
    func incompleteAtTheEnd() async throws {
        let server = try ResumableServer(.ietf)
        server.script("PATCH", [(200, ["Upload-Complete": "?0", "Upload-Offset": "0"])])
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
        #expect(server.data == Self.data && count("PATCH", server) == 1)
    }

    // MARK: - Secrets

    @Test("a redirect to another host takes the bytes there at most, never a secret", arguments: ["POST", "PATCH"])
    func otherHost(method: String) async throws {
        let other = try LoopbackServer.test { _ in .status(500) }
        let server = try ResumableServer(.tus)
        server.script(method, [(308, ["Location": "\(other.url)/files/2"])])
        let response = await response(server, plan(.tus) { $0.attempts = 1 }) {
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
        server.script("POST", Array(repeating: (308, ["Location": "\(other.url)/files"]), count: 50))
        let response = await response(server, plan(.tus)) { $0.modifiers += [Header("Authorization", "Bearer s3cret")] }
        #expect(response.error?.label == "transport.redirectRejected", "\(response.result)")
        #expect(server.requests.map(\.method) == ["POST"])
        #expect(other.requests.allSatisfy { !String(decoding: $0.rawHead, as: UTF8.self).contains("s3cret") })
    }

    @Test("an empty Location is none", arguments: ["", " "])
    func emptyLocation(location: String) async throws {
        let server = try ResumableServer(.tus, location: location)
        let response = await response(server, plan(.tus))
        #expect("\(response.result)".contains("expected a Location for the upload"))
        #expect(server.requests.map(\.method) == ["POST"])
    }

    @Test(
        "a redirect that makes a request of the upload a GET ends it, and the error says so",
        arguments: [
            ("POST", 301), ("POST", 302), ("POST", 303), ("PATCH", 303),
        ])
    func becomesGET(method: String, status: Int) async throws {
        for target in [200, 404, 503] {
            let other = try LoopbackServer.start { _ in .status(target, headers: ["Location": "/files/1", "Upload-Offset": "0"]) }
            defer { other.close() }
            for dialect in [Dialect.tus, .ietf] {
                let server = try ResumableServer(dialect)
                server.script(method, [(status, ["Location": "\(other.url)/page"])])
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
        server.script("POST", [(303, ["Location": "\(other.url)/page"])])
        let response = await response(server, plan(dialect) { $0.attempts = 1 })
        #expect(response.error?.label == "transport.connectionLost", "\(response.result)")
    }

    @Test("a user's name in the upload's address is not sent")
    func userInAddress() async throws {
        let state = Shared("")
        let server = try ResumableServer(.tus, location: "http://admin:s3cret@127.0.0.1/files/1")
        state.change { $0 = server.url }
        let response = await response(server, plan(.tus))
        #expect(response.error != nil)
        #expect(server.requests.count == 1)
        #expect(!"\(response.result)".contains("s3cret"))
    }
}
