import TestSupport

@Suite("The command in a separate process", .closing)
struct ProcessTests {
    /// Standard output and standard error, apart.
    private func streams(
        _ arguments: [String], input: String = "/dev/null", environment: [String: String] = ["HOME": "/tmp"]
    ) async throws -> (status: Int32, output: Data, errors: String) {
        try await BuiltCommand.streams(arguments, input: input, environment: environment)
    }

    /// Runs the command, and expects its exit code and parts of what it writes to standard error.
    private func expect(
        _ arguments: [String], _ status: Int32, _ parts: String..., input: String = "/dev/null",
        environment: [String: String] = ["HOME": "/tmp"], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await streams(arguments, input: input, environment: environment)
        let isRight = outcome.status == status && parts.allSatisfy(outcome.errors.contains)
        #expect(isRight, "\(arguments): \(outcome.status), \(outcome.errors)", sourceLocation: sourceLocation)
    }

    private func temporary(_ data: Data) throws -> URL {
        let file = temporaryFile("body")
        try data.write(to: file)
        return file
    }

    @Test("in a pipe, standard output has the body byte for byte, and standard error the rest")
    func pipe() async throws {
        let bytes = Data((0...255).map(UInt8.init))
        let server = try LoopbackServer.test { request in
            request.target == "/gone" ? .status(404, body: bytes) : .ok(bytes, headers: ["Content-Type": "image/png"])
        }
        let call = try await streams([server.url + "/a"])
        #expect(call.status == 0 && call.output == bytes)
        #expect(call.errors.hasPrefix("200 OK, HTTP/1.1, 256 B") && call.errors.contains("first byte"))
        let failed = try await streams([server.url + "/gone"])
        #expect(failed.status == 1 && failed.output == bytes)
        #expect(failed.errors.contains("error: expected a status in 200…299, got 404"))
        let silent = try await streams([server.url, "--body"])
        #expect(silent.output == bytes && silent.errors.isEmpty)
        let wrong = try await streams(["TY"])
        #expect(wrong.status == 64 && wrong.output.isEmpty && wrong.errors.contains("expected a method"))
        #expect(wrong.errors.contains("Usage: swift run networker-of-tests [call] [METHOD] <address>"), "\(wrong.errors)")
        #expect(wrong.errors.hasPrefix("error: ") && wrong.errors.contains("See 'swift run networker-of-tests call --help'"))
        for (words, usage) in [
            (["download", "example.com"], "download <address> [Name:value …]"), (["call", "--bogus"], "[call] [METHOD]"),
            (["doctor", "nowhere"], "doctor"),
        ] {
            let rejected = try await streams(words)
            #expect(rejected.status == 64 && rejected.errors.hasPrefix("error: "), "\(rejected.errors)")
            #expect(rejected.errors.contains("Usage: swift run networker-of-tests \(usage)"), "\(rejected.errors)")
        }
        let kind = try await streams(["new", "chanel", "BK", "--kit", "."])
        #expect(kind.status == 64 && kind.output.isEmpty)
        #expect(kind.errors == "error: expected channel or feature after 'new', got 'chanel'\nhint: write channel\n")
        #expect(try await streams(["new"]).errors.contains("hint: 'swift run networker-of-tests new --help' shows both"))
        let json = try await streams([server.url, "--json"])
        #expect(try JSONSerialization.jsonObject(with: json.output) is [String: Any])
    }

    @Test("in front of jq, standard output is the JSON alone, with -v, too")
    func jq() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"id":"B-7"}"#) }
        let piped = try await BuiltCommand.shell("\"$@\" -v 2>/dev/null | jq --raw-output .id", [server.url])
        #expect(piped.status == 0 && piped.text == "B-7\n", "\(piped.text)")
    }

    @Test("names an unknown option without a value that is written behind it", arguments: ["-uege:planted", "-ve'planted'"])
    func joinedValue(option: String) async throws {
        let rejected = try await streams(["example.com", option])
        #expect(rejected.status == 64 && rejected.errors.hasPrefix("error: Unknown option '\(option.prefix(2))"))
        #expect(!rejected.errors.contains("planted"), "\(rejected.errors)")
    }

    @Test("-o writes the body of a success into the file, and leaves the file of a failure as it was")
    func output() async throws {
        let server = try LoopbackServer.test { $0.target == "/gone" ? .status(404, body: Data("no".utf8)) : .ok("new") }
        let file = try temporary(Data("old".utf8))
        let failed = try await streams([server.url + "/gone", "-o", file.path])
        #expect(failed.status == 1 && failed.output.isEmpty && failed.errors.contains("no"))
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        let saved = try await streams([server.url, "-o", file.path])
        #expect(saved.status == 0 && saved.output.isEmpty && saved.errors.contains("3 B written to \(file.path)"))
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
        let events = try await streams(["events", server.url + "/x"])
        #expect(events.status == 0 && String(decoding: events.output, as: UTF8.self) == "message 1\n  a\ntick 2\n  b\n")
        #expect(events.errors.contains("connected, 200\nended by the server; connecting again in"))
        #expect(events.errors.hasSuffix("\nno more events: the server answered with the status 204\n"), "\(events.errors)")
        try await expect(
            ["events", server.url + "/x", "--count", "3", "--reconnections", "0"], 0,
            "ended by the server; --reconnections allows no other")
        let json = try await streams(["events", server.url + "/x", "--json", "--count", "1"])
        #expect(json.status == 0 && json.errors.hasSuffix("closed after 1 event\n"), "\(json.errors)")
        #expect(String(decoding: json.output, as: UTF8.self) == #"{"data":"a","id":"1","name":"message"}"# + "\n")
        let failed = try await streams(["events", server.url + "/gone"])
        #expect(failed.status == 1 && failed.output.isEmpty)
        #expect(failed.errors.contains("error: expected a status in 200…299, got 404"))
        try await expect(["events"], 64, "expected an address, or a channel and a path")
    }

    @Test("reads a body from standard input")
    func standardInput() async throws {
        let server = try LoopbackServer.test { .ok($0.body, headers: ["X-Type": $0.headers["content-type"] ?? ""]) }
        let bytes = Data((0...255).map(UInt8.init))
        let file = try temporary(bytes)
        for data in ["@-", "@/dev/stdin", "@\(file.path)"] {
            let call = try await streams(["POST", server.url, "--data", data], input: file.path)
            #expect(call.output == bytes, "\(call.errors)")
            // Of the named file, standard input has all bytes left.
            #expect(call.errors.contains("standard input was not read") == (data == "@\(file.path)"), "\(call.errors)")
        }
    }

    @Test("rejects a request without a body if data is piped into it, and says how to send that")
    func pipedBody() async throws {
        let server = try LoopbackServer.test { .ok($0.body) }
        let file = try temporary(Data("data".utf8))
        for words in [[server.url], ["POST", server.url], ["HTTPBin", "PUT", "a", "--host", server.url]] {
            let piped = try await BuiltCommand.shell("echo data | \"$@\"", words)
            #expect(piped.status == 64 && piped.text.contains("expected --data @- to send that data"), "\(piped.text)")
            try await expect(words, 64, "standard input has data", input: file.path)
        }
        #expect(server.requests.isEmpty)
        let ignored = try await streams(["POST", server.url, "--ignore-stdin"], input: file.path)
        #expect(ignored.status == 0 && !ignored.errors.contains("standard input"), "\(ignored.errors)")
    }

    @Test("leaves standard input to the script that runs it, and says so")
    func inheritedInput() async throws {
        let server = try LoopbackServer.test { .ok($0.target) }
        let file = try temporary(Data("a\nb\nc\n".utf8))
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

    @Test("-v shows every line that was sent, of every hop")
    func verbose() async throws {
        let server = try LoopbackServer.test { request in
            request.target == "/a" ? .status(307, headers: ["Location": "/b"]) : .ok("done")
        }
        let call = try await streams(["PUT", server.url + "/a", "x=1", "X-Foo:bar", "--auth", "ege:secret1", "-v"])
        #expect(call.output == Data("done".utf8))
        let sent = call.errors.split(separator: "\n").filter { $0.hasPrefix("> ") }.map(String.init)
        #expect(sent.filter { $0.hasPrefix("> PUT ") } == ["> PUT /a HTTP/1.1", "> PUT /b HTTP/1.1"])
        let hops = sent.joined(separator: "\n").components(separatedBy: "> PUT ").dropFirst()
        #expect(hops.count == 2 && server.requests.count == 2)
        for (hop, request) in zip(hops, server.requests) {
            let shown = Set(hop.components(separatedBy: "\n"))
            #expect(shown.contains("> {\"x\":\"1\"}") && request.headers.map(\.name).contains("Authorization"))
            for header in request.headers where header.name != "Authorization" {
                #expect(shown.contains("> \(header.name): \(header.value)"), "\(header) was sent and is not shown:\n\(hop)")
            }
        }
        #expect(!call.errors.contains("secret1") && !call.errors.contains(Data("ege:secret1".utf8).base64EncodedString()))
        #expect(call.errors.contains("\nredirect: PUT /b"))
        let json = try await streams(["PUT", server.url + "/a", "x=1", "--json"])
        let record = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
        let exchanges = try #require(record["exchanges"] as? [[String: Any]])
        #expect(exchanges.map { $0["status"] as? Int } == [307, 200])
        #expect(exchanges.map { $0["url"] as? String } == [server.url + "/a", server.url + "/b"])
    }

    @Test(
        "-v shows the lines for a proxy that serves clear text, and hides its credentials", arguments: ["", "user:planted@", "@"])
    func verboseThroughProxy(credentials: String) async throws {
        let proxy = try LoopbackServer.test { _ in .ok() }
        let call = try await streams(
            ["POST", "http://unreachable.invalid/a", "x=1", "-v"],
            environment: ["http_proxy": proxy.url.replacing("http://", with: "http://" + credentials), "HOME": "/tmp"])
        let request = try #require(proxy.requests.first, "\(call.errors)")
        let shown = call.errors.split(separator: "\n").filter { $0.hasPrefix("> ") && $0.contains(": ") }.map { $0.dropFirst(2) }
        #expect(shown.map { $0.prefix { $0 != ":" } }.sorted() == request.headers.map { $0.name[...] }.sorted(), "\(call.errors)")
        for header in request.headers {
            let value = header.name == "Proxy-Authorization" ? "<redacted>" : header.value
            #expect(shown.contains("\(header.name): \(value)"), "\(header) was sent and is not shown:\n\(call.errors)")
        }
        #expect(request.headers.map(\.name).contains("Proxy-Authorization") == !credentials.isEmpty)
        #expect(!call.errors.contains("planted") && !call.errors.contains(Data("user:planted".utf8).base64EncodedString()))
    }

    @Test("-v over HTTP/2 shows each header that was sent, and Host for :authority")
    func verboseHTTP2() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS()) { _ in .ok() }
        let authority = try temporary(Data(#require(server.tls).authorityPEM.utf8))
        let call = try await streams([server.url + "/a", "x=1", "X-Foo:bar", "-v", "--authority", authority.path])
        let request = try #require(server.requests.first, "\(call.errors)")
        let shown = call.errors.split(separator: "\n").filter { $0.hasPrefix("> ") }.map { $0.lowercased() }
        #expect(shown.first == "> post /a http/2" && shown.contains("> host: \(server.url.dropFirst("https://".count))"))
        #expect(request.headers.count > 4)
        for header in request.headers {
            #expect(shown.contains("> \(header.name): \(header.value)".lowercased()), "\(header) is not shown:\n\(call.errors)")
        }
    }

    @Test("--show shows the value under a name that is taken for a secret's, and no other")
    func show() async throws {
        let server = try LoopbackServer.test { _ in .ok("{}", headers: ["X-Session": "page 7", "X-Token": "planted"]) }
        let call = [server.url + "/?cardNumber=4711&pin=planted"]
        for output in ["-v", "--json"] {
            let hidden = try await streams(call + [output])
            let without = String(decoding: hidden.output, as: UTF8.self) + hidden.errors
            #expect(!without.contains("page 7") && !without.contains("4711") && !without.contains("planted"), "\(without)")
            let shown = try await streams(call + [output, "--show", "x-session", "--show", "cardNumber"])
            let with = String(decoding: shown.output, as: UTF8.self) + shown.errors
            #expect(with.contains("page 7") && with.contains("4711") && !with.contains("planted"), "\(with)")
        }
        let wrong = try await streams(call + ["--show", ""])
        #expect(wrong.status == 64 && wrong.errors.contains("expected --show and a name"), "\(wrong.errors)")
    }

    @Test("--auth-type digest answers a challenge, and the status of a wrong password is a failure")
    func digest() async throws {
        let httpbin = try #require(ProcessInfo.processInfo.environment["NETWORKERKIT_HTTPBIN_URL"])
        let url = "\(httpbin)/digest-auth/auth/ege/planted1"
        let right = try await streams([url, "--auth", "ege:planted1", "--auth-type", "digest", "-v"])
        let answer = try #require(try JSONSerialization.jsonObject(with: right.output) as? [String: Any], "\(right.errors)")
        #expect(right.status == 0 && answer["authenticated"] as? Bool == true && answer["user"] as? String == "ege")
        #expect(right.errors.contains("< HTTP/1.1 401") && right.errors.contains("< HTTP/1.1 200"), "\(right.errors)")
        let wrong = try await streams([url, "--auth", "ege:planted2", "--auth-type", "digest"])
        #expect(wrong.status == 1 && wrong.errors.contains("401") && !wrong.errors.contains("planted2"), "\(wrong.errors)")
    }

    @Test("--offline prints the request and sends nothing")
    func offline() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let call = try await streams([server.url, "a:=1", "--offline", "--curl"])
        let text = String(decoding: call.output, as: UTF8.self)
        #expect(call.status == 0 && server.requests.isEmpty)
        #expect(text.contains("> {\"a\":1}") && text.contains("> Content-Length: 7") && text.contains("curl --globoff"))
        #expect(text.hasPrefix("> POST /\n"))
        // Only a proxy that serves clear text gets the whole address.
        for (proxy, url, line) in [
            ("http://127.0.0.1:9", "http://shop.example/a?b=1", "> GET http://shop.example/a?b=1\n"),
            ("socks5://127.0.0.1:9", "http://shop.example/a?b=1", "> GET /a?b=1\n"),
            ("http://127.0.0.1:9", "https://shop.example/a?token=planted", "> GET /a?token="),
        ] {
            let proxied = try await streams([url, "--offline"], environment: ["HOME": "/tmp", "all_proxy": proxy])
            let text = String(decoding: proxied.output, as: UTF8.self)
            #expect(text.hasPrefix(line) && !text.contains("planted"), "\(text)\(proxied.errors)")
        }
    }

    @Test("--repeat counts statuses, and exits with 1 if a call failed")
    func repetition() async throws {
        let server = try LoopbackServer.test { $0.target == "/gone" ? .status(503) : .ok() }
        let call = try await streams([server.url, "--repeat", "20", "--at-a-time", "4"])
        let text = String(decoding: call.output, as: UTF8.self)
        #expect(call.status == 0 && server.requests.count == 20)
        #expect(text.contains("20 calls, 4 at a time") && text.contains("20 × status 200") && text.contains("p90"))
        let failed = try await streams([server.url + "/gone", "--repeat", "3", "--json"])
        #expect(failed.status == 1 && failed.errors.contains("3 of 3 calls failed, one of them with: expected a status"))
        let record = try JSONSerialization.jsonObject(with: failed.output) as? [String: Any]
        #expect(record?["failures"] as? Int == 3)
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
        let call = try await streams([server.url, "--repeat", "8", "--at-a-time", "4", "--timeout", "20", "--json"])
        let record = try JSONSerialization.jsonObject(with: call.output) as? [String: Any]
        #expect(call.status == 0 && record?["failures"] as? Int == 0, "\(call.errors)")
        #expect(server.requests.count == 8)
    }

    @Test("sends the files of a form, which Python's parser reads")
    func form() async throws {
        let url = try #require(ProcessInfo.processInfo.environment["NETWORKERKIT_HTTPBIN_URL"])
        let file = try temporary(Data("a file".utf8))
        let call = try await streams(["\(url)/post", "--form", "title=ş", "doc@\(file.path);type=text/csv"])
        let echo = try #require(try JSONSerialization.jsonObject(with: call.output) as? [String: Any])
        #expect(echo["form"] as? [String: String] == ["title": "ş"])
        #expect(echo["files"] as? [String: String] == ["doc": "a file"])
    }

    @Test("--curl prints a command that a shell runs: a form with files, an authority")
    func curl() async throws {
        let url = try #require(ProcessInfo.processInfo.environment["NETWORKERKIT_HTTPBIN_URL"])
        let folder = try temporaryFolder("it's \"this\", ş;a")
        let file = folder.appendingPathComponent("a,b;c.csv")
        try Data("a file".utf8).write(to: file)
        let call = try await streams([
            "\(url)/post", "--form", "title=it's @ <ş>", "doc@\(file.path);type=text/csv", "--json", "--curl",
            "--reveal-secrets",
        ])
        let record = try #require(try JSONSerialization.jsonObject(with: call.output) as? [String: Any])
        let form = try #require(record["curl"] as? String)
        #expect(form.contains("--form-string") && form.contains(";type=text/csv"), "\(form)")
        let pasted = try await Program.run(["/bin/sh", "-c", "\(form) --silent --max-time 10"])
        let echo = try #require(try JSONSerialization.jsonObject(with: pasted.output) as? [String: Any], "\(form)")
        #expect(echo["form"] as? [String: String] == ["title": "it's @ <ş>"])
        #expect(echo["files"] as? [String: String] == ["doc": "a file"])

        let authority = folder.appendingPathComponent("authority.pem")
        let server = try LoopbackServer.test(tls: ServerTLS()) { _ in .ok("over TLS") }
        try Data(#require(server.tls).authorityPEM.utf8).write(to: authority)
        let secure = try await streams([server.url, "--authority", authority.path, "--json", "--curl"])
        let trusted = try #require(try JSONSerialization.jsonObject(with: secure.output) as? [String: Any], "\(secure.errors)")
        let command = try #require(trusted["curl"] as? String)
        let answer = try await Program.run(["/bin/sh", "-c", "\(command) --silent --max-time 10"])
        #expect(answer.text == "over TLS", "\(command)")
    }

    @Test("names the cause of a failure, and what to do")
    func advice() async throws {
        let httpbin = try #require(ProcessInfo.processInfo.environment["NETWORKERKIT_HTTPBIN_URL"]).dropFirst("http://".count)
        let clear = try await streams(["https://\(httpbin)"])
        #expect(
            clear.status == 1 && clear.errors.contains("hint: \(httpbin) speaks clear text; write http://"), "\(clear.errors)")
        try await expect(["ws", "wss://\(httpbin)"], 1, "hint: \(httpbin) speaks clear text; write ws://")
        let pins = try await streams(["pins", String(httpbin)])
        #expect(pins.status == 1 && pins.errors.contains("hint: \(httpbin) speaks clear text, which has no"), "\(pins.errors)")
        let secure = try LoopbackServer.test(tls: ServerTLS()) { _ in .ok() }
        let address = secure.url.dropFirst("https://".count)
        try await expect(["http://\(address)"], 1, "hint: if \(address) speaks TLS, write https://")
        let untrusted = try await streams(["pins", String(address)])
        #expect(untrusted.status == 1 && untrusted.errors.contains("hint: --authority names"), "\(untrusted.errors)")
        #expect(!untrusted.errors.contains("[channel"), "\(untrusted.errors)")
        let readme = TemporaryPackage.kit.appendingPathComponent("README.md").path
        try await expect(["http://\(address)", "--authority", readme], 64, "expected a file of PEM certificates")
        // No test listens at this port. That of a closed server may be another test's by now.
        let plain = "127.0.0.1:1"
        try await expect([String(plain)], 1, "hint: check that a server listens at \(plain)")
        try await expect(["https://nowhere.invalid"], 1, "hint: check the spelling of the host")
        try await expect(
            ["TY", "GET", "a"], 1, "'Scripts/networker sandbox' of", environment: ["HOME": "/nowhere/\(UUID().uuidString)"])
        let level = try await streams([String(plain)], environment: ["NETWORKER_LOG": "bogus", "HOME": "/tmp"])
        // The channels log to swift-log, and the command shows that only if it is asked to.
        let silent = try await streams(["HTTPBin", "GET", "a", "--host", "http://\(plain)"])
        #expect(!silent.errors.contains("networkerkit."), "\(silent.errors)")
        #expect(silent.errors.contains("hint: check that a server listens at \(plain)"), "\(silent.errors)")
        let debug = try await streams(
            ["HTTPBin", "GET", "a", "--host", "http://\(plain)"], environment: ["NETWORKER_LOG": "debug", "HOME": "/tmp"])
        #expect(debug.errors.contains("networkerkit.HTTPBin"), "\(debug.errors)")
        // An address has no channel with a name; its host stands for it. Neither a query nor a token is a part of its names.
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
        let named = try await streams(
            ["http://\(httpbin)/anything/\(jwt)?token=planted"], environment: ["NETWORKER_LOG": "debug", "HOME": "/tmp"])
        #expect(named.errors.contains("networkerkit.127.0.0.1"), "\(named.errors)")
        #expect(named.errors.contains("GET /anything/"), "\(named.errors)")
        #expect(!named.errors.contains("planted") && !named.errors.contains("dozjgNry"), "\(named.errors)")
        #expect(level.status == 64 && level.errors.contains("expected NETWORKER_LOG to be trace, debug"))
        #expect(level.errors.contains("Usage: swift run networker-of-tests"), "\(level.errors)")
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
        let file = try temporary(Data("a".utf8))
        func line(_ words: [String]) async throws -> String {
            let failed = try await streams(words)
            let lines = failed.errors.split(separator: "\n").filter { $0.hasPrefix("error: ") }
            #expect(failed.status == 1 && lines.count == 1, "\(words): \(failed.errors)")
            #expect(failed.errors.split(separator: "\n").count { $0.hasPrefix("hint: ") } <= 1, "\(words): \(failed.errors)")
            return String(lines.first ?? "")
        }
        let page = server.url + "/gone"
        for words in [
            [gone], ["https://nowhere.invalid/a"], [secure.url], [page], ["\(server.url)/cut"], [page, "--repeat", "2"],
            ["download", page, "-o", file.path + ".csv"], ["events", page], ["events", gone, "--reconnections", "0"],
            ["upload", file.path, "PUT", page], ["ws", page], ["ws", gone],
        ] {
            let line = try await line(words)
            #expect(!line.contains("["), "\(words): \(line)")
        }
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
        for words in [[server.url + "/garbage"], [server.url + "/cut"], ["download", server.url + "/cut", "-o", file]] {
            let failed = try await streams(words)
            #expect(failed.status == 1 && !failed.errors.contains("speaks TLS"), "\(words): \(failed.errors)")
        }
        let half = try await streams([server.url + "/half"])
        #expect(half.status == 1 && !half.errors.contains("speaks TLS"), "\(half.errors)")
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
            let hidden = try await streams(call)
            let text = String(decoding: hidden.output, as: UTF8.self) + hidden.errors
            #expect(text.contains("X-Echo") && !text.contains("planted7"), "\(text)")
            let shown = try await streams(call + ["--show", "x-api-key"])
            #expect((String(decoding: shown.output, as: UTF8.self) + shown.errors).contains("planted7"))
        }
    }

    @Test("shows the body as text on a terminal, and not one that is no text")
    func terminal() async throws {
        let server = try LoopbackServer.test { request in
            request.target == "/png" ? .ok(Data([0x89, 0xFF, 0])) : .ok("{\"a\":1}")
        }
        // script(1) runs a program in a terminal of its own.
        func shown(_ path: String, in setting: String = "") async throws -> String {
            try await Program.run(
                [
                    "script", "-qec", "\(setting)'\(BuiltCommand.path)' \(server.url)\(path) \(setting.isEmpty ? "--body" : "")",
                    "/dev/null",
                ],
                environment: ["HOME": "/tmp", "NO_COLOR": "1", "PATH": "/usr/bin:/bin"]
            ).text
        }
        #expect(try await shown("/json").contains("{\r\n  \"a\": 1\r\n}"))
        #expect(try await shown("/png").contains("(3 B of no stated type, not text and not shown; -o FILE keeps it)"))
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
        #expect(try await BuiltCommand.run([server.url + "/a"], environment: environment).status == 0)
        #expect(try await BuiltCommand.run([server.url + "/a"], environment: ["HOME": "/tmp"]).status == 0)
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
        let result = try await BuiltCommand.run(
            ["call", "HTTPBin", "GET", "get", "--host", "http://slow.example", "--timeout", "1"],
            environment: ["LD_PRELOAD": library.path, "HOME": "/tmp"])
        #expect(result.status == 1)
        #expect(result.text.contains("within 1.0 seconds"), "\(result.text)")
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("uses the environment's proxy, except for the hosts in no_proxy")
    func proxy() async throws {
        let proxy = try LoopbackServer.test { _ in .ok("from the proxy") }
        let server = try LoopbackServer.test { _ in .ok("from the server") }
        let environment = ["http_proxy": proxy.url, "no_proxy": "127.0.0.1", "HOME": "/tmp"]
        let outside = try await BuiltCommand.run(
            ["call", "HTTPBin", "GET", "get", "--host", "http://unreachable.invalid"], environment: environment)
        #expect(outside.status == 0, "\(outside.text)")
        #expect(outside.text.contains("from the proxy"))
        #expect(proxy.requests.map(\.target) == ["http://unreachable.invalid/get"])
        try await BuiltCommand.expect(
            ["call", "HTTPBin", "GET", "get", "--host", server.url], 0, "from the server", environment: environment)
        #expect(proxy.requests.count == 1)
        // With its port: only the server of that port.
        for (port, expected) in [(server.port, "from the server"), (proxy.port, "from the proxy")] {
            let environment = environment.merging(["no_proxy": "*.intern.test,127.0.0.1:\(port)"]) { $1 }
            let outcome = try await BuiltCommand.run(
                ["call", "HTTPBin", "GET", "get", "--host", server.url], environment: environment)
            #expect(outcome.text.contains(expected), "\(port): \(outcome.text)")
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
        let goneHost = "127.0.0.1:1"
        func failure(of proxy: String) async throws -> String {
            let call = ["call", "HTTPBin", "GET", "get", "--host", "\(scheme)://unreachable.invalid"]
            let outcome = try await BuiltCommand.run(call, environment: [variable: proxy, "HOME": "/tmp"])
            #expect(outcome.status == 1, "\(outcome.text)")
            #expect(!outcome.text.contains("planted"), "\(outcome.text)")
            #expect(
                outcome.text.contains("hint: check the variable \(variable), or name the host in no_proxy"), "\(outcome.text)")
            return outcome.text
        }
        let address = asking.url.replacingOccurrences(of: "http://", with: "http://user:planted@")
        let asked = try await failure(of: address)
        #expect(
            asked.contains("the proxy '\(asking.url.dropFirst("http://".count))' (from \(variable)) failed")
                && asked.contains("407"), "\(asked)")
        if scheme == "http" {
            #expect(asked.contains("it rejects the credentials"), "\(asked)")
            #expect(try await failure(of: asking.url).contains("it asks for credentials"))
        }
        let unreachable = try await failure(of: "http://user:planted@\(goneHost)")
        #expect(unreachable.contains("the proxy '\(goneHost)' (from \(variable)) failed"), "\(unreachable)")
        #expect(try await failure(of: "proxy.invalid:3128").contains("the proxy 'proxy.invalid:3128' (from \(variable)) failed"))
        if scheme == "https" { #expect(try await failure(of: rejecting.url).contains("it answered CONNECT with 403")) }
    }

    /// The rows of `doctor`, with the exit code.
    private func doctor(_ arguments: [String], _ environment: [String: String] = ["HOME": "/tmp"]) async throws
        -> (status: Int32, text: String)
    {
        let outcome = try await streams(["doctor"] + arguments, environment: environment)
        return (outcome.status, String(decoding: outcome.output, as: UTF8.self))
    }

    @Test("doctor marks each row, and exits with 1 if one of them fails calls")
    func doctorRows() async throws {
        let server = try LoopbackServer.start { $0.target == "/gone" ? .status(404) : .ok() }
        let port = try #require(server.url.split(separator: ":").last)
        let well = try await doctor([server.url])
        #expect(well.status == 0 && well.text.contains("✓ connection"), "\(well.text)")
        // An address is not looked up.
        #expect(!well.text.contains("DNS"), "\(well.text)")
        let named = try await doctor(["http://localhost:\(port)"])
        #expect(named.text.contains("✓ DNS") && named.text.contains("localhost is 127.0.0.1"), "\(named.text)")
        #expect(well.text.contains("port \(port) answers"), "\(well.text)")
        let channel = try await doctor(["HTTPBin", "--host", server.url])
        #expect(channel.status == 0 && channel.text.contains("✓ connection"), "\(channel.text)")
        // A status is no problem of the connection.
        let page = try await doctor([server.url + "/gone"])
        #expect(page.status == 0 && page.text.contains("! answer"), "\(page.text)")
        server.close()
        let gone = try await doctor([server.url])
        #expect(gone.status == 1 && gone.text.contains("✗ connection") && !gone.text.contains("✓"), "\(gone.text)")
        let json = try await doctor([server.url, "--json"])
        #expect(json.status == 1 && json.text.contains("\"bad\"") && !json.text.contains("✗"), "\(json.text)")
    }

    @Test("doctor of a channel whose sandbox does not run says how to start it")
    func doctorSandbox() async throws {
        for words in [["TY"], ["TY", "--host", "https://127.0.0.1:1"]] {
            let found = try await doctor(words, ["HOME": "/nowhere/\(UUID().uuidString)"])
            #expect(found.status == 1 && found.text.contains("✗ authorities"), "\(found.text)")
            #expect(found.text.contains("'Scripts/networker sandbox'"), "\(found.text)")
            #expect(found.text.contains("--authority system"), "\(found.text)")
        }
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
        let outside = try await doctor(["http://unreachable.invalid"], environment)
        #expect(outside.status == 0 && outside.text.contains("✓ proxy"), "\(outside.text)")
        #expect(outside.text.contains("\(name) answers, and connects to unreachable.invalid itself"), "\(outside.text)")
        #expect(!outside.text.contains("DNS") && !outside.text.contains("✓ connection"), "\(outside.text)")
        #expect(!outside.text.contains("planted"), "\(outside.text)")
        let gone = try await doctor(["http://gone.invalid"], environment)
        #expect(gone.status == 0 && gone.text.contains("! proxy"), "\(gone.text)")
        #expect(gone.text.contains("the status 502; it may be unable to reach gone.invalid"), "\(gone.text)")
        let asked = try await doctor(["http://asked.invalid"], environment)
        #expect(asked.status == 1 && asked.text.contains("✗ proxy"), "\(asked.text)")
        #expect(asked.text.contains("check the variable http_proxy") && !asked.text.contains("✓"), "\(asked.text)")
        let inside = try await doctor([server.url], environment)
        #expect(inside.text.contains("✓ connection") && !inside.text.contains("proxy"), "\(inside.text)")
    }
}
