import ArgumentParser
import TestSupport

@testable import NetworkerCommand

@Suite("The request of a command line", .closing)
struct CallPlanTests {
    @Test(
        "has an address in any of its short forms",
        arguments: [
            ("https://example.com/a?b=1", "https://example.com/a?b=1"), ("example.com/a", "https://example.com/a"),
            ("http://example.com", "http://example.com/"), (":8080/a", "http://localhost:8080/a"), (":/a", "http://localhost/a"),
            (":8080", "http://localhost:8080/"), ("localhost:3000/a", "http://localhost:3000/a"),
            ("127.example.com/a", "https://127.example.com/a"), ("127.0.0.1:18999/get", "http://127.0.0.1:18999/get"),
            ("[::1]:81/a", "http://[::1]:81/a"), ("[0:0:0:0:0:0:0:1]:81/a", "http://[::1]:81/a"),
            ("[2001:db8::1]/a", "https://[2001:db8::1]/a"), ("shop.localhost:8080/a", "http://shop.localhost:8080/a"),
            ("a.b.LocalHost/", "http://a.b.localhost/"), ("shop.localhost./a", "http://shop.localhost./a"),
            ("localhost.:81/a", "http://localhost.:81/a"), ("notlocalhost.example", "https://notlocalhost.example/"),
            ("localhost.example/a", "https://localhost.example/a"), ("notlocalhost.test:81", "https://notlocalhost.test:81/"),
            ("https://example.com/a%2Fb/?q=%C5%9F#part", "https://example.com/a%2Fb/?q=%C5%9F"),
            ("example.com/a/./b/../c", "https://example.com/a/c"), ("example.com/%zz?q=5%", "https://example.com/%25zz?q=5%25"),
            ("example.com/..#../b", "https://example.com/"),
        ])
    func addresses(word: String, url: String) async throws {
        #expect(try await request([word]).url.string == url)
        #expect(try await request(["GET", word]).url.string == url)
    }

    @Test(
        "has one slash between a short --host and its path",
        arguments: [
            ("example.com/v1", "https://example.com/v1/a"), ("example.com", "https://example.com/a"),
            ("shop.localhost:81", "http://shop.localhost:81/a"),
            (":8080/v1/", "http://localhost:8080/v1/a"), ("https://example.com/v1", "https://example.com/v1/a"),
        ])
    func hosts(host: String, url: String) async throws {
        #expect(try await request(["HTTPBin", "GET", "a", "--host", host]).url.string == url)
    }

    @Test("has its items in their places")
    func items() async throws {
        let request = try await request([
            "PUT", "https://example.com/a?x=1", "q==ş t", "X-Foo:bar", "name=Ege", "age:=3.10", "big:=12345678901234567890",
            "tag=a", "tag=b", "quote=\"\\\n",
        ])
        #expect(request.method == .put && request.url.target == "/a?x=1&q=%C5%9F%20t")
        #expect(request.headers[try #require(HTTPField.Name("X-Foo"))] == "bar")
        #expect(request.headers[.contentType] == "application/json")
        #expect(
            try await String(decoding: request.body.collect(upTo: 1_000), as: UTF8.self)
                == #"{"name":"Ege","age":3.10,"big":12345678901234567890,"tag":["a","b"],"quote":"\"\\\u000a"}"#)
    }

    @Test(
        "is a GET without a body, and a POST with one",
        arguments: [
            (["example.com"], "GET"), (["example.com", "q==1"], "GET"), (["example.com", "X-Foo:bar"], "GET"),
            (["example.com", "a=1"], "POST"), (["example.com", "a:=1"], "POST"), (["example.com", "--data", "x"], "POST"),
            (["delete", "example.com"], "DELETE"), (["PURGE", "example.com"], "PURGE"), (["ty", "get", "a"], "GET"),
            (["ty", "M-SEARCH", "a"], "M-SEARCH"),
        ])
    func methods(words: [String], method: String) throws { #expect(try plan(words).method.rawValue == method) }

    @Test("has the parameters of a GET or DELETE in its query, as an endpoint does, beside the body of --data")
    func query() async throws {
        let get = try await request(["TY", "GET", "a?x=1", "q=ş", "q=b"])
        #expect(get.url.path.hasSuffix("/a") && get.url.query == "x=1&q=%C5%9F&q=b" && get.body.isEmpty)
        let delete = try await request(["TY", "DELETE", "a", "x=1", "--data", "y"])
        let body = try await delete.body.collect(upTo: 10)
        #expect(delete.url.query == "x=1" && body == Data("y".utf8))
    }

    @Test("splits its words at octets: paths, credentials, names of members")
    func octets() async throws {
        #expect(try await request([":81/a?\u{301}x", "q==1"]).url.string == "http://localhost:81/a?%CC%81x&q=1")
        #expect(try await request([":81/\u{301}"]).url.string == "http://localhost:81/%CC%81")
        let names = try await request([":81", "\u{E9}=1", "e\u{301}=2"])
        #expect(try await names.body.collect(upTo: 100) == Data("{\"\u{E9}\":\"1\",\"e\u{301}\":\"2\"}".utf8))
        let basic = try await request([":81", "--auth", "ege:\u{301}x"]).headers[.authorization]
        #expect(basic == "Basic \(Data("ege:\u{301}x".utf8).base64EncodedString())")
        let error = #expect(throws: ValidationError.self) { try plan([":81", "--form", "a@/nowhere/b;type=\u{301}"]) }
        #expect(error?.message.contains("cannot read '/nowhere/b'") == true, "\(error?.message ?? "")")
        let words = [":81", "--data=\u{301}=b", "-d=\u{301}", "--auth=ege:x", "--", "--a=\u{301}"]
        let split = [":81", "--data", "\u{301}=b", "-d", "\u{301}", "--auth=ege:x", "--", "--a=\u{301}"]
        #expect(RootCommand.arguments(of: ["networker"] + words) == split)
        // "ı" and "ſ" become ASCII letters in capitals, and the Kelvin sign in small letters.
        for method in ["opt\u{131}ons", "po\u{17F}t"] { #expect(throws: ValidationError.self) { try plan(["TY", method, "a"]) } }
    }

    @Test("is a form with --form, and one of parts with --multipart")
    func form() async throws {
        for (words, found) in [
            (["--form", "a=1 2", "b:=true", "c=&ş"], "application/x-www-form-urlencoded a=1+2&b=true&c=%26%C5%9F"),
            (["--form", "--data", "a=1&b=2"], "application/x-www-form-urlencoded a=1&b=2"),
            (["--data", "a=1&b=2"], "text/plain; charset=utf-8 a=1&b=2"),
            (["--data", "[1]", "-H", "Content-Type: text/csv"], "text/csv [1]"),
            // As the command's page says, unlike HTTPie.
            (["a[b]=1", "c[]=2"], #"application/json {"a[b]":"1","c[]":"2"}"#),
            ([#"p=c:\x\=y"#], #"application/json {"p":"c:\\x\\=y"}"#),
        ] { #expect(try await data(["example.com"] + words) == found) }
        let parts = try await data(["example.com", "--multipart", "a=1 ş"])
        #expect(parts.hasPrefix("multipart/form-data; boundary=") && parts.contains("name=\"a\"\r\n\r\n1 ş\r\n--"), "\(parts)")
    }

    @Test("has a file's media type by its name", arguments: [("x.csv", "text/csv"), ("x.py", "application/octet-stream")])
    func fileType(name: String, type: String) async throws {
        let file = try temporaryFolder().appendingPathComponent(name)
        try Data("1".utf8).write(to: file)
        let form = try await data(["example.com", "--form", "a@\(file.path)"])
        #expect(form.contains("filename=\"\(name)\"\r\nContent-Type: \(type)\r\n"), "\(form)")
    }

    private func data(_ words: [String]) async throws -> String {
        let request = try await request(words)
        return try await "\(request.headers[.contentType] ?? "") "
            + String(decoding: request.body.collect(upTo: 1_000), as: UTF8.self)
    }

    @Test("has a client certificate with --cert and --key, and rejects what is none before it sends")
    func identity() throws {
        let certificate = try TestAuthority().certificate(for: [], name: "client")
        let folder = try temporaryFolder("identity")
        func file(_ name: String, _ text: String) throws -> String {
            let file = folder.appendingPathComponent(name)
            try Data(text.utf8).write(to: file)
            return file.path
        }
        let cert = try file("cert.pem", certificate.chainPEM)
        let key = try file("key.pem", certificate.keyPEM)
        let both = try file("both.pem", certificate.chainPEM + certificate.keyPEM)
        let encrypted = try file("encrypted.pem", "-----BEGIN ENCRYPTED PRIVATE KEY-----")
        for options in [["--cert", cert, "--key", key], ["--cert", both]] {
            let channel = try plan(["example.com"] + options).target.channel()
            #expect(channel.environment.serverTrustManager.identity != nil)
        }
        for (options, message) in [
            (["--cert", cert], "expected a private key of PEM in '\(cert)'; --key names another file"),
            (["--cert", key], "expected a certificate of PEM"), (["--key", key], "expected --cert as well"),
            (["--cert", "/nowhere/x"], "No such file"), (["--cert", cert, "--key", "/nowhere/x"], "No such file"),
            (["--cert", cert, "--key", encrypted], "expected a key without a passphrase"),
        ] {
            let line = (["example.com"] + options).joined(separator: " ")
            let text = try rejection(CallCommand.self, line) { _ = try $0.plan() }
            #expect(text.contains(message), "\(text)")
        }
    }

    @Test("carries the credentials of --auth, and no header of them with Digest")
    func auth() async throws {
        let basic = try await request(["example.com", "--auth", "ege:a:b"])
        #expect(basic.headers[.authorization] == "Basic \(Data("ege:a:b".utf8).base64EncodedString())")
        #expect(try await request(["example.com", "-u", "ege:x"]).headers[.authorization] != nil)
        let bearer = try await request(["example.com", "--auth", "token", "--auth-type", "bearer"])
        #expect(bearer.headers[.authorization] == "Bearer token")
        #expect(try await request(["example.com", "-a", "ege:x", "--auth-type", "digest"]).headers[.authorization] == nil)
        #expect(throws: ValidationError.self) { try plan(["example.com", "--auth", "ege"]) }
        #expect(throws: ValidationError.self) { try plan(["example.com", "--auth", "a:b", "Authorization:x"]) }
    }

    private func failed(_ failure: TransportError) -> APIClientError {
        let call = Call(channel: Channel("Books", hosts: [.production: "https://books.example"]), endpoint: "a")
        return .transport(failure, APIClientError.Context(call))
    }

    @Test("has advice for a server that does not listen; only a channel without --host can name another")
    func advice() throws {
        let failure = TransportError.cannotConnect(host: "127.0.0.1", reason: "rejected")
        let channel = try plan(["HTTPBin", "GET", "a"]).target
        #expect(try #require(channel.advice(about: failed(failure))).hasSuffix(", or name another with --host"))
        for words in [["HTTPBin", "GET", "a", "--host", ":81"], [":81/a"]] {
            #expect(try plan(words).target.advice(about: failed(failure)) == "check that a server listens at localhost:81")
        }
    }

    @Test("has the same advice if the channel translates its errors")
    func translatedAdvice() async throws {
        var channel = closing(Channel("Books", hosts: [.production: "https://127.0.0.1:9"]))
        channel.errorFilter = channel.errorFilter.localized(["transport": "No network"])
        let error = try #require(await NetworkManager<Never>(channel: channel).response(for: .get("a"), as: .data).error)
        #expect(error.label == "app.transport.cannotConnect")
        #expect(try plan([":9/a"]).target.advice(about: error) == "check that a server listens at localhost:9")
    }

    @Test("has advice for a channel with a sandbox: to start it, to examine it, to wait longer")
    func sandboxAdvice() throws {
        let target = try plan(["TY", "GET", "a"]).target
        #expect(
            target.advice(about: failed(.cannotConnect(host: "127.0.0.1", reason: "rejected")))
                == "start 'Scripts/networker sandbox' of the kit's repository in another terminal, "
                + "or name another server with --host")
        #expect(target.advice(about: failed(.timedOut(.total, after: .seconds(9)))) == "--timeout sets another limit, in seconds")
        let failure = TransportError.tls(host: "127.0.0.1", reason: "the certificate has expired")
        #expect(try #require(target.advice(about: failed(failure))).contains("trusts only the authority in"))
        // With an authority that is named, the sandbox's is not meant.
        let other = try plan(["TY", "GET", "a", "--authority", "system"]).target
        let advice = try #require(other.advice(about: failed(failure)))
        #expect(advice.contains(" doctor TY --environment sandbox --authority system checks each step"), "\(advice)")
    }
}
