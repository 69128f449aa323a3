import TestSupport

@Suite("Trailers and informational answers", .closing, .timeLimit(.minutes(1)))
struct TrailersTests {
    private static let reply: ServerReply = [
        .sendHead(status: 100), .sendHead(status: 103, headers: ["Link": "</style.css>; rel=preload"]),
        .sendHead(status: 103, headers: ["Link": "</script.js>; rel=preload"]),
        .sendHead(status: 200, headers: ["Transfer-Encoding": "chunked", "Trailer": "Checksum"]), .sendChunk(Data("body".utf8)),
        .endChunks(trailers: ["Checksum": "abc", "Content-Type": "text/evil"]),
    ]

    @Test("a collected answer has both, over HTTP/1.1 and HTTP/2", arguments: [false, true])
    func collected(secure: Bool) async throws {
        let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil) { $0.path == "/plain" ? .ok("x") : Self.reply }
        let heads = Shared<[Int]>([])
        let channel = Channel.test(server) {
            $0.logger = FunctionLogger { event in
                switch event {
                case .informational(_, let head), .head(_, let head): heads.change { $0.append(head.status.code) }
                default: break
                }
            }
        }
        let response = await channel.manager.response(for: .get("x"), as: .text)
        #expect(response.metrics?.httpVersion == (secure ? "HTTP/2" : "HTTP/1.1"))
        #expect(try response.value == "body")
        #expect(response.informational.map(\.status.code) == [103, 103])
        let links = response.informational.compactMap { $0.headers[.init("Link")!] }
        #expect(links == ["</style.css>; rel=preload", "</script.js>; rel=preload"])
        #expect(response.trailers?.count == 2 && response.trailers?[.init("Checksum")!] == "abc")
        #expect(response.head?.headers[.contentType] == nil)
        #expect(heads.current == [103, 103, 200])
        // A later answer on the same connection has neither.
        let plain = await channel.manager.response(for: .get("plain"), as: .text)
        #expect(plain.informational.isEmpty && plain.trailers == nil)
    }

    @Test("the trailers of a streamed body are there after its end, informational answers before it", arguments: [false, true])
    func streamed(secure: Bool) async throws {
        let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil) { _ in Self.reply }
        let response = await server.manager.stream(.get("x"))
        #expect(response.informational.count == 2 && response.trailers == nil)
        #expect(try await response.value.collect(upTo: 9) == Data("body".utf8))
        #expect(response.trailers?[.init("Checksum")!] == "abc")
    }

    @Test("the limits of the head also bound trailers and informational answers")
    func flood() async throws {
        let hint = ServerReply.Step.sendHead(status: 103, headers: ["A": String(repeating: "x", count: 4_000)])
        let many = HeaderLines(Array(repeating: .init(name: "A", value: "x"), count: 100_000))
        let server = try LoopbackServer.test {
            $0.path == "/heads"
                ? ServerReply(Array(repeating: hint, count: 1_000))
                : [.sendHead(status: 200, headers: ["Transfer-Encoding": "chunked"]), .endChunks(trailers: many)]
        }
        let channel = Channel.test(server)
        for (path, label) in [("heads", "headTooLarge"), ("trailers", "tooManyHeadLines")] {
            #expect(await channel.manager.response(for: .get(path), as: .text).error?.label == "transport.\(label)")
        }
    }
}
