import CoreAPITransfers
import TestSupport

@Suite("A download in parts", .closing, .timeLimit(.minutes(1)))
struct RejectedPartsTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    /// A server that rejects one of several requests, and then answers as it should.
    private func server(_ served: Served, rejecting rejection: ServerReply) throws -> LoopbackServer {
        let isRejected = Mutex(false)
        return try LoopbackServer.test { request in
            guard request.headers["range"]?.hasPrefix("bytes=0-") == false else { return served.reply(request) }
            let isFirst = isRejected.withLock { isRejected in
                defer { isRejected = true }
                return !isRejected
            }
            return isFirst ? rejection : served.reply(request)
        }
    }

    @Test("waits as long as a server asks that rejects several requests at once", arguments: [429, 503])
    func waits(status: Int) async throws {
        let served = Served(400_000)
        let server = try server(served, rejecting: .status(status, headers: ["Retry-After": "1"]))
        let channel = Channel.loopback(server)
        let started = ContinuousClock.now
        _ = try await channel.manager.download(.export, to: folder.export, .init { $0.parts = 4 }).value
        #expect(ContinuousClock.now - started >= .seconds(1))
        #expect(try Data(contentsOf: folder.export) == served.bytes)
    }

    @Test("never waits as long as a request may take in all: it fails at once, with the response")
    func beyondDeadline() async throws {
        let served = Served(400_000)
        let server = try server(served, rejecting: .status(429, headers: ["Retry-After": "3600"]))
        let channel = Channel.loopback(server)
        let error = await #expect(throws: APIClientError.self) {
            try await channel.manager.download(.export, to: folder.export, .init { $0.parts = 4 }).value
        }
        #expect(error?.label == "verification.unacceptableStatus.429")
    }

    @Test("never waits that long for a body that broke off, either, whatever a retry policy wants")
    func brokenBody() async throws {
        var served = Served(100_000)
        served.headers.append("Retry-After", "3600")
        let server = try LoopbackServer.test { [served] in served.reply($0, sending: 40_000) }
        let channel = Channel.loopback(server, retries: true)
        let error = await #expect(throws: APIClientError.self) {
            try await channel.manager.download(.export, to: folder.export).value
        }
        #expect(error?.label == "transport.truncated")
        #expect(server.requests.count == 1)
    }

    @Test(
        "makes one plain request after a 416 for a range that the file has",
        arguments: ["bytes */400000", "bytes */*", nil] as [String?])
    func unsatisfiable(contentRange: String?) async throws {
        let served = Served(400_000)
        let server = try LoopbackServer.test { request in
            guard request.headers["range"]?.hasPrefix("bytes=300000-") == true else { return served.reply(request) }
            var headers: HeaderLines = ["ETag": #""one""#]
            if let contentRange { headers.append("Content-Range", contentRange) }
            return .status(416, headers: headers)
        }
        let channel = Channel.loopback(server)
        _ = try await channel.manager.download(.export, to: folder.export, .init { $0.parts = 4 }).value
        #expect(try Data(contentsOf: folder.export) == served.bytes)
        // The whole file, three parts at most, and the whole file again.
        #expect(server.requests.count { $0.headers["range"] == nil } == 2)
        #expect(server.requests.count <= 5)
    }

    @Test(
        "is made if the server announces ranges among other units, in one line or several",
        arguments: [["bytes, pages"], ["pages", "Bytes"], ["bytes", "bytes"]])
    func announced(units: [String]) async throws {
        var served = Served(400_000)
        served.headers = [:]
        for unit in units { served.headers.append("Accept-Ranges", unit) }
        let server = try LoopbackServer.test { [served] in served.reply($0) }
        let channel = Channel.loopback(server)
        _ = try await channel.manager.download(.export, to: folder.export, .init { $0.parts = 4 }).value
        #expect(try Data(contentsOf: folder.export) == served.bytes)
        #expect(server.requests.count >= 4)
    }

    @Test(
        "is continued if the server repeats the lines of its validator, and begins anew if they differ", arguments: [true, false])
    func repeatedLines(areEqual: Bool) async throws {
        var served = Served(100_000)
        served.headers.append("ETag", areEqual ? #""one""# : #""two""#)
        let isCut = Mutex(false)
        let server = try LoopbackServer.test { [served] request in
            let isFirst = isCut.withLock { isCut in
                defer { isCut = true }
                return !isCut
            }
            return served.reply(request, sending: isFirst ? 40_000 : nil)
        }
        let channel = Channel.loopback(server)
        await #expect(throws: APIClientError.self) { try await channel.manager.download(.export, to: folder.export).value }
        let file = try await channel.manager.download(.export, to: folder.export).value
        #expect(file.reused == (areEqual ? 40_000 : 0))
        #expect(try Data(contentsOf: folder.export) == served.bytes)
    }
}
