import ArgumentParser
import TestSupport

@testable import NetworkerCommand

@Suite("networker call")
struct CallCommandTests {
    @Test(
        "exits with 64 for an invalid command line, and states what was expected",
        arguments: [
            ("", "expected an address, or a channel"), ("XX GET a", "expected TY, DL, ML, ID, HTTPBin"),
            ("XX", "unknown channel 'XX'"), ("TZ GET a", "unknown channel 'TZ'; did you mean 'TY'? Expected TY, DL, ML"),
            ("htpbin GET a", "did you mean 'HTTPBin'?"), ("docotr example.com", "did you mean 'doctor'?"),
            ("TY GET a --environment prodction", "did you mean 'production'? Expected production, staging or sandbox"),
            ("TY", "expected a method and a path after 'TY'"), ("TY GET", "expected a path after"),
            ("TY orders", "expected a method before the path, such as GET, got 'orders'"),
            ("TY search q=x", "expected a method before the path, such as GET, got 'search'"),
            ("GET TY orders", "the channel comes before the method; expected 'TY GET …'"),
            ("TY G( a", "expected a token such as GET"), ("TY GET ../a", "'..' segments"),
            ("TY GET https://evil/", "'TY' names its own host"), ("TY https://evil/", "'TY' names its own host"),
            ("https://user:x@evil/", "user"), ("https://exa mple", "expected"),
            ("ftp://example.com/a", "expected an http or https URL"), ("TY GET a novalue", "expected name=value"),
            ("TY GET a --header bad", "expected 'Name: value'"),
            ("TY GET a Content-Length:5", "the kit sends Content-Length itself"),
            ("TY GET a --environment moon", "expected production, staging or sandbox"),
            ("TY GET a --host ftp://x", "expected an http or https URL"), ("TY GET a --host https://x/?q", "without a query"),
            ("example.com --host https://x", "--host is for a channel"),
            ("example.com --environment staging", "--environment is for a channel"),
            ("TY GET a --authority /nowhere", "expected a readable file"), ("TY GET a --reveal-secrets", "expected --curl"),
            ("TY POST a x=1 --data y", "expected one of them"), ("TY GET a --timeout 0", "expected more than 0"),
            ("TY GET a --timeout -1", "expected more than 0"), ("TY GET a --timeout soon", "expected more than 0"),
            ("example.com GET a:=1", "expected name=value"), ("GET example.com a:=1", "values of a GET go into its query"),
            ("GET example.com a@b", "values of a GET go into its query"), ("GET example.com --form a=1", "--form needs a body"),
            ("POST example.com --multipart", "--multipart needs a body"),
            ("DELETE example.com --form --data a=1 b=2 c@d", "values of a DELETE go into its query"),
            ("example.com --form a:=[1]", "which a form cannot hold"), ("example.com a=@- b=@-", "standard input is read once"),
            ("example.com --form doc@-", "a form's file needs a path"),
            ("example.com --auth-type bearer", "expected --auth as well"), ("example.com -d a -d b", "--data is given twice"),
            ("ege:secret@example.com/x", "expected --auth user:password"),
            ("example.com --offline -o x", "--offline and --output exclude each other"),
            ("example.com -o /nowhere/at/all", "its folder does not exist"), ("example.com a@b", "add --form"),
            (
                "example.com --form a@/nowhere/x;type=text/csv",
                "cannot read '/nowhere/x' for the form: No such file or directory; expected a readable file"
            ),
            ("example.com --data @/nowhere/x", "cannot read the body from '/nowhere/x': No such file or directory"),
            ("example.com X-A:1 -H X-A:2", "is given twice"), ("example.com --form --multipart", "got both"),
            ("example.com --repeat 0", "expected --repeat from 1"), ("example.com --repeat -3", "expected --repeat from 1"),
            ("example.com --at-a-time 3", "expected --repeat as well"), ("example.com --repeat 2 -o x", "expected no --output"),
            ("example.com --json --body", "--json and --body exclude each other"),
            ("example.com -A x:secret", "Unknown option '-A'"), ("example.com --http2", "Unknown option '--http2'"),
        ])
    func usage(line: String, message: String) throws {
        let text = try rejection(CallCommand.self, line) { _ = try $0.plan() }
        #expect(text.contains(message) && !text.contains("x:secret"), "\(text)")
    }
}

@Suite("--data", .closing)
struct CallBodyTests {
    @Test(
        "is sent unchanged, with the media type of its content",
        arguments: [(#"{"a": 1}"#, "application/json"), ("a=1", "text/plain; charset=utf-8")])
    func text(text: String, type: String) throws {
        let body = try CallBody(text)
        #expect(body.bytes == Data(text.utf8) && body.contentType == type)
    }

    @Test("is read from a file behind an @")
    func file() throws {
        let body = try CallBody("@\(written(Data([0xFF, 0x00])).path)")
        #expect(body.bytes == Data([0xFF, 0x00]) && body.contentType == "application/octet-stream")
    }

    @Test("names a file that cannot be read, although a combining mark begins its name", arguments: ["/nowhere", "\u{301}no"])
    func missing(name: String) {
        let error = #expect(throws: ValidationError.self) { try CallBody("@\(name)") }
        let reason = "No such file or directory; expected a readable file, or @- for standard input"
        #expect(error?.message == "cannot read the body from '\(name)': \(reason)")
    }
}

@Suite("The report of a call")
struct CallReportTests {
    /// The request of an endpoint as the recorder saw it, with its report.
    private func report(_ endpoint: some Endpoint, _ extras: CallReport.Extras = []) async throws -> CallReport {
        let recorder = CallRecorder()
        let fixtures = [Fixture(.get, "a", body: #"{"b":1}"#), Fixture(.get, "gone", status: 404, body: "<p>\u{1B}")]
        let channel = Channel.test(FixtureTransport(fixtures)) { $0.listeners = [recorder] }
        let response = await channel.dispatcher.response(for: endpoint, as: .data)
        return CallReport(response: response, calls: recorder.takeFinished(), extras: extras)
    }

    @Test("shows a body in lines, and escapes the server's control characters")
    func text() async throws {
        #expect(try await report(.get("a")).rendered().contains("{\n  \"b\": 1\n}"))
        let failed = try await report(.get("gone"))
        #expect(failed.rendered().contains("<p>\\u{1B}") && failed.record.ok == false)
        #expect(failed.record.status == 404)
        #expect(failed.record.errorLabel == "verification.unacceptableStatus.404")
    }

    @Test("hides secrets in the cURL command unless they are requested")
    func cURL() async throws {
        let endpoint = TypedEndpoint.get("a", headers: ["Authorization": "Bearer abcdefghijk"])
        #expect(try await report(endpoint).cURL == nil)
        let hidden = try await report(endpoint, .cURL)
        #expect(hidden.cURL?.contains("abcdefghijk") == false && hidden.rendered().contains("\ncurl "))
        #expect(try await report(endpoint, [.cURL, .secrets]).cURL?.contains("Bearer abcdefghijk") == true)
        #expect(try await report(endpoint, .heads).rendered().contains("abcdefghijk") == false)
    }
}

@Suite("The percentiles of repeated calls")
struct RepetitionTests {
    private func repetition(_ count: Int) -> Repetition {
        let totals = (0..<count).map { Duration.milliseconds($0 + 1) }
        return Repetition(
            elapsed: .seconds(1), atATime: 1, totals: totals, firstBytes: totals, statuses: [200: count], failures: 0,
            firstError: nil)
    }

    @Test(
        "are those that the number of calls supports, by the nearest rank",
        arguments: [
            (1, ["min", "max"]), (2, ["min", "max"]), (3, ["min", "p50", "max"]), (9, ["min", "p50", "max"]),
            (10, ["min", "p50", "p90", "max"]), (99, ["min", "p50", "p90", "max"]), (100, ["min", "p50", "p90", "p99", "max"]),
        ])
    func percentiles(count: Int, names: [String]) {
        let repetition = repetition(count)
        #expect(Repetition.percentiles(of: repetition.totals).map(\.name) == names)
        #expect(repetition.record.totalMs.keys.sorted() == names.sorted())
        let lines = repetition.rendered().split(separator: "\n")
        #expect(lines.contains { $0.split(separator: " ").map(String.init) == names }, "\(repetition.rendered())")
        let ranks = Repetition.percentiles(of: self.repetition(200).totals).map { Int($0.value / .milliseconds(1)) }
        #expect(ranks == [1, 100, 180, 198, 200])
    }

    @Test(
        "have a histogram of one step for each five calls", arguments: [(1, 0), (9, 0), (10, 2), (50, 10), (99, 10), (200, 11)])
    func histogram(count: Int, steps: Int) {
        #expect(repetition(count).rendered().split(separator: "\n").count { $0.contains("≤") } == steps)
    }
}

@Suite("The items of a request", .closing)
struct RequestItemTests {
    @Test(
        "are split at the first separator, the longer one of two at the same character",
        arguments: [
            ("a=1", RequestItem(.text, "a", "1")), ("filter=a=b", RequestItem(.text, "filter", "a=b")),
            ("q=", RequestItem(.text, "q", "")), ("age:=3", RequestItem(.json, "age", "3")),
            ("q==1", RequestItem(.query, "q", "1")), ("X-Foo:bar", RequestItem(.header, "X-Foo", "bar")),
            ("X-Foo;", RequestItem(.header, "X-Foo", "")), ("photo@cat.png", RequestItem(.file, "photo", "cat.png")),
            ("a\\=b=c", RequestItem(.text, "a=b", "c")), ("a\\:b:=[1, 2]", RequestItem(.json, "a:b", "[1, 2]")),
            ("to=a@b.example", RequestItem(.text, "to", "a@b.example")), ("note=\\@x", RequestItem(.text, "note", "@x")),
            ("when=10:30", RequestItem(.text, "when", "10:30")), ("ş=ç", RequestItem(.text, "ş", "ç")),
        ])
    func separators(word: String, item: RequestItem) throws { #expect(try RequestItem(word) == item) }

    @Test(
        "are split at octets, whatever combines with a separator",
        arguments: [
            ("q==\u{93F}", RequestItem(.query, "q", "\u{93F}")), ("name=\u{309A}", RequestItem(.text, "name", "\u{309A}")),
            ("n:=\"\u{301}\"", RequestItem(.json, "n", "\"\u{301}\"")),
            ("photo@\u{301}.png", RequestItem(.file, "photo", "\u{301}.png")),
            ("X-A:\u{301}b", RequestItem(.header, "X-A", "\u{301}b")), ("a\\=\u{301}=c", RequestItem(.text, "a=\u{301}", "c")),
            ("a=\\@\u{301}", RequestItem(.text, "a", "@\u{301}")), ("a\u{338}=b", RequestItem(.text, "a\u{338}", "b")),
            ("\u{2260}=b", RequestItem(.text, "\u{2260}", "b")), ("a\u{37E}=b", RequestItem(.text, "a\u{37E}", "b")),
        ])
    func octets(word: String, item: RequestItem) throws {
        let found = try RequestItem(word)
        #expect(found.kind == item.kind)
        // Texts that are canonically equivalent are equal.
        #expect(Array(found.name.utf8) == Array(item.name.utf8) && Array(found.value.utf8) == Array(item.value.utf8))
    }

    @Test(
        "state what was expected",
        arguments: [
            ("", "expected name=value"), ("novalue", "expected name=value"), ("=x", "expected a name"), ("@x", "expected a name"),
            ("X-Foo:", "'X-Foo;' sends the header without one"), ("age:=three", "for text write age=…"),
            ("photo@", "expected a file"), ("a b:c", "token"),
            ("a=@/no", "from '/no': No such file or directory; expected a readable file, or @- for standard input"),
            // A combining mark begins a name, and a Greek question mark is no semicolon.
            ("a=@\u{301}nowhere", "cannot read the value of 'a'"), ("X-Foo\u{37E}", "expected name=value"),
        ])
    func malformed(word: String, message: String) {
        let error = #expect(throws: ValidationError.self) { try RequestItem(word) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("read a value from a file")
    func file() throws {
        let file = try written("[1,2]")
        let name = file.path
        for (separator, kind) in [("=", RequestItem.Kind.text), (":=", .json), ("==", .query)] {
            #expect(try RequestItem("a\(separator)@\(name)") == RequestItem(kind, "a", "[1,2]"))
        }
        for end in ["\n", "\r\n"] {
            try Data("t0ken\n\(end)".utf8).write(to: file)
            // One line end goes; a second one is the user's. In a header it is rejected.
            #expect(try RequestItem("a==@\(name)") == RequestItem(.query, "a", "t0ken\n"))
            #expect(throws: ValidationError.self) { try RequestItem("A:@\(name)") }
            #expect(try RequestItem("a=@\(name)") == RequestItem(.text, "a", "t0ken\n\(end)"))
            try Data("t0ken\(end)".utf8).write(to: file)
            #expect(try RequestItem("A:@\(name)") == RequestItem(.header, "A", "t0ken"))
        }
        let error = #expect(throws: ValidationError.self) { try RequestItem("a:=@\(name)") }
        #expect(error?.message == "expected JSON in '\(name)'; for text write a=@\(name)")
        try Data([0xFF]).write(to: file)
        #expect(throws: ValidationError.self) { try RequestItem("a=@\(name)") }
    }
}

@Suite("--header")
struct HeaderLineTests {
    @Test(
        "is split at its first colon, whatever combines with it, without the blanks around the value",
        arguments: [("X-A:  10:30 ", "10:30"), ("X-A:\u{301}b", "\u{301}b")])
    func split(text: String, value: String) throws {
        let line = try HeaderLine(text)
        #expect(line.name == "X-A" && Array(line.value.utf8) == Array(value.utf8))
    }

    @Test(
        "states what was expected",
        arguments: [("bad", "'Name: value'"), ("ba d: x", "token"), ("x: a\r\ny: b", "CR"), (": x", "token")])
    func malformed(text: String, hint: String) {
        let error = #expect(throws: ValidationError.self) { try HeaderLine(text) }
        #expect(error?.message.contains(hint) == true)
    }

    @Test("accepts each name once, in any case")
    func distinct() throws {
        let lines = try ["a: 1", "A: 2"].map { try HeaderLine($0) }
        #expect(throws: ValidationError.self) { try lines.checkNamesAreDistinct() }
        try [lines[0]].checkNamesAreDistinct()
    }
}

@Suite("JSON in lines")
struct JSONIndenterTests {
    @Test("keeps the order of names, the text of numbers, and all that stands in strings")
    func faithful() {
        let json = #"{"z":1.10,"a":[{"b":"x,{\"} \\"},[]], "e" : {},"n":12345678901234567890}"#
        #expect(
            JSONIndenter.indented(Data(json.utf8)) == #"""
                {
                  "z": 1.10,
                  "a": [
                    {
                      "b": "x,{\"} \\"
                    },
                    []
                  ],
                  "e": {},
                  "n": 12345678901234567890
                }
                """#)
    }

    @Test(
        "leaves a lone value alone, and what is no JSON to others",
        arguments: [("\"a b\"", "\"a b\""), ("<html>", nil), ("{}{}", nil), ("", nil)] as [(String, String?)])
    func others(text: String, shown: String?) { #expect(JSONIndenter.indented(Data(text.utf8)) == shown) }

    @Test("steers no terminal, and makes no large text of a small one")
    func bounds() {
        let json = "[\"\u{7F}\u{9B}31m\u{202E}ğ\"]"
        #expect(JSONIndenter.indented(Data(json.utf8)) == "[\n  \"\\u007f\\u009b31m\\u202eğ\"\n]")
        let deep =
            String(repeating: "[", count: 400) + String(repeating: "1,", count: 5_000) + "1" + String(repeating: "]", count: 400)
        #expect((JSONIndenter.indented(Data(deep.utf8)) ?? "").utf8.count < 20 * deep.utf8.count)
    }
}

@Suite("A body on a terminal while it arrives")
struct TerminalTextTests {
    private func shown(_ chunks: [String]) -> [String] { shown(chunks.map { Data($0.utf8) }) }

    private func shown(_ chunks: [Data]) -> [String] {
        var text = TerminalText()
        let pieces = chunks.map { text.next($0) } + [text.end()]
        return pieces.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("is shown at each chunk, without a line end, and ends with one")
    func atOnce() {
        #expect(shown(["Hel", "lo", " you"]) == ["Hel", "lo", " you", "\n"])
        #expect(shown(["a\nb", "\n"]) == ["a\nb", "\n", ""])
        #expect(shown([""]) == ["", ""])
    }

    @Test("has whole characters and line ends, wherever the chunks are cut", arguments: ["é", "€", "😀", "\r\n", "x\u{301}"])
    func cut(text: String) {
        let bytes = Data("a\(text)b".utf8)
        for cut in 0...bytes.count {
            #expect(shown([Data(bytes[..<cut]), Data(bytes[cut...])]).joined() == "a\(text == "\r\n" ? "\n" : text)b\n")
        }
        #expect(shown(bytes.map { Data([$0]) }).joined() == "a\(text == "\r\n" ? "\n" : text)b\n")
    }

    @Test("does not control the terminal, and bytes that are no text hold nothing back")
    func controls() {
        #expect(!shown(["\u{1B}[2", "J"]).joined().contains("\u{1B}"))
        #expect(shown([Data([0xFF, 0x80, 0x80, 0x80]), Data("x".utf8)]).last == "\n")
    }
}
