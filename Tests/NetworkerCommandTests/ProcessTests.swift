import TestSupport

@Suite("The command in a separate process", .closing)
struct ProcessTests {
    /// Runs the command, and expects its exit code, parts of what it writes to standard error, and no others there.
    @discardableResult
    private func expect(
        _ arguments: [String], _ status: Int32, _ parts: String..., without others: [String] = [], input: String = "/dev/null",
        environment: [String: String] = ["HOME": "/tmp"], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (output: String, errors: String) {
        let (code, output, errors) = try await BuiltCommand.streams(arguments, input: input, environment: environment)
        let isRight = code == status && parts.allSatisfy(errors.contains) && !others.contains(where: errors.contains)
        #expect(isRight, "\(arguments): \(code), \(errors)", sourceLocation: sourceLocation)
        return (String(decoding: output, as: UTF8.self), errors)
    }

    /// Runs the command, and expects a document of JSON on standard output.
    private func json(_ arguments: [String], _ status: Int32 = 0) async throws -> [String: Any] {
        let (code, output, errors) = try await BuiltCommand.streams(arguments)
        #expect(code == status, "\(errors)")
        return try #require(try JSONSerialization.jsonObject(with: output) as? [String: Any], "\(errors)")
    }

    @Test("in a pipe, standard output has the body byte for byte, and standard error the rest")
    func pipe() async throws {
        let bytes = Data((0...255).map(UInt8.init))
        let server = try LoopbackServer.test { request in
            request.target == "/gone" ? .status(404, body: bytes) : .ok(bytes, headers: ["Content-Type": "image/png"])
        }
        let call = try await BuiltCommand.streams([server.url + "/a"])
        #expect(call.status == 0 && call.output == bytes)
        #expect(call.errors.hasPrefix("200 OK, HTTP/1.1, 256 B") && call.errors.contains("first byte"))
        let failed = try await BuiltCommand.streams([server.url + "/gone"])
        #expect(failed.status == 1 && failed.output == bytes)
        #expect(failed.errors.contains("error: expected a status in 200…299, got 404"))
        let silent = try await BuiltCommand.streams([server.url, "--body"])
        #expect(silent.output == bytes && silent.errors.isEmpty)
        #expect(try await json([server.url, "--json"])["status"] as? Int == 200)
    }

    @Test("an invalid command line has the exit code 64, and the error with the usage on standard error")
    func usage() async throws {
        try await expect(["TY"], 64, "expected a method", "See 'swift run networker-of-tests call --help'")
        for (words, usage) in [
            (["TY"], "[call] [METHOD] <address>"), (["download", "example.com"], "download <address> [Name:value …]"),
            (["call", "--bogus"], "[call] [METHOD]"), (["doctor", "nowhere"], "doctor"),
        ] {
            let (output, errors) = try await expect(words, 64, "Usage: swift run networker-of-tests \(usage)")
            #expect(output.isEmpty && errors.hasPrefix("error: "), "\(errors)")
        }
        let (output, errors) = try await expect(["new", "chanel", "BK", "--kit", "."], 64)
        #expect(output.isEmpty && errors == "error: expected channel or feature after 'new', got 'chanel'\nhint: write channel\n")
        try await expect(["new"], 64, "hint: 'swift run networker-of-tests new --help' shows both")
    }

    @Test("names an unknown option without a value that is written behind it", arguments: ["-uege:planted", "-ve'planted'"])
    func joinedValue(option: String) async throws {
        try await expect(["example.com", option], 64, "error: Unknown option '\(option.prefix(2))", without: ["planted"])
    }

    @Test("-o writes the body of a success into the file, and leaves the file of a failure as it was")
    func output() async throws {
        let server = try LoopbackServer.test { $0.target == "/gone" ? .status(404, body: Data("no".utf8)) : .ok("new") }
        let file = try written("old")
        #expect(try await expect([server.url + "/gone", "-o", file.path], 1, "no").output.isEmpty)
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        #expect(try await expect([server.url, "-o", file.path], 0, "3 B written to \(file.path)").output.isEmpty)
        #expect(try Data(contentsOf: file) == Data("new".utf8))
        try await expect([server.url, "-o", "/nowhere/at/all"], 64, "'/nowhere/at/all': its folder does not exist")
    }

    @Test("events: a block or a line of JSON for each on standard output, the connection on standard error")
    func events() async throws {
        let server = try LoopbackServer.test { request in
            guard request.path != "/gone" else { return .status(404) }
            guard request.headers["last-event-id"] != "2" else { return .status(204) }
            return [
                .sendHead(status: 200, headers: ["Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"]),
                .sendChunk(Data("retry: 1\nid: 1\ndata: a\n\nid: 2\nevent: tick\ndata: b\n\n".utf8)), .endChunks(),
            ]
        }
        let events = try await expect(
            ["events", server.url + "/x"], 0, "connected, 200\nended by the server; connecting again in")
        #expect(events.output == "message 1\n  a\ntick 2\n  b\n")
        #expect(events.errors.hasSuffix("\nno more events: the server answered with the status 204\n"), "\(events.errors)")
        try await expect(
            ["events", server.url + "/x", "--count", "3", "--reconnections", "0"], 0,
            "ended by the server; --reconnections allows no other")
        let json = try await expect(["events", server.url + "/x", "--json", "--count", "1"], 0, "closed after 1 event\n")
        #expect(json.output == #"{"data":"a","id":"1","name":"message"}"# + "\n")
        let failed = try await expect(["events", server.url + "/gone"], 1, "error: expected a status in 200…299, got 404")
        #expect(failed.output.isEmpty)
        try await expect(["events"], 64, "expected an address, or a channel and a path")
    }

    @Test("reads a body from standard input")
    func standardInput() async throws {
        let server = try LoopbackServer.test { .ok($0.body, headers: ["X-Type": $0.headers["content-type"] ?? ""]) }
        let bytes = Data((0...255).map(UInt8.init))
        let file = try written(bytes)
        for data in ["@-", "@/dev/stdin", "@\(file.path)"] {
            let call = try await BuiltCommand.streams(["POST", server.url, "--data", data], input: file.path)
            #expect(call.output == bytes, "\(call.errors)")
            // Of the named file, standard input has all bytes left.
            #expect(call.errors.contains("standard input was not read") == (data == "@\(file.path)"), "\(call.errors)")
        }
    }

    @Test("rejects a request without a body if data is piped into it, and says how to send that")
    func pipedBody() async throws {
        let server = try LoopbackServer.test { .ok($0.body) }
        let file = try written("data")
        for words in [[server.url], ["POST", server.url], ["HTTPBin", "PUT", "a", "--host", server.url]] {
            let piped = try await BuiltCommand.shell("echo data | \"$@\"", words)
            #expect(piped.status == 64 && piped.text.contains("expected --data @- to send that data"), "\(piped.text)")
            try await expect(words, 64, "standard input has data", input: file.path)
        }
        #expect(server.requests.isEmpty)
        try await expect(["POST", server.url, "--ignore-stdin"], 0, without: ["standard input"], input: file.path)
    }

    @Test("leaves standard input to the script that runs it, and says so")
    func inheritedInput() async throws {
        let server = try LoopbackServer.test { .ok($0.target) }
        let file = try written("a\nb\nc\n")
        let loop = try await BuiltCommand.shell(
            "while read word; do \"$1\" GET \"$2/$word\"; done", [server.url], input: file.path)
        #expect(server.requests.map(\.target) == ["/a", "/b", "/c"], "\(loop.text)")
        // After the third line nothing is left.
        #expect(loop.text.components(separatedBy: "hint: standard input was not read; --data @-").count == 3, "\(loop.text)")
        try await expect(["POST", server.url, "a=1"], 0, "hint: standard input was not read", input: file.path)
    }

    @Test("does not wait for a pipe without a writer, and takes a closed or an empty input for no body")
    func noInput() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pipe-\(UUID().uuidString)").path
        let scripts = [
            // Opened for both directions, it neither has data nor ends.
            "mkdir -p \(folder) && mkfifo \(folder)/p && exec 3<>\(folder)/p && \"$@\" <&3; code=$?; rm -r \(folder); exit $code",
            "\"$@\" <&-", "\"$@\" </dev/null", ": | \"$@\"",
        ]
        for script in scripts {
            let call = try await BuiltCommand.shell(script, ["POST", server.url])
            #expect(call.status == 0 && !call.text.contains("standard input"), "\(script): \(call.text)")
        }
        #expect(server.requests.map(\.body) == Array(repeating: Data(), count: scripts.count))
    }

    /// Expects that the lines of `-v` show each header of a request, and no credential.
    private func expectHeaders(of request: ReceivedRequest, in shown: [some StringProtocol]) {
        for header in request.headers {
            let line = "> \(header.name): \(header.name.hasSuffix("Authorization") ? "<redacted>" : header.value)".lowercased()
            #expect(shown.contains { $0.lowercased() == line }, "\(header) was sent and is not shown: \(shown)")
        }
    }

    @Test("in front of jq, standard output is the JSON alone, with -v, too")
    func jq() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"id":"B-7"}"#) }
        let piped = try await BuiltCommand.shell("\"$@\" -v 2>/dev/null | jq --raw-output .id", [server.url])
        #expect(piped.status == 0 && piped.text == "B-7\n", "\(piped.text)")
    }

    @Test("-v shows every line that was sent, of every hop")
    func verbose() async throws {
        let server = try LoopbackServer.test { request in
            request.target == "/a" ? .status(307, headers: ["Location": "/b"]) : .ok("done")
        }
        let call = try await BuiltCommand.streams(["PUT", server.url + "/a", "x=1", "X-Foo:bar", "--auth", "ege:secret1", "-v"])
        #expect(call.output == Data("done".utf8))
        let sent = call.errors.split(separator: "\n").filter { $0.hasPrefix("> ") }.map(String.init)
        #expect(sent.filter { $0.hasPrefix("> PUT ") } == ["> PUT /a HTTP/1.1", "> PUT /b HTTP/1.1"])
        let hops = sent.joined(separator: "\n").components(separatedBy: "> PUT ").dropFirst()
        #expect(hops.count == 2 && server.requests.count == 2)
        for (hop, request) in zip(hops, server.requests) {
            let shown = hop.components(separatedBy: "\n")
            #expect(shown.contains("> {\"x\":\"1\"}") && request.headers.map(\.name).contains("Authorization"))
            expectHeaders(of: request, in: shown)
        }
        #expect(!call.errors.contains("secret1") && !call.errors.contains(Data("ege:secret1".utf8).base64EncodedString()))
        #expect(call.errors.contains("\nredirect: PUT /b"))
        let record = try await json(["PUT", server.url + "/a", "x=1", "--json"])
        let exchanges = try #require(record["exchanges"] as? [[String: Any]])
        #expect(exchanges.map { $0["status"] as? Int } == [307, 200])
        #expect(exchanges.map { $0["url"] as? String } == [server.url + "/a", server.url + "/b"])
    }

    @Test(
        "-v shows the lines for a proxy that serves clear text, and hides its credentials", arguments: ["", "user:planted@", "@"])
    func verboseThroughProxy(credentials: String) async throws {
        let proxy = try LoopbackServer.test { _ in .ok() }
        let call = try await BuiltCommand.streams(
            ["POST", "http://unreachable.invalid/a", "x=1", "-v"],
            environment: ["http_proxy": proxy.url.replacing("http://", with: "http://" + credentials), "HOME": "/tmp"])
        let request = try #require(proxy.requests.first, "\(call.errors)")
        let shown = call.errors.split(separator: "\n").filter { $0.hasPrefix("> ") && $0.contains(": ") }
        #expect(shown.count == request.headers.count, "\(call.errors)")
        expectHeaders(of: request, in: shown)
        #expect(request.headers.map(\.name).contains("Proxy-Authorization") == !credentials.isEmpty)
        #expect(!call.errors.contains("planted") && !call.errors.contains(Data("user:planted".utf8).base64EncodedString()))
    }

    @Test("-v over HTTP/2 shows each header that was sent, and Host for :authority")
    func verboseHTTP2() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS()) { _ in .ok() }
        let authority = try written(#require(server.tls).authorityPEM)
        let call = try await BuiltCommand.streams([server.url + "/a", "x=1", "X-Foo:bar", "-v", "--authority", authority.path])
        let request = try #require(server.requests.first, "\(call.errors)")
        let shown = call.errors.split(separator: "\n").filter { $0.hasPrefix("> ") }
        #expect(shown.first == "> POST /a HTTP/2" && shown.contains("> Host: \(server.url.dropFirst("https://".count))"))
        #expect(request.headers.count > 4)
        expectHeaders(of: request, in: shown)
    }

    @Test("--show shows the value under a name that is taken for a secret's, and no other")
    func show() async throws {
        let server = try LoopbackServer.test { _ in .ok("{}", headers: ["X-Session": "page 7", "X-Token": "planted"]) }
        let call = [server.url + "/?cardNumber=4711&pin=planted"]
        for output in ["-v", "--json"] {
            try await BuiltCommand.expect(call + [output], 0, without: ["page 7", "4711", "planted"])
            let shown = call + [output, "--show", "x-session", "--show", "cardNumber"]
            try await BuiltCommand.expect(shown, 0, "page 7", "4711", without: ["planted"])
        }
        try await expect(call + ["--show", ""], 64, "expected --show and a name")
    }

    @Test("--auth-type digest answers a challenge, and the status of a wrong password is a failure")
    func digest() async throws {
        let httpbin = try #require(ProcessInfo.processInfo.environment["NETWORKERKIT_HTTPBIN_URL"])
        let url = "\(httpbin)/digest-auth/auth/ege/planted1"
        let right = [url, "--auth", "ege:planted1", "--auth-type", "digest"]
        let answer = try await json(right)
        #expect(answer["authenticated"] as? Bool == true && answer["user"] as? String == "ege")
        try await expect(right + ["-v"], 0, "< HTTP/1.1 401", "< HTTP/1.1 200")
        try await expect([url, "--auth", "ege:planted2", "--auth-type", "digest"], 1, "401", without: ["planted2"])
    }

    @Test("--offline prints the request and sends nothing")
    func offline() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let text = try await expect([server.url, "a:=1", "--offline", "--curl"], 0).output
        #expect(text.contains("> {\"a\":1}") && text.contains("> Content-Length: 7") && text.contains("curl --globoff"))
        #expect(text.hasPrefix("> POST /\n") && server.requests.isEmpty)
        // Only a proxy that serves clear text gets the whole address.
        for (proxy, url, line) in [
            ("http://127.0.0.1:9", "http://shop.example/a?b=1", "> GET http://shop.example/a?b=1\n"),
            ("socks5://127.0.0.1:9", "http://shop.example/a?b=1", "> GET /a?b=1\n"),
            ("http://127.0.0.1:9", "https://shop.example/a?token=planted", "> GET /a?token="),
        ] {
            let text = try await expect([url, "--offline"], 0, environment: ["HOME": "/tmp", "all_proxy": proxy]).output
            #expect(text.hasPrefix(line) && !text.contains("planted"), "\(text)")
        }
    }

    @Test("--repeat counts statuses, and exits with 1 if a call failed")
    func repetition() async throws {
        let server = try LoopbackServer.test { $0.target == "/gone" ? .status(503) : .ok() }
        let text = try await expect([server.url, "--repeat", "20", "--at-a-time", "4"], 0).output
        #expect(text.contains("20 calls, 4 at a time") && text.contains("20 × status 200") && text.contains("p90"))
        #expect(server.requests.count == 20)
        let failing = [server.url + "/gone", "--repeat", "3", "--json"]
        try await expect(failing, 1, "3 of 3 calls failed, one of them with: expected a status")
        #expect(try await json(failing, 1)["failures"] as? Int == 3)
    }

    @Test("--at-a-time has that many calls under way at once")
    func atATime() async throws {
        let gate = try Gate()
        let waiting = Shared(0)
        let server = try LoopbackServer.test { _ in
            let count = waiting.next() + 1
            // Each of the first four waits until four are there.
            if count == 4 { gate.open() }
            return [.waitFor(gate), .sendHead(status: 200, headers: ["Content-Length": "0"])]
        }
        let record = try await json([server.url, "--repeat", "8", "--at-a-time", "4", "--timeout", "20", "--json"])
        #expect(record["failures"] as? Int == 0 && server.requests.count == 8)
    }

    @Test("sends the files of a form, which Python's parser reads, and --curl prints a command that does: with an authority, too")
    func curl() async throws {
        let url = try #require(ProcessInfo.processInfo.environment["NETWORKERKIT_HTTPBIN_URL"])
        let folder = try temporaryFolder("it's \"this\", ş;a")
        let file = folder.appendingPathComponent("a,b;c.csv")
        try Data("a file".utf8).write(to: file)
        let words = ["--form", "title=it's @ <ş>", "doc@\(file.path);type=text/csv", "--json", "--curl", "--reveal-secrets"]
        let sent = try await json(["\(url)/post"] + words)
        let form = try #require(sent["curl"] as? String)
        #expect(form.contains("--form-string") && form.contains(";type=text/csv"), "\(form)")
        let pasted = try await Program.run(["/bin/sh", "-c", "\(form) --silent --max-time 10"])
        for echo in [sent["body"], try JSONSerialization.jsonObject(with: pasted.output)] as [Any?] {
            let echo = try #require(echo as? [String: Any], "\(form)")
            #expect(echo["form"] as? [String: String] == ["title": "it's @ <ş>"])
            #expect(echo["files"] as? [String: String] == ["doc": "a file"])
        }

        let authority = folder.appendingPathComponent("authority.pem")
        let server = try LoopbackServer.test(tls: ServerTLS()) { _ in .ok("over TLS") }
        try Data(#require(server.tls).authorityPEM.utf8).write(to: authority)
        let command = try #require(
            try await json([server.url, "--authority", authority.path, "--json", "--curl"])["curl"] as? String)
        let answer = try await Program.run(["/bin/sh", "-c", "\(command) --silent --max-time 10"])
        #expect(answer.text == "over TLS", "\(command)")
    }

    @Test("names the cause of a failure, and what to do")
    func advice() async throws {
        let httpbin = try #require(ProcessInfo.processInfo.environment["NETWORKERKIT_HTTPBIN_URL"]).dropFirst("http://".count)
        try await expect(["https://\(httpbin)"], 1, "hint: \(httpbin) speaks clear text; write http://")
        try await expect(["ws", "wss://\(httpbin)"], 1, "hint: \(httpbin) speaks clear text; write ws://")
        try await expect(["pins", String(httpbin)], 1, "hint: \(httpbin) speaks clear text, which has no")
        let secure = try LoopbackServer.test(tls: ServerTLS()) { _ in .ok() }
        let address = secure.url.dropFirst("https://".count)
        try await expect(["http://\(address)"], 1, "hint: if \(address) speaks TLS, write https://")
        try await expect(["pins", String(address)], 1, "hint: --authority names", without: ["[channel"])
        let readme = TemporaryPackage.kit.appendingPathComponent("README.md").path
        try await expect(["http://\(address)", "--authority", readme], 64, "expected a file of PEM certificates")
        // No test listens at this port. That of a closed server may be another test's by now.
        let plain = "127.0.0.1:1"
        try await expect([plain], 1, "hint: check that a server listens at \(plain)")
        try await expect(["https://nowhere.invalid"], 1, "hint: check the spelling of the host")
        try await expect(
            ["TY", "GET", "a"], 1, "'Scripts/networker sandbox' of", environment: ["HOME": "/nowhere/\(UUID().uuidString)"])
    }

    @Test("shows the log of the channels only if NETWORKER_LOG asks for it")
    func log() async throws {
        let gone = "http://127.0.0.1:1"
        func environment(_ level: String) -> [String: String] { ["NETWORKER_LOG": level, "HOME": "/tmp"] }
        try await expect(
            [gone], 64, "expected NETWORKER_LOG to be trace, debug", "Usage: swift run networker-of-tests",
            environment: environment("bogus"))
        let call = ["HTTPBin", "GET", "a", "--host", gone]
        try await expect(call, 1, "hint: check that a server listens at 127.0.0.1:1", without: ["networkerkit."])
        try await expect(call, 1, "networkerkit.HTTPBin", environment: environment("debug"))
        // An address has no channel with a name; its host stands for it. Neither a query nor a token is a part of its names.
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
        let server = try LoopbackServer.test { _ in .ok() }
        try await expect(
            ["\(server.url)/anything/\(jwt)?token=planted"], 0, "networkerkit.127.0.0.1", "GET /anything/",
            without: ["planted", "dozjgNry"], environment: environment("debug"))
    }

    @Test("tells the failure of an address in one line without a channel and an endpoint, and its page only after a redirect")
    func failureLines() async throws {
        let server = try LoopbackServer.test { request in
            switch request.path {
            case "/moved": .status(302, headers: ["Location": "/gone?token=planted"])
            case "/cut": [.sendHead(status: 200, headers: ["Content-Length": "4"]), .sendBody(Data("ab".utf8)), .reset]
            default: .status(404)
            }
        }
        let secure = try LoopbackServer.test(tls: ServerTLS()) { _ in .ok() }
        let gone = "http://127.0.0.1:1"
        let file = try written("a")
        func line(_ words: [String]) async throws -> String {
            let lines = try await expect(words, 1).errors.split(separator: "\n")
            let errors = lines.filter { $0.hasPrefix("error: ") }
            #expect(errors.count == 1 && lines.count { $0.hasPrefix("hint: ") } <= 1, "\(words): \(lines)")
            return String(errors.first ?? "")
        }
        let page = server.url + "/gone"
        for words in [
            [gone], ["https://nowhere.invalid/a"], [secure.url], [page], ["\(server.url)/cut"], [page, "--repeat", "2"],
            ["download", page, "-o", file.path + ".csv"], ["events", page], ["events", gone, "--reconnections", "0"],
            ["upload", file.path, "PUT", page], ["ws", page], ["ws", gone],
        ] { #expect(try await !line(words).contains("["), "\(words)") }
        let status = "error: expected a status in 200…299, got 404"
        #expect(try await line([server.url + "/moved"]) == "\(status) [GET \(page)?token=<redacted>]")
        let channel = try await line(["HTTPBin", "GET", "gone", "--host", server.url])
        #expect(channel.hasPrefix("\(status) [channel HTTPBin, GET \(page), call "), "\(channel)")
        #expect(!channel.contains("endpoint") && !channel.contains("attempt 1"), "\(channel)")
    }

    @Test("advises TLS only to a server that has not answered in HTTP, and names the host of a redirect")
    func adviceFits() async throws {
        let server = try LoopbackServer.test { request in
            switch request.path {
            case "/moved": .redirect(to: "http://127.0.0.1:1/", status: 302)
            case "/half": [.send(Data("HTTP/1.1 200 OK\r\nContent-Le".utf8)), .closeConnection]
            case "/busy": .status(503, headers: ["Retry-After": "600"])
            case "/garbage": [.send(Data("HTTP/1.1 200 OK\r\nContent-Length: a\r\n\r\n".utf8))]
            default: [.sendHead(status: 200, headers: ["Content-Length": "4"]), .sendBody(Data("ab".utf8)), .reset]
            }
        }
        let file = temporaryFile("advice").path
        for words in [
            [server.url + "/garbage"], [server.url + "/half"], [server.url + "/cut"],
            ["download", server.url + "/cut", "-o", file],
        ] { try await expect(words, 1, without: ["speaks TLS"]) }
        try await expect([server.url + "/busy"], 1, "hint: the server asks for a pause of 10 min 0 s (Retry-After)")
        try await expect([server.url + "/moved"], 1, "hint: check that a server listens at 127.0.0.1:1")
    }

    @Test("-v and --json hide a credential of the request wherever the server repeats it")
    func echoed() async throws {
        let server = try LoopbackServer.test { request in
            .ok("{}", headers: ["X-Echo": request.headers["x-api-key"] ?? "", "X-Page": "7"])
        }
        for output in ["-v", "--json"] {
            let call = [server.url + "/?next=planted7", "X-Api-Key:planted7", output]
            try await BuiltCommand.expect(call, 0, "X-Echo", without: ["planted7"])
            try await BuiltCommand.expect(call + ["--show", "x-api-key"], 0, "planted7")
        }
    }

    @Test("shows the body as text on a terminal, and not one that is no text")
    func terminal() async throws {
        let server = try LoopbackServer.test { request in
            request.target == "/png" ? .ok(Data([0x89, 0xFF, 0])) : .ok("{\"a\":1}")
        }
        // script(1) runs a program in a terminal of its own.
        func shown(_ words: String, in setting: String = "") async throws -> String {
            let line = "\(setting)'\(BuiltCommand.path)' \(server.url)\(words)"
            let environment = ["HOME": "/tmp", "NO_COLOR": "1", "PATH": "/usr/bin:/bin"]
            return try await Program.run(["script", "-qec", line, "/dev/null"], environment: environment).text
        }
        #expect(try await shown("/json --body").contains("{\r\n  \"a\": 1\r\n}"))
        #expect(try await shown("/png --body").contains("(3 B of no stated type, not text and not shown; -o FILE keeps it)"))
        let narrow = try await shown("/json", in: "stty columns 30; ").split(whereSeparator: \.isNewline)
        #expect(narrow.contains { $0.contains("█") } && narrow.allSatisfy { !$0.contains("█") || $0.count < 30 }, "\(narrow)")
    }

    /// A library that the dynamic linker loads instead of the system's, in a folder of its own.
    private func library(_ name: String, _ source: String) async throws -> URL {
        let folder = try temporaryFolder("library")
        let (file, library) = (folder.appendingPathComponent("source.c"), folder.appendingPathComponent(name))
        try Data(source.utf8).write(to: file)
        let compile = ["clang", "-shared", "-fPIC", "-Wl,-soname,\(name)", "-o", library.path, file.path]
        try #require(try await Program.run(compile).status == 0)
        return library
    }

    @Test("without libzstd no response in zstd is asked for, and a compressed upload says what is missing")
    func withoutZstd() async throws {
        // libcurl, and some builds of libcrypto, need a file of that name with these functions. The kit misses others.
        let names = [
            "CStreamInSize", "DStreamInSize", "compress", "createCStream_advanced", "createDStream", "createDStream_advanced",
            "decompress", "decompressStream", "endStream", "flushStream", "freeCStream", "freeDStream", "getErrorName",
            "initCStream", "initDStream", "isError", "versionNumber", "compressStream2",
        ]
        let library = try await library(
            "libzstd.so.1", names.map { "unsigned long ZSTD_\($0)(void) { return 0; }" }.joined(separator: "\n"))
        let folder = library.deletingLastPathComponent().path
        let server = try LoopbackServer.test { request in
            request.path == "/coded" ? .ok(Data([0x28, 0xB5, 0x2F, 0xFD]), headers: ["Content-Encoding": "zstd"]) : .ok("x")
        }
        let others = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":\($0)" } ?? ""
        let environment = ["LD_LIBRARY_PATH": folder + others, "HOME": "/tmp"]
        try await expect([server.url + "/a"], 0, environment: environment)
        try await expect([server.url + "/a"], 0)
        let codings = server.requests.map { $0.headers["accept-encoding"]?.contains("zstd") }
        #expect(codings == [false, true])
        try await BuiltCommand.expect([server.url + "/coded"], 1, "zstd", environment: environment)
        try await BuiltCommand.expect(
            ["upload", library.path, server.url + "/b", "--compress", "zstd"], 64, "this machine has no library for zstd",
            environment: environment)
        #expect(server.requests.count == 3)
    }

    @Test("ends on time although a name server does not answer")
    func slowNameServer() async throws {
        // A name server that does not answer.
        let library = try await library(
            "slow.so",
            """
            #include <unistd.h>
            int getaddrinfo(const char *a, const char *b, const void *c, void **d) { sleep(60); return -3; }
            """)
        let start = ContinuousClock.now
        try await expect(
            ["call", "HTTPBin", "GET", "get", "--host", "http://slow.example", "--timeout", "1"], 1, "within 1.0 seconds",
            environment: ["LD_PRELOAD": library.path, "HOME": "/tmp"])
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("uses the environment's proxy, except for the hosts in no_proxy")
    func proxy() async throws {
        let proxy = try LoopbackServer.test { _ in .ok("from the proxy") }
        let server = try LoopbackServer.test { _ in .ok("from the server") }
        let environment = ["http_proxy": proxy.url, "no_proxy": "127.0.0.1", "HOME": "/tmp"]
        let call = ["call", "HTTPBin", "GET", "get", "--host"]
        try await BuiltCommand.expect(call + ["http://unreachable.invalid"], 0, "from the proxy", environment: environment)
        #expect(proxy.requests.map(\.target) == ["http://unreachable.invalid/get"])
        try await BuiltCommand.expect(call + [server.url], 0, "from the server", environment: environment)
        #expect(proxy.requests.count == 1)
        // With its port: only the server of that port.
        for (port, expected) in [(server.port, "from the server"), (proxy.port, "from the proxy")] {
            let environment = environment.merging(["no_proxy": "*.intern.test,127.0.0.1:\(port)"]) { $1 }
            try await BuiltCommand.expect(call + [server.url], 0, expected, environment: environment)
        }
    }

    @Test(
        "names the failed proxy and its variable",
        arguments: [
            ("http", "http_proxy"), ("http", "ALL_PROXY"), ("https", "https_proxy"), ("https", "HTTPS_PROXY"),
            ("https", "all_proxy"),
        ])
    func failingProxy(scheme: String, variable: String) async throws {
        let asking = try LoopbackServer.test { _ in .status(407, headers: ["Proxy-Authenticate": "Basic realm=\"p\""]) }
        let rejecting = try LoopbackServer.test { _ in .status(403, body: Data("no".utf8)) }
        func expect(_ proxy: String, _ parts: String...) async throws {
            let text = try await BuiltCommand.expect(
                ["call", "HTTPBin", "GET", "get", "--host", "\(scheme)://unreachable.invalid"], 1,
                "hint: check the variable \(variable), or name the host in no_proxy", without: ["planted"],
                environment: [variable: proxy, "HOME": "/tmp"])
            #expect(parts.allSatisfy(text.contains), "\(text)")
        }
        func failed(_ proxy: some StringProtocol) -> String { "the proxy '\(proxy)' (from \(variable)) failed" }
        let credentials = asking.url.replacing("http://", with: "http://user:planted@")
        try await expect(credentials, failed(asking.url.dropFirst("http://".count)), "407")
        if scheme == "http" {
            try await expect(credentials, "it rejects the credentials")
            try await expect(asking.url, "it asks for credentials")
        }
        try await expect("http://user:planted@127.0.0.1:1", failed("127.0.0.1:1"))
        try await expect("proxy.invalid:3128", failed("proxy.invalid:3128"))
        if scheme == "https" { try await expect(rejecting.url, "it answered CONNECT with 403") }
    }

    /// Runs `doctor`, and expects its exit code, parts of its rows, and no others.
    private func expectRows(
        of arguments: [String], _ status: Int32, _ parts: String..., without others: [String] = [],
        environment: [String: String] = ["HOME": "/tmp"], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (code, output, _) = try await BuiltCommand.streams(["doctor"] + arguments, environment: environment)
        let text = String(decoding: output, as: UTF8.self)
        let isRight = code == status && parts.allSatisfy(text.contains) && !others.contains(where: text.contains)
        #expect(isRight, "\(arguments): \(code), \(text)", sourceLocation: sourceLocation)
    }

    @Test("doctor marks each row, and exits with 1 if one of them fails calls")
    func doctorRows() async throws {
        let server = try LoopbackServer.start { $0.target == "/gone" ? .status(404) : .ok() }
        // An address is not looked up.
        try await expectRows(of: [server.url], 0, "✓ connection", "port \(server.port) answers", without: ["DNS"])
        try await expectRows(of: ["http://localhost:\(server.port)"], 0, "✓ DNS", "localhost is 127.0.0.1")
        try await expectRows(of: ["HTTPBin", "--host", server.url], 0, "✓ connection")
        // A status is no problem of the connection.
        try await expectRows(of: [server.url + "/gone"], 0, "! answer")
        server.close()
        try await expectRows(of: [server.url], 1, "✗ connection", without: ["✓"])
        try await expectRows(of: [server.url, "--json"], 1, "\"bad\"", without: ["✗"])
    }

    @Test(
        "doctor of a channel whose sandbox does not run says how to start it",
        arguments: [["TY"], ["TY", "--host", "https://127.0.0.1:1"]])
    func doctorSandbox(words: [String]) async throws {
        try await expectRows(
            of: words, 1, "✗ authorities", "'Scripts/networker sandbox'", "--authority system",
            environment: ["HOME": "/nowhere/\(UUID().uuidString)"])
    }

    @Test("doctor shows a proxy as itself, and neither its address nor its port as the host's")
    func doctorProxy() async throws {
        let proxy = try LoopbackServer.test { request in
            if request.target.hasPrefix("http://gone.") { return .status(502) }
            if request.target.hasPrefix("http://asked.") { return .status(407) }
            return .ok()
        }
        let server = try LoopbackServer.test { _ in .ok() }
        let environment = [
            "http_proxy": proxy.url.replacing("http://", with: "http://user:planted@"), "no_proxy": "127.0.0.1", "HOME": "/tmp",
        ]
        let name = "\(proxy.url.dropFirst("http://".count)) (from http_proxy)"
        try await expectRows(
            of: ["http://unreachable.invalid"], 0, "✓ proxy", "\(name) answers, and connects to unreachable.invalid itself",
            without: ["DNS", "✓ connection", "planted"], environment: environment)
        try await expectRows(
            of: ["http://gone.invalid"], 0, "! proxy", "the status 502; it may be unable to reach gone.invalid",
            environment: environment)
        try await expectRows(
            of: ["http://asked.invalid"], 1, "✗ proxy", "check the variable http_proxy", without: ["✓"], environment: environment)
        try await expectRows(of: [server.url], 0, "✓ connection", without: ["proxy"], environment: environment)
    }
}
