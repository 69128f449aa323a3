import TestSupport

@testable import CoreAPICore

@Suite("A server cannot exceed the channel's memory limits", .closing)
struct ResponseBoundsTests {
    private func requests(bodySize: Int = .max, lines: Int = .max) -> Requests {
        var requests = Requests()
        (requests.limits.responseBodySize, requests.limits.responseHeadLines) = (bodySize, lines)
        return requests
    }

    @Test("256 MiB of zeros in a few kilobytes of any coding stop at the limit", arguments: ["gzip", "br", "deflate"])
    func bombs(coding: String) async throws {
        // Made once with Brotli's own encoder, with a window of 16 MiB. It has 64 MiB of zeros.
        let brotli = try #require(Data(base64Encoded: "z///fwAkAOKxQHLv//n//w+ABEAcFoDu/T////8BkACIwwLQvf/P//9/ABIAcVgAuvf/"))
        let bomb = ServerReply.gzipBomb(decodedBytes: 256 << 20)
        let gzip = bomb.steps.reduce(into: Data()) { if case .sendBody(let bytes) = $1 { $0.append(bytes) } }
        // Without gzip's head and end it is bare deflate.
        let body = coding == "br" ? brotli : Data(gzip.dropFirst(10).dropLast(8))
        let server = try LoopbackServer.start { _ in coding == "gzip" ? bomb : .ok(body, headers: ["Content-Encoding": coding]) }
        let response = try await requests(bodySize: 1 << 20).send(.get, server.url)
        #expect(response.transportError == .responseTooLarge(limit: 1 << 20) && response.status == 200)
        #expect(response.data == Data(count: 1 << 20))
    }

    @Test("A body of exactly the limit passes, one byte more does not")
    func edge() async throws {
        let server = try LoopbackServer.start { _ in .ok("12345") }
        #expect(try await requests(bodySize: 5).send(.get, server.url).text == "12345")
        let response = try await requests(bodySize: 4).send(.get, server.url)
        #expect(response.transportError?.label == "responseTooLarge" && response.text == "1234")
    }

    @Test("An announced gigabyte allocates no gigabyte")
    func announced() async throws {
        let server = try LoopbackServer.start { _ in .truncated(declared: 1 << 40, sent: Data("x".utf8)) }
        let before = Memory.resident
        #expect(try await Requests().send(.get, server.url).transportError?.label == "truncated")
        #expect(Memory.resident - before < 500 << 20)
    }

    @Test("A head beyond the limit stops", arguments: [(1_000, 70), (1, 200_000), (10_000, 40)])
    func head(_ count: Int, _ size: Int) async throws {
        let lines = HeaderLines((0..<count).map { .init(name: "X-\($0)", value: String(repeating: "a", count: size)) })
        let server = try LoopbackServer.start { _ in .ok("x", headers: lines) }
        let response = try await requests().send(.get, server.url)
        #expect(response.transportError?.label == "headTooLarge" && response.head == nil)
    }

    @Test("Endless interim responses stop at the same limit")
    func interimFlood() async throws {
        let interim = Data(String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 10_000).utf8)
        let server = try LoopbackServer.start { _ in .ok("x").after(.send(interim)) }
        #expect(try await requests().send(.get, server.url).transportError?.label == "headTooLarge")
    }
}
