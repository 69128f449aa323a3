import CoreAPITransfers
import TestSupport

@Suite("A download in parts", .closing, .timeLimit(.minutes(1)))
struct RejectedPartsTests {
    private let folder = Folder()

    /// A server that rejects one of several requests, and then answers as it should.
    private func server(_ served: Served, rejecting rejection: ServerReply) throws -> LoopbackServer {
        let isRejected = Shared(false)
        return try LoopbackServer.test { request in
            guard request.headers["range"]?.hasPrefix("bytes=0-") == false else { return served.reply(request) }
            return isRejected.exchange(true) ? served.reply(request) : rejection
        }
    }

    @Test("waits as long as a server asks that rejects several requests at once", arguments: [429, 503], [0, 1])
    func waits(status: Int, seconds: Int) async throws {
        let served = Served(400_000)
        let server = try server(served, rejecting: .status(status, headers: seconds > 0 ? ["Retry-After": "\(seconds)"] : [:]))
        let started = ContinuousClock.now
        _ = try await folder.download(from: server, .init { $0.parts = 4 }).value
        #expect(ContinuousClock.now - started >= .seconds(seconds))
        #expect(try folder.exported == served.bytes)
    }

    @Test("never waits as long as a request may take in all: it fails at once, with the response")
    func beyondDeadline() async throws {
        let server = try server(Served(400_000), rejecting: .status(429, headers: ["Retry-After": "3600"]))
        let error = await folder.download(from: server, .init { $0.parts = 4 }).failure
        #expect(error?.label == "verification.unacceptableStatus.429")
    }

    @Test("never waits that long for a body that broke off, either, whatever a retry policy wants")
    func brokenBody() async throws {
        let served = Served(100_000) { $0.headers.append("Retry-After", "3600") }
        let server = try LoopbackServer.test { served.reply($0, sending: 40_000) }
        #expect(await folder.download(from: server, retries: true).failure?.label == "transport.truncated")
        #expect(server.requests.count == 1)
    }

    @Test(
        "makes one plain request after a 416 for a range that the file has",
        arguments: [
            ["ETag": #""one""#, "Content-Range": "bytes */400000"], ["ETag": #""one""#, "Content-Range": "bytes */*"],
            ["ETag": #""one""#, "Content-Range": "bytes */5"], ["ETag": #""one""#, "Content-Range": "bytes */400001"],
            ["ETag": #""one""#],
        ] as [HeaderLines])
    func unsatisfiable(headers: HeaderLines) async throws {
        let served = Served(400_000)
        let server = try LoopbackServer.test { request in
            guard request.headers["range"]?.hasPrefix("bytes=300000-") == true else { return served.reply(request) }
            return .status(416, headers: headers)
        }
        _ = try await folder.download(from: server, .init { $0.parts = 4 }).value
        #expect(try folder.exported == served.bytes)
        // The whole file, three parts at most, and the whole file again.
        #expect(server.requests.count { $0.headers["range"] == nil } == 2 && server.requests.count <= 5)
    }

    @Test(
        "makes one plain request after a part of another file",
        arguments: [(#""two""#, "bytes 300000-399999/400000"), (#""one""#, "bytes 300000-399999/500000")])
    func otherFile(tag: String, contentRange: String) async throws {
        let served = Served(400_000)
        let server = try LoopbackServer.test { request in
            guard request.headers["range"]?.hasPrefix("bytes=300000-") == true else { return served.reply(request) }
            return .status(206, body: served.bytes.suffix(100_000), headers: ["ETag": tag, "Content-Range": contentRange])
        }
        _ = try await folder.download(from: server, .init { $0.parts = 4 }).value
        #expect(try folder.exported == served.bytes)
        #expect(server.requests.count { $0.headers["range"] == nil } == 2 && server.requests.count <= 5)
    }

    @Test(
        "is made if the server announces ranges among other units, in one line or several",
        arguments: [["bytes, pages"], ["pages", "Bytes"], ["bytes", "bytes"]])
    func announced(units: [String]) async throws {
        let served = Served(400_000) { served in
            served.headers = [:]
            for unit in units { served.headers.append("Accept-Ranges", unit) }
        }
        let server = try served.server()
        _ = try await folder.download(from: server, .init { $0.parts = 4 }).value
        #expect(try folder.exported == served.bytes)
        #expect(server.requests.count >= 4)
    }

    @Test("is continued if the lines of a repeated validator are equal, and else begins anew", arguments: [true, false])
    func repeatedLines(areEqual: Bool) async throws {
        let served = Served(100_000) { $0.headers.append("ETag", areEqual ? #""one""# : #""two""#) }
        let server = try served.server(cut: 40_000)
        await folder.interrupt(server)
        #expect(try await folder.download(from: server).value.reused == (areEqual ? 40_000 : 0))
        #expect(try folder.exported == served.bytes)
    }
}
