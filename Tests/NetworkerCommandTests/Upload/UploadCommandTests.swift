import ArgumentParser
import TestSupport

@testable import NetworkerCommand

@Suite("networker upload", .closing)
struct UploadCommandTests {
    private let file = temporaryFile("upload.txt").path

    init() throws { try Data((1...50).map { "line \($0)\n" }.joined().utf8).write(to: URL(fileURLWithPath: file)) }

    @Test(
        "exits with 64 for an invalid command line, and states what was expected",
        arguments: [
            ("", "Missing expected argument '<file>'"), ("/nowhere/x :8080", "cannot read '/nowhere/x': No such file"),
            ("/etc :8080", "cannot read '/etc': Is a directory; expected a readable file"),
            ("FILE", "expected an address, or a channel"), ("FILE GET :8080", "a GET has no body"),
            ("FILE :8080 a=1", "a second body beside the file"), ("FILE :8080 --limit-rate 0", "500k or 2.5M"),
            ("FILE :8080 --limit-rate x", "500k or 2.5M"), ("FILE :8080 --limit-rate nan", "500k or 2.5M"),
            ("FILE :8080 --limit-rate 1e99", "500k or 2.5M"), ("FILE :8080 --state x", "expected --resumable as well"),
            ("FILE :8080 --resumable tus --compress gzip", "--resumable and --compress exclude each other"),
            ("FILE :8080 --resumable tus --expect-continue", "exclude each other"), ("FILE :8080 --resumable ftp", "tus"),
            ("FILE :8080 --compress rar", "gzip"), ("FILE :8080 --timeout 0", "expected more than 0"),
        ])
    func rejects(words: String, reason: String) async throws {
        let words = words.split(separator: " ").map { $0 == "FILE" ? file : String($0) }
        try await BuiltCommand.expect(["upload"] + words, 64, reason)
    }

    @Test("sends the file, with progress in lines, and shows the response")
    func sends() async throws {
        let server = try LoopbackServer.test { .json(#"{"bytes":\#($0.bodyLength)}"#) }
        let size = try Data(contentsOf: URL(fileURLWithPath: file)).count
        try await BuiltCommand.expect(
            ["upload", file, "PUT", server.url + "/a", "kind==text", "X-A:1", "--limit-rate", "1M"], 0,
            "100 %  \(Int64(size).readableBytes) of", #"{"bytes":\#(size)}"#)
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT" && request.target == "/a?kind=text" && request.headers["X-A"] == "1")
        #expect(request.headers["Content-Length"] == "\(size)")
        try await BuiltCommand.expect(["upload", file, server.url, "--compress", "gzip", "--quiet"], 0, without: ["100 %"])
        #expect(server.requests.last?.headers["Content-Encoding"] == "gzip")
        #expect(server.requests.last?.method == "POST")
    }

    @Test("continues from the state of an earlier run, and removes it at the end", arguments: ["tus", "ietf"])
    func continues(dialect: String) async throws {
        let state = temporaryFile("state").path
        let size = try Data(contentsOf: URL(fileURLWithPath: file)).count
        let server = try LoopbackServer.test { request in
            switch (request.method, FileManager.default.fileExists(atPath: state)) {
            case ("POST", _): return .status(201, headers: ["Location": "/files/1"])
            case ("HEAD", _): return .status(204, headers: ["Upload-Offset": "5", "Upload-Complete": "?0"])
            case ("PATCH", _) where request.headers["Upload-Offset"] == "0": return .status(400)
            default: return .status(204, headers: ["Upload-Offset": "\(size)"])
            }
        }
        let words = ["upload", file, server.url + "/files", "--resumable", dialect, "--state", state]
        try await BuiltCommand.expect(words, 1, "the same command continues the upload")
        try await BuiltCommand.expect(words, 0)
        #expect(server.requests.map(\.method) == ["POST", "PATCH", "HEAD", "PATCH"])
        #expect(server.requests.last?.headers["Upload-Offset"] == "5")
        #expect(!FileManager.default.fileExists(atPath: state))
        try Data("no state".utf8).write(to: URL(fileURLWithPath: state))
        try await BuiltCommand.expect(words, 64, "has no state of an upload")
    }
}
