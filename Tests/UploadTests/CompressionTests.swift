import CoreAPITransfers
import TestSupport

@Suite("A compressed upload", .closing, .timeLimit(.minutes(2)))
struct CompressionTests {
    private static let text = Data(String(repeating: "an order of three bags, ", count: 20_000).utf8) + Data.noise(50_000)

    /// Returns the request's body unchanged, in its coding.
    private static let echo: @Sendable (ReceivedRequest) -> ServerReply = { request in
        .ok(request.body, headers: ["Content-Encoding": request.headers["Content-Encoding"] ?? "identity"])
    }

    @Test("is smaller on the wire, and equals its source after decoding", arguments: ContentCoding.allCases)
    func roundTrip(coding: ContentCoding) async throws {
        try #require(coding.isAvailable)
        let server = try LoopbackServer.test(Self.echo)
        let manager = server.manager
        let file = try TemporaryFile(Self.text)
        let text = Self.text
        let bodies: [(String, Body, Data)] = [
            ("bytes", .bytes(text), text), ("file", .file(file.url), text), ("sequence", .cut(text, every: 3_000), text),
            ("large pieces", .cut(text, every: 400_000, length: Int64(text.count)), text),
            ("bytes one by one", .cut(text.prefix(2_000), every: 1), text.prefix(2_000)), ("no bytes", .bytes(Data()), Data()),
        ]
        for (name, body, expected) in bodies {
            let upload = manager.upload(.post("a"), from: body, as: .data, options: UploadOptions(compression: coding))
            #expect(try await upload.value == expected, "\(name)")
            #expect(await upload.lastProgress.completed == Int64(expected.count), "\(name)")
            let request = try #require(server.requests.last)
            #expect(request.headers["Content-Encoding"] == coding.rawValue)
            if expected.count == text.count { #expect(request.bodyLength < text.count / 4, "\(name)") }
        }
    }

    @Test("can be decoded by other programs", arguments: [(ContentCoding.gzip, "gzip"), (.zstd, "zstd")])
    func byOthers(coding: ContentCoding, program: String) async throws {
        guard (try? await Program.run([program, "--version"]).status) == 0 else { return }
        let server = try LoopbackServer.test { _ in .ok() }
        try await upload(.cut(Self.text, every: 3_000), to: server.url, UploadOptions(compression: coding)).value
        let file = try TemporaryFile(try #require(server.requests.first).body)
        let outcome = try await Program.run([program, "-dc"], input: file.url.path)
        #expect(outcome.status == 0 && outcome.output == Self.text)
    }

    @Test("works for any encoding of an endpoint, and keeps an existing coding")
    func encodings() async throws {
        let server = try LoopbackServer.test(Self.echo)
        let manager = server.manager
        let endpoint = TypedEndpoint.post("a", body: ["title": "Bag"], encoding: .json.compressed(with: .gzip))
        #expect(try await manager.request(endpoint, as: [String: String].self) == ["title": "Bag"])
        #expect(server.requests.last?.headers["Content-Type"] == "application/json")
        let twice = InputEncoding.body(.bytes(Self.text)).compressed(with: .gzip).compressed(with: .gzip)
        #expect(try await manager.request(.post("a", encoding: twice), as: .data) == Self.text)
        #expect(server.requests.last?.headers["Content-Encoding"] == "gzip, gzip")
        try await manager.request(.post("a", encoding: .json.compressed(with: .gzip)))
        #expect(server.requests.last?.headers["Content-Encoding"] == nil)
    }

    @Test("is sent again only if its source can be read again", arguments: [true, false])
    func again(isOnce: Bool) async throws {
        let server = try LoopbackServer.test { $0.path == "/a" ? .redirect(to: "/b", status: 307) : Self.echo($0) }
        let body: Body = isOnce ? .once(Self.text.pieces(9_000)) : .cut(Self.text, every: 9_000)
        let response = await server.manager
            .upload(.post("a"), from: body, as: .data, options: UploadOptions(compression: .gzip)).response
        #expect(server.requests.count == (isOnce ? 1 : 2))
        #expect((try? response.value) == (isOnce ? nil : Self.text))
    }
}

@Suite("A response in Zstandard", .closing, .timeLimit(.minutes(2)))
struct ZstandardTests {
    /// A frame with one block of bytes (RFC 8878 §3.1.1).
    private static func frame(window: UInt8, blocks: [UInt8]) -> Data { Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, window] + blocks) }

    /// The last block, "hello".
    private static let hello: [UInt8] = [0x29, 0, 0] + Array("hello".utf8)

    private func answer(_ body: Data, streams: Bool = false) async throws -> Result<Data, APIClientError> {
        let server = try LoopbackServer.test { _ in .ok(body, headers: ["Content-Encoding": "zstd"]) }
        let manager = Channel.test(server.url) { $0.limits.responseBodySize = 1 << 20 }.manager
        guard streams else { return await manager.response(for: .get("a"), as: .data).result }
        do {
            return .success(try await manager.stream(.get("a")).value.collect(upTo: .max))
        } catch { return .failure(try #require(error as? APIClientError)) }
    }

    @Test("is offered and decoded")
    func offered() async throws {
        let server = try LoopbackServer.test { .ok($0.headers["Accept-Encoding"] ?? "") }
        #expect(try await server.manager.request(.get("a"), as: .text).hasSuffix(", zstd"))
    }

    @Test("may need a window of 8 MiB and no more (RFC 9659)", arguments: [false, true])
    func window(streams: Bool) async throws {
        // The exponent of the window above 10, in the upper five bits.
        let whole = try await answer(Self.frame(window: 13 << 3, blocks: Self.hello), streams: streams)
        #expect(try whole.get() == Data("hello".utf8))
        let tooLarge = try await answer(Self.frame(window: 14 << 3, blocks: Self.hello), streams: streams)
        #expect(tooLarge.error?.label == "transport.malformedResponse", "\(tooLarge)")
    }

    @Test("may have several frames, skippable frames included; other bytes after the end are ignored")
    func frames() async throws {
        let hello = Self.frame(window: 0, blocks: Self.hello)
        let skipped = Data([0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3])
        #expect(try await answer(hello + skipped + hello).get() == Data("hellohello".utf8))
        #expect(try await answer(hello + Data("\r\n".utf8)).get() == Data("hello".utf8))
    }

    @Test("that is cut at any byte is an error")
    func cut() async throws {
        let whole = Self.frame(window: 0, blocks: Self.hello)
        for count in 1..<whole.count {
            #expect(try await answer(whole.prefix(count)).error?.label == "transport.truncated", "\(count)")
        }
    }

    @Test("that becomes 64 MiB stops at the limit", arguments: [false, true])
    func bomb(streams: Bool) async throws {
        // Blocks of 128 KiB, each one byte repeated.
        let blocks: [[UInt8]] = Array(repeating: [0x02, 0x00, 0x10, 0x61], count: 511) + [[0x03, 0x00, 0x10, 0x61]]
        let result = try await answer(Self.frame(window: 10 << 3, blocks: blocks.flatMap(\.self)), streams: streams)
        // A stream has no limit; its reader has one.
        #expect(result.error?.transport == (streams ? nil : .responseTooLarge(limit: 1 << 20)))
        if streams { #expect(try result.get().count == 64 << 20) }
    }

    @Test("that is garbage is an error")
    func garbage() async throws {
        for seed in 0..<50 {
            let response = try await answer(Data([0x28, 0xB5, 0x2F, 0xFD]) + Data.noise(200, seed: UInt64(seed)))
            #expect(response.error != nil, "seed \(seed)")
        }
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
