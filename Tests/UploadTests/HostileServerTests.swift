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

    private static let nothing = ["Upload-Offset": "0", "Upload-Complete": "?0"]
    private static let all = ["Upload-Offset": "\(data.count)", "Upload-Complete": "?0"]

    /// What a server answers without an end, the size of a piece, the status of the last response (without one it is malformed),
    /// and how many requests there are.
    private static let endless: [(Dialect, [String: [(Int, [String: String])]], Int?, Int?, [String: Int])] = [
        // Acknowledges no byte.
        (.tus, ["PATCH": [(204, nothing)]], 50_000, nil, ["PATCH": 3]),
        (.ietf, ["PATCH": [(204, nothing)]], 50_000, nil, ["PATCH": 3]),
        // Has all bytes, and calls the upload incomplete.
        (.ietf, ["PATCH": [(204, all)], "HEAD": [(204, all)]], nil, nil, ["PATCH": 4, "HEAD": 2]),
        // Has forgotten the upload, also after a piece.
        (.tus, ["PATCH": [(404, [:])]], 50_000, 404, ["POST": 3]), (.tus, ["PATCH": [(410, [:])]], 50_000, 410, ["POST": 3]),
        (.tus, ["PATCH": [(204, ["Upload-Offset": "50000"]), (404, [:])]], 50_000, 404, ["POST": 3]),
        (.tus, ["PATCH": [(409, [:])]], nil, 409, ["PATCH": 3]),
    ]

    @Test("answers that never let it come to its end are followed as often as it may be tried", arguments: endless.indices)
    func withoutEnd(index: Int) async throws {
        let (dialect, script, pieceSize, status, counts) = Self.endless[index]
        let server = try ResumableServer(dialect)
        for (method, answers) in script { server.script(method, Array(repeating: answers, count: 200).flatMap(\.self)) }
        let response = await response(server, plan(dialect) { $0.pieceSize = pieceSize })
        if let status {
            #expect(response.head?.status.code == status, "\(response.result)")
        } else {
            #expect(response.error?.label == "transport.malformedResponse", "\(response.result)")
        }
        for (method, count) in counts { #expect(server.count(method) == count) }
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

    @Test(
        "it pauses as long as the server asks, in the longest of several lines, whatever request it rejects",
        arguments: ["POST", "PATCH", "HEAD"], [(429, "1"), (503, "1"), (503, "1, Sun, 06 Nov 1994 08:49:37 GMT")])
    func asked(method: String, answer: (status: Int, pause: String)) async throws {
        let server = try ResumableServer(.tus)
        server.script(method, answer.status, ["Retry-After": answer.pause])
        // Only after a failure the upload asks for the offset.
        if method == "HEAD" { server.script("PATCH", 423) }
        let started = ContinuousClock.now
        try await upload(.bytes(Self.data), to: server.url, plan(.tus)).value
        #expect(ContinuousClock.now - started >= .seconds(1))
        #expect(server.data == Self.data)
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
