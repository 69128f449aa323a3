import CoreAPIURLSession
import TestSupport

@testable import CoreAPITransfers

@Suite("A download of a file with a content coding", .closing, .timeLimit(.minutes(1)))
struct StoredCodingTests {
    private let folder = Folder()
    private static let text = Served(40_000).bytes.base64EncodedData()

    /// The text as a server has stored it: in gzip.
    private func archive() throws -> Served {
        let bytes = try #require(GzipCompressor()).compress(Self.text, isLast: true)
        return Served(0) { ($0.bytes, $0.headers) = (bytes, ["Accept-Ranges": "bytes", "Content-Encoding": "gzip"]) }
    }

    @Test(
        "is the stored bytes, whatever the server calls their coding",
        arguments: ["gzip", "x-gzip", "deflate", "br", "zstd", "gzip, br", "identity, gzip", "wild", "GZIP"], [1, 4])
    func stored(coding: String, parts: Int) async throws {
        let served = Served(300_000) {
            $0.headers.append("Content-Encoding", coding)
            $0.namesDigest = true
        }
        let server = try served.server()
        let file = try await folder.download(from: server, .init { $0.parts = parts }).value
        #expect(try folder.exported == served.bytes)
        #expect(file.head.headers[.contentEncoding] == coding)
        #expect(file.digests.map(\.description) == [served.digest])
        #expect(server.requests.count >= parts && server.requests.allSatisfy { $0.headers["accept-encoding"] == "identity" })
    }

    /// RFC 9110 §15.3.7: a 206 need not repeat the coding.
    @Test("is continued with the stored bytes, whether a part names the coding or not", arguments: [true, false])
    func continued(namesCoding: Bool) async throws {
        let served = try archive()
        let server = try LoopbackServer.test { request in
            guard request.headers["range"] != nil else { return served.reply(request, sending: 1_000) }
            var served = served
            if !namesCoding { served.headers = ["Accept-Ranges": "bytes"] }
            return served.reply(request)
        }
        #expect(await folder.interrupt(server)?.untranslated.transport != nil)
        #expect(try await folder.download(from: server).value.reused == 1_000)
        #expect(try folder.exported == served.bytes)
        #expect(server.ranges == [nil, "bytes=1000-"])
    }

    @Test("begins anew if a part has another coding")
    func otherCoding() async throws {
        let plain = Served(100_000)
        let isCut = Shared(false)
        let server = try LoopbackServer.test { request in
            var served = plain
            if request.headers["range"] != nil { served.headers.append("Content-Encoding", "gzip") }
            return served.reply(request, sending: isCut.exchange(true) ? nil : 40_000)
        }
        #expect(await folder.interrupt(server)?.untranslated.transport != nil)
        #expect(try await folder.download(from: server).value.reused == 0)
        #expect(try folder.exported == plain.bytes)
    }

    @Test("is decoded on request, and begins anew after an interruption", arguments: [1, 4])
    func decoded(parts: Int) async throws {
        var served = try archive()
        served.namesDigest = true
        let server = try served.server(cut: 1_000)
        let options = DownloadOptions { ($0.decodes, $0.parts) = (true, parts) }
        #expect(await folder.interrupt(server, options)?.untranslated.transport != nil)
        #expect(try folder.names == [])
        let file = try await folder.download(from: server, options).value
        #expect(try folder.exported == Self.text)
        #expect(file.reused == 0 && file.length == Int64(Self.text.count))
        #expect(server.ranges == [nil, nil])
        #expect(server.requests.allSatisfy { $0.headers["accept-encoding"]?.contains("gzip") == true })
    }

    @Test("is never decoded behind bytes that another download has stored")
    func decodedLater() async throws {
        let server = try archive().server(cut: 1_000)
        #expect(await folder.interrupt(server)?.untranslated.transport != nil)
        #expect(try folder.names.count == 2)
        _ = try await folder.download(from: server, .init { $0.decodes = true }).value
        #expect(try folder.exported == Self.text)
        #expect(try folder.names == ["export.bin"])
    }

    @Test("is rejected if it should be decoded, and the transport does not know the coding")
    func unknown() async throws {
        let served = Served(1_000) { $0.headers.append("Content-Encoding", "wild") }
        let error = await folder.download(from: try served.server(), .init { $0.decodes = true }).failure
        #expect(error?.label == "transport.malformedResponse")
        #expect(try folder.names == [])
    }

    @Test("over URLSession is decoded, begins anew after each interruption, and warns", arguments: [1, 4])
    func overURLSession(parts: Int) async throws {
        var served = try archive()
        served.namesDigest = true
        let server = try served.server(cut: 1_000, 2_000)
        let warnings = Shared(0)
        let channel = Channel.loopback(server) {
            $0.transport = URLSessionTransport()
            $0.logger = FunctionLogger { event in
                if case .warning(_, let text) = event, text.contains("decodes the body") { _ = warnings.next() }
            }
        }
        let options = DownloadOptions { $0.parts = parts }
        for _ in 0..<2 {
            #expect(await folder.interrupt(channel, options)?.untranslated.transport != nil)
            #expect(try folder.names == [])
        }
        let file = try await channel.manager.download(.export, to: folder.export, options).value
        #expect(try folder.exported == Self.text)
        #expect(file.reused == 0 && file.length == Int64(Self.text.count))
        #expect(server.ranges == [nil, nil, nil])
        #expect(warnings.current == 3)
    }

    @Test("over URLSession begins anew within a call, too, and has no total")
    func retriedOverURLSession() async throws {
        let server = try archive().server(cut: 1_000)
        let channel = Channel.loopback(server, retries: true) { $0.transport = URLSessionTransport() }
        let download = channel.manager.download(.export, to: folder.export)
        for await progress in download.progress where progress.total != nil {
            #expect(progress.total == Int64(Self.text.count) && progress.completed == progress.total)
        }
        _ = try await download.value
        #expect(try folder.exported == Self.text)
        #expect(server.ranges == [nil, nil])
    }

    @Test("over URLSession never continues stored bytes with decoded ones")
    func otherTransport() async throws {
        let server = try archive().server(cut: 1_000)
        #expect(await folder.interrupt(server)?.untranslated.transport != nil)
        let other = Channel.loopback(server) { $0.transport = URLSessionTransport() }
        #expect(try await other.manager.download(.export, to: folder.export).value.reused == 0)
        #expect(try folder.exported == Self.text)
        #expect(server.ranges == [nil, "bytes=1000-", nil])
    }

    @Test("over URLSession without a coding is continued, `identity` included", arguments: [nil, "identity"] as [String?])
    func plainOverURLSession(coding: String?) async throws {
        let served = Served(100_000) { if let coding { $0.headers.append("Content-Encoding", coding) } }
        let server = try served.server(cut: 40_000)
        let channel = Channel.loopback(server) { $0.transport = URLSessionTransport() }
        #expect(await folder.interrupt(channel)?.untranslated.transport != nil)
        #expect(try await channel.manager.download(.export, to: folder.export).value.reused > 0)
        #expect(try folder.exported == served.bytes)
    }
}
