import TestSupport

@Suite("Transport and coders")
struct CoderTests {
    @Test("the nearest coder counts, for what is sent, asked for and read; a function hears of it")
    func nearestCoder() async throws {
        struct Named: Codable, Equatable, Sendable { var firstName: String }
        let heard = Shared<[String]>([])
        let transport = RecordingTransport(body: #"{"first_name":"Ada"}"#)
        var channel = Channel.test(transport)
        channel.logger = FunctionLogger { event in
            if case .finished(let response) = event { heard.change { $0.append(response.error?.label ?? "success") } }
        }
        let snake = BodyCoder.json(keys: .convertFromSnakeCase, encodedKeys: .convertToSnakeCase)
        let endpoint = TestEndpoint("a", .post, params: Parameters(Named(firstName: "Bo")), encoding: .body, modifiers: [snake])
        #expect(try await channel.manager.request(endpoint: endpoint, type: Named.self) == Named(firstName: "Ada"))
        #expect(try transport.requests.first?.body.bytesInMemory() == Data(#"{"first_name":"Bo"}"#.utf8))
        let plain = TestEndpoint("a", .post, params: Parameters(Named(firstName: "Bo")), encoding: .body)
        #expect(await channel.manager.response(for: plain, as: Named.self).error?.label == "decoding")
        #expect(heard.current == ["success", "decoding"])
    }

    @Test("asks for the coder's type, and for nothing when nothing is decoded")
    func accept() async throws {
        let transport = RecordingTransport(body: #"{"id":7}"#)
        let manager = Channel.test(transport).manager
        _ = try await manager.request(endpoint: TestEndpoint(), type: Item.self)
        try await manager.request(endpoint: TestEndpoint())
        _ = try await manager.request(endpoint: TestEndpoint(), type: Data.self)
        #expect(transport.requests.map { $0.headers[.accept] } == ["application/json", nil, nil])
    }

    @Test(
        "invalid text after the value is an error, with every decoder and type",
        arguments: [
            [0x34, 0, 0, 0, 0x5B, 0x2C, 0x37, 0x7B], [0x34, 0, 0, 0, 0, 0xD8, 0, 0], [0x34, 0, 0x20, 0, 0, 0xDC],
            [0, 0x34, 0, 0x20, 0xD8, 0],
        ] as [[UInt8]])
    func noText(bytes: [UInt8]) {
        for coder in [BodyCoder.json, .json(using: .foundation)] {
            #expect(throws: (any Error).self) { try coder.decode(Int.self, from: Data(bytes)) }
            #expect(throws: (any Error).self) { try coder.decode(JSONValue.self, from: Data(bytes)) }
        }
    }

    /// In its own process, because Foundation's decoder would crash on such a document.
    @Test("a document that ends with the bracket of the 513th nested array is an error, with every decoder")
    func arraysWithoutEnd() async {
        await #expect(processExitsWith: .success) {
            let text = String(repeating: "[", count: 513)
            for encoding in [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian] {
                let document = try #require(text.data(using: encoding))
                for coding in [BodyCoder.JSONCoding.kit, .foundation] {
                    #expect(throws: DecodingError.self) { try BodyCoder.json(using: coding).decode([Int].self, from: document) }
                }
            }
        }
    }

    @Test("the kit's coders and Foundation's send the same bytes, and read the same", arguments: [false, true])
    func codings(isSnake: Bool) throws {
        struct Sent: Codable, Equatable {
            var userName = "a/b \"é\"\n"
            var at = Date(timeIntervalSince1970: 1_700_000_000)
            var links = [URL(filePath: "/x")]
            var amount = 12.5
            var notes: [String: [Int]?] = ["B": [1], "aB": nil, "é": []]
            var missing: Int?
        }
        func coder(_ coding: BodyCoder.JSONCoding) -> BodyCoder {
            .json(
                using: coding, keys: isSnake ? .convertFromSnakeCase : .useDefaultKeys,
                encodedKeys: isSnake ? .convertToSnakeCase : .useDefaultKeys)
        }
        let (kit, foundation) = (coder(.kit), coder(.foundation))
        let body = try kit.encode(Sent())
        #expect(try body == foundation.encode(Sent()))
        #expect(try kit.decode(Sent.self, from: body) == foundation.decode(Sent.self, from: body))
        #expect(throws: EncodingError.self) { try kit.encode([Double.nan]) }
        #expect(throws: EncodingError.self) { try foundation.encode([Double.nan]) }
    }

    @Test("a channel reads by the kit's own decoder, unless it names Foundation's", arguments: [false, true])
    func defaultCoding(namesFoundation: Bool) async throws {
        // Which Foundation rejects, and RFC 8259 allows.
        var channel = Channel.test(RecordingTransport(body: "[0e1]"))
        if namesFoundation { channel.coder = .json(using: .foundation) }
        let response = await channel.manager.response(for: TestEndpoint(), as: [Double].self)
        #expect(response.error?.label == (namesFoundation ? "decoding" : nil))
        #expect(try namesFoundation || response.value == [0])
    }

    @Test("JSON values are sent as they are read", arguments: [BodyCoder.JSONCoding.kit, .foundation])
    func values(coding: BodyCoder.JSONCoding) throws {
        let text = #"{"a":[1,2.5,null,true,{"b":"/"}],"c":{}}"#
        let coder = BodyCoder.json(using: coding)
        #expect(try coder.encode(JSONValue(parsing: Data(text.utf8))) == Data(text.utf8))
    }
}
