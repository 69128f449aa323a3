import TestSupport

@Suite("The uploads of the page Bodies", .closing, .timeLimit(.minutes(1)))
struct UploadSamplesTests {
    private func temporary(_ data: Data = Data()) throws -> URL {
        let file = temporaryFile()
        try data.write(to: file)
        return file
    }

    @Test("an upload shows its progress and returns the response")
    func upload() async throws {
        let server = try LoopbackServer.test { .json(#"{"id":\#($0.bodyLength)}"#) }
        let file = try temporary(Data(count: 200_000))
        var shown = 0.0
        #expect(try await send(file, through: Channel.test(server).dispatcher) { shown = $0 }.id == 200_000)
        #expect(shown == 1)
    }

    @Test("a form has its text and its file")
    func form() async throws {
        let server = try LoopbackServer.test { .json(#"{"id":\#($0.bodyLength)}"#) }
        let file = try temporary(Data("JPEG".utf8))
        #expect(try await sell("Bag", with: file, through: Channel.test(server).dispatcher).id > 0)
        let request = try #require(server.requests.first)
        #expect(request.headers["content-type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(request.bodyText.contains("Bag") && request.bodyText.contains("JPEG"))
    }

    @Test("a report is compressed, limited in rate, and announced by Expect")
    func report() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let file = try temporary(Data(count: 200_000))
        try await send(report: file, through: Channel.test(server).dispatcher)
        let headers = try #require(server.requests.first).headers
        #expect(headers["Content-Encoding"] == "gzip" && headers["Expect"] == "100-continue")
    }

    @Test("an upload continues from its stored state")
    func continues() async throws {
        let server = try LoopbackServer.test { request in
            switch request.method {
            case "POST": .status(201, headers: ["Location": "/films/1"])
            case "HEAD": .status(204, headers: ["Upload-Offset": "3"])
            case _ where request.headers["Upload-Offset"] == "0": .status(400)
            default: .status(204, headers: ["Upload-Offset": "10"])
            }
        }
        let (film, store) = (try temporary(Data(count: 10)), try temporary())
        let dispatcher = Channel.test(server).dispatcher
        await #expect(throws: APIClientError.self) { try await send(film, through: dispatcher, keeping: store) }
        #expect(FileManager.default.fileExists(atPath: store.path))
        try await send(film, through: dispatcher, keeping: store)
        #expect(!FileManager.default.fileExists(atPath: store.path))
        #expect(server.requests.map(\.bodyLength) == [0, 10, 0, 7])
    }
}
