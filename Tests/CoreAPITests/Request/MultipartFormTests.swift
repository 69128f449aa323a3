import TestSupport

@testable import CoreAPICore

@Suite("Forms with files", .closing, .timeLimit(.minutes(1)))
struct MultipartFormTests {
    private func temporary(_ data: Data) throws -> URL {
        let file = temporaryFile("part.csv")
        try data.write(to: file)
        return file
    }

    /// What httpbin, which uses Python's parser, read from a form.
    private func echo(_ form: MultipartForm) async throws -> JSONValue {
        let channel = Channel.test(try #require(ProcessInfo.processInfo.environment["NETWORKERKIT_HTTPBIN_URL"]))
        return try await channel.manager.request(.post("post", encoding: .multipart(form)), as: JSONValue.self)
    }

    @Test("parts from memory, a file and a stream arrive as they are, with their names")
    func parts() async throws {
        let bytes = Data((0...255).map(UInt8.init))
        let file = try temporary(Data("a,b\r\n--".utf8))
        let stream = Body.pieces(["one ", "", "two"].map { Data($0.utf8) })
        let form = MultipartForm([
            .text("title", "Bez çanta"), .text("quote\"d", "x"), .text("title", "second"),
            .data("image", bytes, fileName: "ş \"1\".png", contentType: "image/png"), .file("table", file),
            MultipartForm.Part("lines", body: stream, fileName: "lines.txt", contentType: "text/plain"),
        ])
        let echo = try await echo(form)
        #expect(echo["form"]?["title"]?.array?.compactMap(\.string) == ["Bez çanta", "second"])
        #expect(echo["form"]?["quote\"d"]?.string == "x" && echo["files"]?["table"]?.string == "a,b\r\n--")
        #expect(echo["files"]?["lines"]?.string == "one two")
        #expect(echo["files"]?["image"]?.string == "data:image/png;base64,\(bytes.base64EncodedString())")
    }

    @Test("the length is sent if that of every part is known, and is exact")
    func length() async throws {
        let file = try temporary(Data(repeating: 65, count: 300_000))
        let known = MultipartForm([.text("a", "1"), .file("f", file)])
        let length = try #require(try known.body().length)
        #expect(try await known.body().collect(upTo: 1_000_000).count == Int(length))
        let echo = try await echo(known)
        #expect(echo["headers"]?["Content-Length"]?.string == "\(length)")
        #expect(echo["files"]?["f"]?.string?.count == 300_000)
        #expect(try MultipartForm([MultipartForm.Part("s", body: .pieces([]))]).body().length == nil)
        #expect(try await MultipartForm([], boundary: "b").body().collect(upTo: 99) == Data("--b--\r\n".utf8))
    }

    @Test("a form is sent again whole, and one that can be read only once is not")
    func again() async throws {
        let server = try LoopbackServer.test { $0.headers["x-attempt"] == nil ? .status(503) : .ok() }
        struct Counting: RequestInterceptor {
            func adapt(_ request: inout Request) async throws {
                if request.attempt > 1 { try request.setHeader("X-Attempt", "\(request.attempt)") }
            }
            func retry(_ response: Response<Void>, dueTo error: APIClientError) async throws -> RetryResult { .retry }
        }
        var channel = Channel.test(server.url)
        channel.interceptors = [Counting()]
        channel.limits.attempts = 2
        try await channel.manager.request(.post("x", encoding: .multipart(MultipartForm([.text("a", "1")]))))
        #expect(server.requests.count == 2 && server.requests[0].body == server.requests[1].body)
        let answer = await channel.manager.stream(.get("x", headers: ["X-Attempt": "1"]))
        let once = MultipartForm([MultipartForm.Part("a", body: try answer.value)])
        #expect(try !once.body().isReplayable)
        let response = await channel.manager.response(for: .post("x", encoding: .multipart(once)), as: .nothing)
        #expect(response.head?.status.code == 503 && server.requests.count == 4)
    }

    @Test("a file that cannot be read, and a media type that would end its line, fail before anything is sent")
    func rejected() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let channel = Channel.test(server.url)
        let parts: [MultipartForm.Part] = [
            .file("f", URL(fileURLWithPath: "/nowhere/at-all")),
            .data("f", Data(), fileName: "f", contentType: "text/plain\r\nX-Evil: 1"),
        ]
        for part in parts {
            let error = await channel.error(TestEndpoint("x", .post, encoding: .multipart(MultipartForm([part]))))
            #expect(error?.label.hasPrefix("request.") == true, "\(String(describing: error))")
        }
        #expect(server.requests.isEmpty)
    }

    @Test(
        "a file that shrinks or grows while its form is sent fails the call, even if another one makes up for it",
        arguments: [nil, 2] as [Int64?], [-10, 10])
    func changed(length: Int64?, by difference: Int) async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let files = try (0..<2).map { _ in try temporary(Data(repeating: 65, count: 300_000)) }
        // Is read after the sizes were, and before the files.
        let first = Body.stream(
            Body.Stream(length: length) {
                AsyncStream { continuation in
                    for (file, change) in zip(files, [difference, -difference]) {
                        #expect(truncate(file.path, off_t(300_000 + change)) == 0)
                    }
                    continuation.yield(Data("ok".utf8))
                    continuation.finish()
                }
            })
        let form = MultipartForm([MultipartForm.Part("s", body: first), .file("one", files[0]), .file("two", files[1])])
        #expect(try (form.body().length == nil) == (length == nil))
        let channel = Channel.test(server.url)
        let error = await channel.error(TestEndpoint("x", .post, encoding: .multipart(form)))
        #expect(error?.label == "transport.bodyUnreadable", "\(String(describing: error))")
        #expect("\(String(describing: error))".contains("the part 'one': expected 300000 bytes"))
        await channel.close()
        #expect(server.requests.allSatisfy { $0.error != nil })
    }

    @Test("names cannot end their line or their quotes")
    func names() async throws {
        let form = MultipartForm([.data("a\r\nb\"", Data(), fileName: "c\r\nd\"")], boundary: "b")
        let text = try await String(decoding: form.body().collect(upTo: 1_000), as: UTF8.self)
        #expect(text.hasPrefix("--b\r\nContent-Disposition: form-data; name=\"a%0D%0Ab%22\"; filename=\"c%0D%0Ad%22\"\r\n"))
    }

    @Test("boundaries cannot collide: each has 128 random bits")
    func boundaries() {
        let boundaries = (0..<1_000).map { _ in MultipartForm([]).boundary }
        #expect(Set(boundaries).count == 1_000)
        #expect(boundaries.allSatisfy { $0.wholeMatch(of: /networkerkit-[0-9a-f]{32}/) != nil })
        // No digit is constant.
        let digits = boundaries.map { $0.suffix(32) }
        for index in 0..<32 { #expect(Set(digits.map { $0[$0.index($0.startIndex, offsetBy: index)] }).count == 16) }
    }
}
