import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("Transparent compression", .closing)
struct CompressionTests {
    let requests = Requests()

    /// `hello, hello, hello, hello` in gzip.
    private static let packed = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJ11HIwKQAVaOCdxoAAAA=") ?? Data()

    private func reply(_ body: Data) -> ServerReply { .status(200, body: body, headers: ["Content-Encoding": "gzip"]) }

    fileprivate static let deflated = Data([0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15])
    private static let brotli = Data([0x0B, 0x02, 0x80] + "hello".utf8 + [0x03])

    @Test(
        "Every coding of the linked libcurl is decoded, and no field describes the encoded body",
        arguments: [("gzip", packed, "hello, hello, hello, hello"), ("deflate", deflated, "hello"), ("br", brotli, "hello")])
    func codings(coding: String, body: Data, text: String) async throws {
        let server = try LoopbackServer.start { _ in .status(200, body: body, headers: ["Content-Encoding": coding]) }
        let response = try await requests.send(.get, server.url)
        #expect(response.text == text)
        #expect(response.head?.headers[.contentEncoding] == nil && response.head?.headers[.contentLength] == nil)
        #expect(response.metrics?.bytesReceived == Int64(body.count))
        #expect(server.requests[0].headers["accept-encoding"]?.contains(coding) == true)
    }

    @Test("A request with its own coding or range gets the encoded bytes")
    func raw() async throws {
        let server = try LoopbackServer.start { _ in reply(Self.packed) }
        for headers in [[.acceptEncoding: "gzip"], [.range: "bytes=0-"]] as [HTTPFields] {
            let response = try await requests.send(.get, server.url, headers: headers)
            #expect(response.data == Self.packed && response.head?.headers[.contentEncoding] == "gzip")
            #expect(response.head?.headers[.contentLength] == "\(Self.packed.count)")
        }
        #expect(server.requests[1].headers["accept-encoding"] == nil)
    }

    @Test("HEAD and an uncompressed body keep their fields")
    func untouched() async throws {
        let server = try LoopbackServer.start { $0.method == "HEAD" ? reply(Self.packed) : .ok("plain") }
        let head = try await requests.send(.head, server.url)
        #expect(head.head?.headers[.contentEncoding] == "gzip")
        #expect(head.head?.headers[.contentLength] == "\(Self.packed.count)")
        #expect(try await requests.send(.get, server.url).head?.headers[.contentLength] == "5")
    }

    @Test("Fewer encoded bytes than announced are a truncated body")
    func cutOnTheWire() async throws {
        let server = try LoopbackServer.start { _ in
            [
                .sendHead(status: 200, headers: ["Content-Encoding": "gzip", "Content-Length": "\(Self.packed.count)"]),
                .sendBody(Self.packed.prefix(20)), .closeConnection,
            ]
        }
        #expect(try await requests.send(.get, server.url).transportError?.label == "truncated")
    }

    @Test("An encoded body without its last chunk is counted in the bytes that arrived")
    func cutChunks() async throws {
        let server = try LoopbackServer.start { _ in
            [
                .sendHead(status: 200, headers: ["Content-Encoding": "gzip", "Transfer-Encoding": "chunked"]),
                .sendChunk(Self.packed.prefix(20)), .closeConnection,
            ]
        }
        let response = try await requests.send(.get, server.url)
        #expect(response.transportError == .truncated(received: 20, expected: nil))
        #expect(response.text.hasPrefix("hello, h") && response.metrics?.bytesReceived == 20)
    }

    @Test(
        "Damaged and foreign codings are malformed: a wrong checksum and length, in the second file, too, no gzip, no such block",
        arguments: [
            packed.dropLast(8) + Data(count: 8), packed + packed.dropLast(8) + Data(count: 8),
            Data("this is no gzip at all".utf8),
            packed + [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x07, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        ])
    func damaged(_ body: Data) async throws {
        let server = try LoopbackServer.start { _ in reply(body) }
        let response = try await requests.send(.get, server.url)
        #expect(response.transportError?.label == "malformedResponse", "\(response.result)")
    }

    @Test(
        "bytes after a coding's end are ignored, because its checksum and length were correct",
        arguments: [
            Data(count: 10), Data("and more".utf8), Data([0x1F]), Data([0x1F, 0x00]), Data([0x1F, 0x8B]), Data(count: 60_000),
        ])
    func trailing(_ rest: Data) async throws {
        let expected = Data("hello, hello, hello, hello".utf8)
        let server = try LoopbackServer.start { _ in reply(Self.packed + rest) }
        let response = try await requests.send(.get, server.url)
        // A member that has only begun may be a truncated one.
        if [Data([0x1F]), Data([0x1F, 0x8B])].contains(rest) {
            #expect(response.transportError?.label == "truncated")
        } else {
            #expect(response.transportError == nil && response.data == expected, "\(response.result)")
        }
    }

    @Test(
        "a token that is not a coding is ignored, and an unknown coding leaves the bytes encoded",
        arguments: [
            ("UTF-8", true, nil), ("utf-8, gzip", true, nil), ("gzip, UTF-8", true, nil), ("none, GZIP", true, nil),
            ("binary", true, nil), (", gzip,", true, nil), ("\"gzip\"", true, nil), ("x-gzip; level=9", true, nil),
            ("iso-8859-1,gzip,identity", true, nil), ("rot13", false, "rot13"), ("gzip, rot13", false, "gzip, rot13"),
            ("rot13, gzip", true, "rot13"),
        ])
    func tokens(value: String, isUndone: Bool, left: String?) async throws {
        let plain = Data("hello, hello, hello, hello".utf8)
        let isPacked = value.lowercased().contains("gzip")
        let server = try LoopbackServer.start { _ in
            .status(200, body: isPacked ? Self.packed : plain, headers: ["Content-Encoding": value])
        }
        let response = try await requests.send(.get, server.url)
        #expect(response.transportError == nil, "\(response.result)")
        #expect(response.data == (isUndone || !isPacked ? plain : Self.packed))
        if let left { #expect(response.head?.headers[.contentEncoding] == left) }
    }

    /// Complete as a message, incomplete in its content; libcurl's own decoder does not check that it has reached the end.
    @Test("A coding that ends early in a complete message is a truncated body", arguments: [1, 5, 10, 20, 28])
    func cutAtTheOrigin(count: Int) async throws {
        let server = try LoopbackServer.start { _ in reply(Self.packed.prefix(count)) }
        #expect(try await requests.send(.get, server.url).transportError?.label == "truncated")
        let brotli = try LoopbackServer.start { _ in
            .status(200, body: Data([0x0B, 0x02, 0x80] + "hel".utf8), headers: ["Content-Encoding": "br"])
        }
        #expect(try await requests.send(.get, brotli.url).transportError?.label == "truncated")
    }

    @Test("Several codings, several gzip files in a row, bare deflate, and pieces of one byte")
    func composed() async throws {
        let twice = Self.packed + Self.packed
        let bare = Data([0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
        var pieces: ServerReply = [.sendHead(status: 200, headers: ["Content-Encoding": "gzip", "Transfer-Encoding": "chunked"])]
        pieces.steps += Self.packed.map { .sendChunk(Data([$0])) } + [.endChunks()]
        let server = try LoopbackServer.start { [pieces] request in
            switch request.path {
            case "/twice": reply(twice)
            case "/bare": .status(200, body: bare, headers: ["Content-Encoding": "deflate"])
            case "/identity": .status(200, body: Self.packed, headers: ["Content-Encoding": "identity, GZIP"])
            case "/many": .status(200, body: Self.packed, headers: ["Content-Encoding": "gzip, gzip, gzip, gzip, gzip"])
            default: pieces
            }
        }
        let hello = "hello, hello, hello, hello"
        #expect(try await requests.send(.get, server.url + "/twice").text == hello + hello)
        #expect(try await requests.send(.get, server.url + "/bare").text == "hello")
        #expect(try await requests.send(.get, server.url + "/identity").text == hello)
        #expect(try await requests.send(.get, server.url + "/many").transportError?.label == "malformedResponse")
        #expect(try await requests.send(.get, server.url + "/pieces").text == hello)
    }

    /// libzstd still reads the formats from before the standard, and of some it reads more if the body arrives at once.
    @Test(
        "Zstandard from before RFC 8878 is rejected, whole or byte by byte", arguments: [1, 100], [0x1E, 0x22, 0x25, 0x26, 0x27])
    func oldZstandard(piece: Int, version: UInt8) throws {
        let old = [version, 0xB5, 0x2F, 0xFD] + [UInt8](repeating: 0, count: 40)
        let decoder = try #require(try ContentDecoder(head: Array("HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n".utf8)))
        var decoded = Data()
        #expect(throws: TransportError.self) {
            for start in stride(from: 0, to: old.count, by: piece) {
                try old[start..<min(start + piece, old.count)].withUnsafeBufferPointer {
                    try decoder.decode($0, into: &decoded, limit: 1_000)
                }
            }
        }
        #expect(decoded.isEmpty && !decoder.isFinished)
    }

    @Test(
        "With damage at any byte, each coding yields a body within its limit or an error",
        arguments: ["gzip", "deflate", "br", "zstd"])
    func mutations(coding: String) throws {
        let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n\r\n".utf8)
        let sound =
            switch coding {
            case "gzip": Self.packed
            case "deflate": Self.deflated
            case "zstd": Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x00, 0x29, 0x00, 0x00] + "hello".utf8)
            default: Self.brotli
            }
        for place in sound.indices {
            for value in stride(from: 0, through: 255, by: 3) {
                var body = sound
                body[place] = UInt8(value)
                var decoded = Data()
                let decoder = try #require(try ContentDecoder(head: head))
                Array(body).withUnsafeBufferPointer { try? decoder.decode($0, into: &decoded, limit: 1_000) }
                #expect(decoded.count <= 1_000)
            }
        }
    }
}

@Suite("Content codings, piece by piece")
struct ContentDecoderTests {
    private func decode(_ body: Data, _ coding: String, by piece: Int = .max, limit: Int = 1_000) throws -> Data {
        let decoder = try #require(try ContentDecoder(head: Array("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n\r\n".utf8)))
        var decoded = Data()
        var rest = Array(body)[...]
        while !rest.isEmpty {
            try Array(rest.prefix(piece)).withUnsafeBufferPointer { try decoder.decode($0, into: &decoded, limit: limit) }
            rest = rest.dropFirst(piece)
        }
        #expect(decoder.isFinished)
        return decoded
    }

    @Test("A coding needs its own line; one after a CR in another field's value is ignored")
    func line() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Language: en\r\nX: a\rContent-Encoding: gzip\r\n\r\n"
        #expect(try ContentDecoder(head: Array(head.utf8)) == nil)
    }

    @Test("Bare deflate is distinguished from zlib by two bytes, even if they arrive one by one")
    func bareInPieces() throws {
        // A stored block whose unused bits make its first byte look like zlib's, and an empty last block.
        let bare = Data([0x08, 0x05, 0x00, 0xFA, 0xFF] + Array("hello".utf8) + [0x01, 0x00, 0x00, 0xFF, 0xFF])
        for piece in [Int.max, 1, 2] {
            for body in [bare, CompressionTests.deflated] {
                #expect(try decode(body, "deflate", by: piece) == Data("hello".utf8))
            }
        }
    }

    /// Fifteen thousand empty gzip files in a gzip file: 300 kB in between, and no bytes at the end.
    private static let emptyFiles = Data(
        base64Encoded: """
            H4sIAAAAAAACA+3IsQ0AIAgAMCKLX3AwTxMGjzBpx1bfWCcznnLOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnH
            POOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845
            55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnH
            POOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845
            55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnH
            POOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845
            55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnH
            POOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc845
            55xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnHPOOeecc84555xzzjnnnH
            POOeecc84555xzzjnnnHPOOeecc+7TG7YlpbfgkwQA
            """, options: .ignoreUnknownCharacters)

    @Test("The output of every coding is bounded, because each can expand its input and the last can yield no byte")
    func bombInBetween() throws {
        let body = try #require(Self.emptyFiles)
        #expect(throws: TransportError.self) { try decode(body, "gzip, gzip") }
        #expect(try decode(body, "gzip, gzip", limit: 200_000).isEmpty)
    }
}
