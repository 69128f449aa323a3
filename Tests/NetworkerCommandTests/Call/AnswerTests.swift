import TestSupport

@Suite("The response of a call", .closing, .timeLimit(.minutes(2)))
struct AnswerTests {
    @Test("in one pipe with standard error, ends its line before an error begins")
    func onePipe() async throws {
        let server = try LoopbackServer.test { request in
            switch request.path {
            case "/busy": .status(503, body: Data(#"{"error":"busy"}"#.utf8))
            case "/line": .ok("a line\n")
            case "/empty": .ok("")
            default: .ok("no end")
            }
        }
        let busy = "{\"error\":\"busy\"}\n503 Service Unavailable"
        for (path, text) in [("/busy", busy), ("/a", "no end\n200 OK"), ("/line", "a line\n200 OK"), ("/empty", "200 OK")] {
            let shown = try await BuiltCommand.run([server.url + path]).text
            #expect(shown.hasPrefix(text), "\(shown)")
        }
        // Apart, or with the body alone, the bytes are the server's.
        let apart = try await BuiltCommand.shell("\"$@\" 2>/dev/null", [server.url + "/a"])
        #expect(apart.text == "no end")
        #expect(try await BuiltCommand.run([server.url + "/a", "--body"]).text == "no end")
        let upload = try await BuiltCommand.run(["upload", written("x").path, "PUT", server.url + "/busy", "--quiet"])
        #expect(upload.text.hasPrefix(busy), "\(upload.text)")
    }

    /// Answers in two parts; the second one waits for a request of `/go`.
    private func server(_ type: String, _ gate: Gate, tls: ServerTLS? = nil) throws -> LoopbackServer {
        try LoopbackServer.test(tls: tls) { request in
            if request.path == "/go" {
                gate.open()
                return .ok()
            }
            return [
                .sendHead(status: 200, headers: ["Content-Type": type, "Transfer-Encoding": "chunked"]),
                .sendChunk(Data("one\n".utf8)), .waitFor(gate), .sendChunk(Data("two\n".utf8)), .endChunks(),
            ]
        }
    }

    /// Reads the command's output line by line, and asks for the second part after the first line.
    private static let following = """
        command=$1; base=$2; shift 2
        "$command" "$base/a" --timeout 30 "$@" 2>/dev/null | while read -r line; do
            echo "got $line"; "$command" "$base/go" "$@" >/dev/null 2>&1
        done
        """

    @Test(
        "is written while it arrives, if its address is in clear text and a pipe reads it",
        arguments: [[], ["--stream"], ["-S", "--body"]])
    func streamed(options: [String]) async throws {
        let read = try await BuiltCommand.shell(Self.following, [server("text/plain", Gate()).url] + options)
        #expect(read.text == "got one\ngot two\n", "\(read.text)")
    }

    @Test("is written while it arrives over https with --stream, and over HTTP/2 as a whole without")
    func streamedOverTLS() async throws {
        let server = try server("text/event-stream", Gate(), tls: ServerTLS())
        let trust = try ["--cacert", written(#require(server.tls).authorityPEM).path]
        let read = try await BuiltCommand.shell(Self.following, [server.url, "--stream"] + trust)
        #expect(read.text == "got one\ngot two\n", "\(read.text)")
        let whole = try await BuiltCommand.run([server.url + "/a"] + trust)
        #expect(whole.text.hasPrefix("one\ntwo\n200, HTTP/2, 8 B"), "\(whole.text)")
    }

    @Test("ends with its reader, and not with the server")
    func readerGone() async throws {
        let server = try LoopbackServer.start { _ in
            [
                .sendHead(status: 200, headers: ["Content-Type": "text/plain"]),
                .throttled(Data(repeating: UInt8(ascii: "\n"), count: 1 << 30), chunkSize: 1 << 16, interval: .milliseconds(1)),
            ]
        }
        let read = try await BuiltCommand.shell("\"$@\" --timeout 3600 2>/dev/null | head -n 1", [server.url])
        #expect(read.status == 0 && read.text == "\n")
        // Its thread may be sending a piece.
        await server.stop(within: .zero)
    }

    @Test("that is written while it arrives keeps status, size, times and errors of the call")
    func streamedReport() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { request in
            switch request.path {
            case "/cut": [.sendHead(status: 200, headers: ["Content-Length": "4"]), .sendBody(Data("ab".utf8)), .reset]
            case "/slow": [.sendHead(status: 200, headers: ["Content-Length": "4"]), .sendBody(Data("ab".utf8)), .waitFor(gate)]
            case "/gone": .status(404, body: Data("no".utf8))
            default: .ok("1234")
            }
        }
        defer { gate.open() }
        let whole = try await BuiltCommand.expect([server.url, "--stream", "-v"], 0, "> GET / HTTP/1.1", "first byte")
        let cut = try await BuiltCommand.expect([server.url + "/cut", "--stream"], 1, "error: ")
        let slow = try await BuiltCommand.expect([server.url + "/slow", "--timeout", "1"], 1, "hint: --timeout sets another")
        // The total timeout or, on a busy machine, that of the server's silence.
        #expect(slow.contains("within 1.0 seconds") || slow.contains("for 1.0 seconds"), "\(slow)")
        let gone = try await BuiltCommand.expect([server.url + "/gone", "--stream"], 1, "got 404")
        for (text, beginning) in [
            (whole, "1234\n200 OK, HTTP/1.1, 4 B"), (cut, "ab\n200 OK, HTTP/1.1, 2 B"), (slow, "ab\n200 OK"),
            (gone, "no\n404 Not Found"),
        ] { #expect(text.hasPrefix(beginning), "\(text)") }
        for other in [["--json"], ["--offline"], ["-o", "file"]] {
            try await BuiltCommand.expect([server.url, "--stream"] + other, 64, "exclude each other")
        }
    }

    @Test("on a terminal has no character that controls it, with --stream, too")
    func terminal() async throws {
        let server = try LoopbackServer.test { _ in .ok("one\u{1B}[2J\r\ntwo\u{7}") }
        // script(1) runs a program in a terminal of its own.
        let shown = try await BuiltCommand.shell("script -qec \"'$1' '$2' --stream --body\" /dev/null", [server.url])
        #expect(shown.text == "one\\u{1B}[2J\r\ntwo\\u{07}\r\n", "\(shown.text)")
    }

    @Test("keeps the cookies that an earlier response of its redirects has set")
    func cookies() async throws {
        let server = try LoopbackServer.test { request in
            guard request.path == "/login" else { return .ok(request.headers["cookie"] ?? "none") }
            return .status(302, headers: ["Location": "/home", "Set-Cookie": "sid=7; Path=/"])
        }
        for (path, cookie) in [("/login", "sid=7"), ("/home", "none")] {
            #expect(try await BuiltCommand.run([server.url + path, "--body"]).text == cookie)
        }
        let file = temporaryFile("home.txt")
        try await BuiltCommand.expect(["download", server.url + "/login", "-o", file.path], 0)
        #expect(try Data(contentsOf: file) == Data("sid=7".utf8))
    }

    @Test("has a place before the request is sent: what -o, --state or a download cannot store is rejected")
    func output() async throws {
        let server = try LoopbackServer.test { _ in .ok("new", headers: ["ETag": #""a""#]) }
        let folder = try temporaryFolder("command")
        let file = folder.appendingPathComponent("file").path
        try Data("old".utf8).write(to: URL(fileURLWithPath: file))
        let long = folder.appendingPathComponent(String(repeating: "a", count: 256)).path
        for (path, reason) in [
            (long, "File name too long"), (folder.path, "it is a folder"), (folder.path + "/no/x", "its folder does not exist"),
            (file + "/x", "Not a directory"), ("/proc/networker", "No such file or directory"), ("", "it is a folder"),
        ] {
            for words in [
                [server.url, "-o", path], ["download", server.url + "/a", "-o", path],
                ["upload", file, server.url, "--resumable", "tus", "--state", path],
            ] { try await BuiltCommand.expect(words, 64, "cannot write the ", reason) }
        }
        #expect(server.requests.isEmpty)
        // With the longest name that the system takes it is written; nothing else is left beside it.
        let longest = folder.appendingPathComponent(String(repeating: "b", count: 255)).path
        for path in [file, longest] {
            try await BuiltCommand.expect([server.url, "-o", path], 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("new".utf8))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        try await BuiltCommand.expect([server.url, "-o", "/dev/null"], 0)
    }

    @Test("is preceded by every line of a form with --offline and -v: texts, and the paths of files")
    func form() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let folder = try temporaryFolder("command")
        let file = folder.appendingPathComponent("a.csv")
        try Data("1,2".utf8).write(to: file)
        let words = [server.url, "--multipart", "a=1", "b=zwei\ndrei", "password=planted", "f@\(file.path)"]
        for option in ["--offline", "-v"] {
            try await BuiltCommand.expect(
                words + [option], 0, "> Content-Disposition: form-data; name=\"a\"\n> \n> 1\n> --networkerkit-",
                "name=\"b\"\n> \n> zwei\n> drei\n",
                "name=\"f\"; filename=\"a.csv\"\n> Content-Type: text/csv\n> \n> (the file \(file.path))\n",
                without: ["planted", "not shown"])
        }
    }

    @Test("comes from a server that asks for a client's certificate, with --cert and --key")
    func identity() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(.clientAuthenticated)) { _ in .ok("welcome") }
        let certificate = try #require(server.tls?.clientAuthority).certificate(for: [], name: "client")
        let folder = try temporaryFolder("command")
        for (name, text) in [
            ("ca.pem", try #require(server.tls).authorityPEM), ("cert.pem", certificate.chainPEM),
            ("key.pem", certificate.keyPEM),
        ] { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
        let call = "cd '\(folder.path)'; \"$@\" --cacert ca.pem --body"
        #expect(try await BuiltCommand.shell(call, [server.url]).status == 1)
        let welcome = try await BuiltCommand.shell(call + " --cert cert.pem --key key.pem", [server.url])
        #expect(welcome.text == "welcome", "\(welcome.text)")
        let command = "cd '\(folder.path)'; \"$@\" --cacert ca.pem --cert cert.pem --key key.pem --curl --json"
        let curl = try await BuiltCommand.shell(command, [server.url])
        #expect(curl.text.contains("--cacert 'ca.pem' --cert 'cert.pem' --key 'key.pem'"), "\(curl.text)")
    }
}
