import CoreAPITransfers
import TestSupport

@Suite("A download to a long name", .closing, .timeLimit(.minutes(1)))
struct LongNameTests {
    private let folder = Folder()

    @Test(
        "is continued under every name that the file system takes",
        arguments: [240, 241, 242, 246, 250, 252, 255].map { String(repeating: "a", count: $0) } + [
            String(repeating: "é", count: 127), String(repeating: "👩‍👩‍👧", count: 14),
            "a" + String(repeating: "\u{301}", count: 127),
        ])
    func continued(name: String) async throws {
        let served = Served(100_000)
        let server = try LoopbackServer.test { served.reply($0, sending: $0.headers["range"] == nil ? 40_000 : nil) }
        let channel = Channel.loopback(server)
        let target = folder.file(name)
        #expect(await channel.manager.download(.export, to: target).failure != nil)
        #expect(FileManager.default.fileExists(atPath: Download.part(of: target).path))
        #expect(try folder.names.count == 2)
        #expect(try await channel.manager.download(.export, to: target).value.reused == 40_000)
        #expect(try Data(contentsOf: target) == served.bytes)
        #expect(try folder.names.map { Array($0.utf8) } == [Array(name.utf8)])
    }

    @Test("never shares its part with another long name")
    func several() async throws {
        let names = ["b", "c"].map { String(repeating: "a", count: 251) + $0 }
        let server = try LoopbackServer.test { request in
            let served = Served(10_000, seed: request.path == "/b" ? 1 : 2)
            return served.reply(request, sending: request.headers["range"] == nil ? 5_000 : nil)
        }
        let channel = Channel.loopback(server)
        for (name, path) in zip(names, ["b", "c"]) {
            #expect(await channel.manager.download(.get(path), to: folder.file(name)).failure != nil)
        }
        #expect(try folder.names.count == 4)
        for (name, path) in zip(names, ["b", "c"]) {
            #expect(try await channel.manager.download(.get(path), to: folder.file(name)).value.reused == 5_000)
            #expect(try Data(contentsOf: folder.file(name)) == Served(10_000, seed: path == "b" ? 1 : 2).bytes)
        }
    }

    @Test("that the file system does not take fails before any request", arguments: [("a", 256), ("é", 128)])
    func rejected(letter: String, count: Int) async throws {
        let server = try LoopbackServer.test { _ in .ok("x") }
        let target = folder.file(String(repeating: letter, count: count))
        let error = await Channel.loopback(server).manager.download(.export, to: target).failure
        #expect(error?.writeCode == ENAMETOOLONG && "\(error as Any)".contains(target.path))
        #expect(try folder.names == [] && server.requests.isEmpty)
    }

    @Test("keeps a part within the longest path")
    func longPath() throws {
        let path = "/" + String(repeating: "folder/", count: 578) + String(repeating: "n", count: 40)
        #expect(path.utf8.count == 4_087)
        #expect("\(Download.part(of: URL(fileURLWithPath: path)).path).json.new".utf8.count < 4_096)
    }

    @Test("of any other file that the kit replaces needs no room for its draft")
    func replaced() throws {
        let file = folder.file(String(repeating: "a", count: 255))
        for text in ["one", "two"] {
            try FileReplacement(path: file.path).write(Data(text.utf8))
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
        }
        #expect(try folder.names.count == 1)
    }
}
