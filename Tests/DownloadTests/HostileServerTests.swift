import TestSupport

@testable import CoreAPITransfers

@Suite("A download from a hostile server, or to a hostile place", .closing, .timeLimit(.minutes(1)))
struct HostileServerTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    private func failure(_ download: Download) async -> APIClientError? {
        do {
            _ = try await download.value
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Secrets

    @Test("A file with the part's name that is not the kit's stays, whatever the server answers", arguments: [true, false])
    func foreignPart(resumes: Bool) async throws {
        let server = try LoopbackServer.test { _ in .ok("new") }
        let channel = Channel.loopback(server)
        let notes = Data("my own notes".utf8)
        try notes.write(to: folder.part)
        let error = await failure(channel.manager.download(.export, to: folder.export, .init { $0.resumes = resumes }))
        guard case .cannotWrite(folder.part.path, EEXIST, _) = error?.underlyingError as? DownloadError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: folder.part) == notes && server.requests.isEmpty)
    }

    @Test("A part that a killed program left is the kit's, even if no download can continue it")
    func leftPart() async throws {
        let server = try LoopbackServer.start { _ in
            [.sendHead(status: 200, headers: ["Content-Length": "10"]), .sendBody(Data("abcde".utf8)), .stall]
        }
        let channel = Channel.loopback(server)
        let download = channel.manager.download(.export, to: folder.export)
        for await progress in download.progress where progress.completed == 5 { break }
        // What is on the disk now would be there after a kill.
        let left = try Data(contentsOf: folder.part)
        let mark = try Data(contentsOf: URL(fileURLWithPath: folder.part.path + ".json"))
        download.cancel()
        _ = await failure(download)
        server.close()
        try left.write(to: folder.part)
        try mark.write(to: URL(fileURLWithPath: folder.part.path + ".json"))
        let next = try LoopbackServer.test { _ in .ok("whole") }
        let other = Channel.loopback(next)
        _ = try await other.manager.download(.export, to: folder.export).value
        #expect(try Data(contentsOf: folder.export) == Data("whole".utf8) && folder.names == ["export.bin"])
    }

    @Test("a continued request that is redirected to another host takes no secret there")
    func redirected() async throws {
        let served = Served(100_000)
        let other = try LoopbackServer.test { served.reply($0) }
        let target = "\(other.url)/elsewhere"
        let server = try LoopbackServer.test { request in
            request.headers["range"] == nil ? served.reply(request, sending: 40_000) : .redirect(to: target, status: 307)
        }
        let channel = Channel.loopback(server) {
            $0.modifiers += [Header("Authorization", "Bearer s3cret"), Header("Cookie", "session=s3cret")]
        }
        #expect(await failure(channel.manager.download(.export, to: folder.export)) != nil)
        let file = try? await channel.manager.download(.export, to: folder.export).value
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Bearer s3cret" })
        #expect(other.requests.allSatisfy { !String(decoding: $0.rawHead, as: UTF8.self).contains("s3cret") })
        if file != nil { #expect(try Data(contentsOf: folder.export) == served.bytes) }
    }

    // MARK: - Places

    @Test("an address that is no local file's is rejected: nothing is requested or written", arguments: [true, false])
    func noFile(isWeb: Bool) async throws {
        let server = try LoopbackServer.test { _ in .ok("data") }
        let path = folder.file("stray").path
        let url = try #require(URL(string: isWeb ? "https://example.com\(path)" : "file://files.example\(path)"))
        let channel = Channel.loopback(server)
        let error = await failure(channel.manager.download(.export, to: url))
        guard case .cannotWrite = error?.underlyingError as? DownloadError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(server.requests.isEmpty)
        #expect(try folder.names.isEmpty)
        #expect(throws: DownloadError.self) { try Download.discardPart(of: url) }
    }

    @Test(
        "a name as long as the system allows is downloaded, a longer one rejected with its path", arguments: [200, 250, 255, 256])
    func longName(length: Int) async throws {
        let served = Served(10_000)
        let server = try LoopbackServer.test { served.reply($0) }
        let file = folder.file(String(repeating: "n", count: length))
        let channel = Channel.loopback(server)
        if let error = await failure(channel.manager.download(.export, to: file)) {
            guard case .cannotWrite(let path, ENAMETOOLONG, _) = error.underlyingError as? DownloadError else {
                Issue.record("\(error)")
                return
            }
            #expect(length > 255 && path == file.path)
            #expect(try folder.names.isEmpty && server.requests.isEmpty)
        } else {
            #expect(length <= 255)
            #expect(try folder.names == [file.lastPathComponent])
        }
    }

    @Test("a link in place of the file is replaced, and what it names stays", arguments: [true, false])
    func link(dangles: Bool) async throws {
        let served = Served(10_000)
        let server = try LoopbackServer.test { served.reply($0) }
        let other = folder.file("other")
        if !dangles { try Data("mine".utf8).write(to: other) }
        try FileManager.default.createSymbolicLink(atPath: folder.export.path, withDestinationPath: other.path)
        let channel = Channel.loopback(server)
        _ = try await channel.manager.download(.export, to: folder.export).value
        #expect(try Data(contentsOf: folder.export) == served.bytes)
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
        let channel = Channel.loopback(server)
        #expect(await failure(channel.manager.download(.export, to: folder.export)) != nil)
        #expect(try Data(contentsOf: other) == Data("mine".utf8))
        #expect(try folder.names == ["export.bin.part", "export.bin.part.json", "other"])
    }

    @Test("a part that another process removes or replaces meanwhile never becomes the file", arguments: [false, true])
    func replaced(byAnother: Bool) async throws {
        let served = Served(100_000)
        let gate = try Gate()
        let server = try LoopbackServer.test { _ in
            [
                .sendHead(status: 200, headers: ["Content-Length": "100000", "ETag": #""one""#]),
                .sendBody(Data(served.bytes.prefix(50_000))),
                .waitFor(gate), .sendBody(Data(served.bytes.dropFirst(50_000))),
            ]
        }
        let channel = Channel.loopback(server)
        let download = channel.manager.download(.export, to: folder.export)
        for await update in download.progress where update.completed == 50_000 { break }
        try FileManager.default.removeItem(at: folder.part)
        if byAnother { try Data("evil".utf8).write(to: folder.part) }
        gate.open()
        let error = await failure(download)
        guard case .cannotWrite = error?.underlyingError as? DownloadError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try folder.names == (byAnother ? ["export.bin.part"] : []))
        if byAnother { #expect(try Data(contentsOf: folder.part) == Data("evil".utf8)) }
    }

    // MARK: - Lies

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
        let channel = Channel.loopback(server) { $0.interceptors = [] }
        let options = DownloadOptions {
            $0.parts = parts
            $0.resumes = false
        }
        let error = await failure(channel.manager.download(.export, to: folder.export, options))
        #expect(error != nil)
        #expect(try folder.names.isEmpty)
        #expect(server.requests.count < 40)
    }

    @Test(
        "a 206 that is coded, or has several parts, is a typed error or leads to the right file",
        arguments: ["gzip", "multipart"])
    func strangePart(kind: String) async throws {
        let served = Served(100_000)
        let server = try LoopbackServer.test { request in
            guard let range = request.headers["range"] else {
                return served.reply(request, sending: kind == "multipart" ? nil : 40_000)
            }
            #expect(range.hasPrefix("bytes="))
            var fields: HeaderLines = ["ETag": #""one""#, "Content-Range": "bytes 40000-99999/100000", "Content-Length": "60000"]
            if kind == "gzip" { fields.append("Content-Encoding", "gzip") }
            if kind == "multipart" { fields.append("Content-Type", "multipart/byteranges; boundary=x") }
            return [.sendHead(status: 206, headers: fields), .sendBody(Data(served.bytes.dropFirst(40_000)))]
        }
        let first = try LoopbackServer.test { served.reply($0, sending: 40_000) }
        let options = DownloadOptions { $0.identity = "export" }
        let channels = [Channel.loopback(first), Channel.loopback(server)]
        #expect(await failure(channels[0].manager.download(.export, to: folder.export, options)) != nil)
        let error = await failure(channels[1].manager.download(.export, to: folder.export, options))
        if error == nil {
            #expect(try Data(contentsOf: folder.export) == served.bytes)
        } else {
            #expect(try !folder.names.contains("export.bin"))
        }
        #expect(server.requests.count < 10)
        for channel in channels { await channel.close() }
    }
}
