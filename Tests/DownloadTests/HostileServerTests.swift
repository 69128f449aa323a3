import TestSupport

@testable import CoreAPITransfers

@Suite("A download from a hostile server, or to a hostile place", .closing, .timeLimit(.minutes(1)))
struct HostileServerTests {
    private let folder = Folder()

    @Test("A file with the part's name that is not the kit's stays, whatever the server answers", arguments: [true, false])
    func foreignPart(resumes: Bool) async throws {
        let server = try LoopbackServer.test { _ in .ok("new") }
        let notes = Data("my own notes".utf8)
        try notes.write(to: folder.part)
        let error = await folder.download(from: server, .init { $0.resumes = resumes }).failure
        #expect(error?.writeCode == EEXIST && "\(error as Any)".contains(folder.part.path))
        #expect(try Data(contentsOf: folder.part) == notes && server.requests.isEmpty)
    }

    @Test("A part that a killed program left is the kit's, even if no download can continue it")
    func leftPart() async throws {
        let server = try LoopbackServer.start { _ in .stallInBody(sent: Data("abcde".utf8)) }
        let download = folder.download(from: server)
        for await progress in download.progress where progress.completed == 5 { break }
        // What is on the disk now would be there after a kill.
        let left = try Data(contentsOf: folder.part)
        let mark = try Data(contentsOf: folder.sidecar)
        download.cancel()
        _ = await download.failure
        server.close()
        try left.write(to: folder.part)
        try mark.write(to: folder.sidecar)
        _ = try await folder.download(from: .test { _ in .ok("whole") }).value
        #expect(try folder.exported == Data("whole".utf8) && folder.names == ["export.bin"])
    }

    @Test("an address that is no local file's is rejected: nothing is requested or written", arguments: [true, false])
    func noFile(isWeb: Bool) async throws {
        let server = try LoopbackServer.test { _ in .ok("data") }
        let path = folder.file("stray").path
        let url = try #require(URL(string: isWeb ? "https://example.com\(path)" : "file://files.example\(path)"))
        let error = await Channel.loopback(server).manager.download(.export, to: url).failure
        #expect(error?.writeCode != nil, "\(error as Any)")
        #expect(server.requests.isEmpty)
        #expect(try folder.names.isEmpty)
        #expect(throws: DownloadError.self) { try Download.discardPart(of: url) }
    }

    @Test("a link in place of the file is replaced, and what it names stays", arguments: [true, false])
    func link(dangles: Bool) async throws {
        let served = Served(10_000)
        let server = try served.server()
        let other = folder.file("other")
        if !dangles { try Data("mine".utf8).write(to: other) }
        try FileManager.default.createSymbolicLink(atPath: folder.export.path, withDestinationPath: other.path)
        _ = try await folder.download(from: server).value
        #expect(try folder.exported == served.bytes)
        #expect((try? Data(contentsOf: other)) == (dangles ? nil : Data("mine".utf8)))
        #expect(try folder.names == (dangles ? ["export.bin"] : ["export.bin", "other"]))
    }

    @Test("a link in place of the sidecar's draft is not followed")
    func draft() async throws {
        let served = Served(100_000)
        let server = try LoopbackServer.test { served.reply($0, sending: 40_000) }
        let other = folder.file("other")
        try Data("mine".utf8).write(to: other)
        let draft = "\(folder.sidecar.path).new"
        try FileManager.default.createSymbolicLink(atPath: draft, withDestinationPath: other.path)
        #expect(await folder.download(from: server).failure != nil)
        #expect(try Data(contentsOf: other) == Data("mine".utf8))
        #expect(try folder.names == ["export.bin.part", "export.bin.part.json", "other"])
    }

    @Test("a part that another process removes or replaces meanwhile never becomes the file", arguments: [false, true])
    func replaced(byAnother: Bool) async throws {
        let (served, gate) = (Served(100_000), try Gate())
        let server = try LoopbackServer.test { served.reply($0).halting(after: 50_000, until: gate) }
        let download = folder.download(from: server)
        for await update in download.progress where update.completed == 50_000 { break }
        try FileManager.default.removeItem(at: folder.part)
        if byAnother { try Data("evil".utf8).write(to: folder.part) }
        gate.open()
        let error = await download.failure
        #expect(error?.writeCode != nil, "\(error as Any)")
        #expect(try folder.names == (byAnother ? ["export.bin.part"] : []))
        if byAnother { #expect(try Data(contentsOf: folder.part) == Data("evil".utf8)) }
    }

    @Test(
        "numbers that no file has give a typed error or the right file, and no file of that size",
        arguments: ["9223372036854775807", "100000000000000000", "99999999999999999999", "-1", "1e3", "0x10"], [1, 4])
    func lengths(text: String, parts: Int) async throws {
        let server = try LoopbackServer.test { request in
            let start = request.headers["range"]?.firstMatch(of: /^bytes=(\d+)-/)?.output.1
            var fields: HeaderLines = ["Accept-Ranges": "bytes", "ETag": #""one""#]
            if let start, let first = Int64(start) {
                fields.append("Content-Range", "bytes \(first)-\(first)/\(text)")
                fields.append("Content-Length", "1")
                return [.sendHead(status: 206, headers: fields), .sendBody(Data("x".utf8))]
            }
            fields.append("Content-Length", text)
            return [.sendHead(status: 200, headers: fields), .sendBody(Data("xxxx".utf8)), .closeConnection]
        }
        await folder.interrupt(server, .init { ($0.parts, $0.resumes) = (parts, false) })
        #expect(try folder.names.isEmpty)
        #expect(server.requests.count < 40)
    }
}
