import TestSupport

@testable import CoreAPIStreaming

@Suite("JSON Lines and JSON text sequences", .closing, .timeLimit(.minutes(1)))
struct JSONItemsTests {
    struct Order: Decodable, Sendable, Equatable { let id: Int }

    @Test(
        "values arrive one by one, before the next one is sent, through the channel's coder",
        arguments: [
            ("application/x-ndjson", ["{\"order_id\":1}\n\n  \n{\"order", "_id\":2}"], "application/jsonl"),
            ("application/x-ndjson", ["{\"order_id\":1}{\"order", "_id\":2}"], "application/jsonl"),
            ("application/json-seq", ["\u{1E}{\"order_id\":1}\n\u{1E}\n\u{1E}{\"order", "_id\":2}\n"], "application/json-seq"),
        ] as [(String, [String], String)])
    func oneByOne(type: String, pieces: [String], accepted: String) async throws {
        struct Placed: Decodable, Sendable, Equatable { let orderId: Int }
        let gate = try Gate()
        let server = try LoopbackServer.test { _ in
            [
                .sendHead(status: 200, headers: ["Content-Type": type, "Transfer-Encoding": "chunked"]),
                .sendChunk(Data(pieces[0].utf8)), .waitFor(gate), .sendChunk(Data(pieces[1].utf8)), .endChunks(),
            ]
        }
        let channel = Channel.test(server) { $0.coder = .json(keys: .convertFromSnakeCase) }
        var orders: [Placed] = []
        let items =
            type == "application/json-seq"
            ? channel.manager.jsonSequence(.get("export"), of: Placed.self)
            : channel.manager.jsonLines(.get("export"), of: Placed.self)
        for try await order in items {
            orders.append(order)
            gate.open()
        }
        #expect(orders == [Placed(orderId: 1), Placed(orderId: 2)])
        #expect(server.requests[0].headers["accept"]?.hasPrefix(accepted) == true)
    }

    @Test("the endpoint's own Accept stays")
    func accept() async throws {
        let server = try LoopbackServer.test { _ in .ok("{\"id\":1}") }
        let items = server.manager.jsonLines(.get("export", headers: ["accept": "text/plain"]), of: Order.self)
        #expect(try await items.all() == [Order(id: 1)])
        #expect(server.requests[0].headers["accept"] == "text/plain")
    }

    @Test("a value that cannot be decoded is a decoding failure with the count so far; later values can be read")
    func undecodable() async throws {
        let server = try LoopbackServer.test { _ in .ok("{\"id\":1}\n{\"id\":\"x\"}\n{\"id\":3}\n") }
        var items = server.manager.jsonLines(.get("export"), of: Order.self).makeAsyncIterator()
        #expect(try await items.next() == Order(id: 1))
        let error = await #expect(throws: APIClientError.self) { try await items.next() }
        #expect(error?.decoding?.codingPath == "id" && error?.context.streamed?.items == 1)
        #expect(try await items.next() == Order(id: 3))
        #expect(try await items.next() == nil)
    }

    @Test("a rejected status fails the first item, as a call without a stream")
    func rejected() async throws {
        let server = try LoopbackServer.test { _ in .status(404) }
        let error = await #expect(throws: APIClientError.self) {
            for try await _ in server.manager.jsonLines(.get("export"), of: Order.self) {}
        }
        #expect(error?.label == "verification.unacceptableStatus.404" && error?.context.streamed == nil)
    }

    @Test("secrets of a line are not in its error")
    func secrets() async throws {
        let body = Body.bytes(Data("{\"id\":1,\"password\":\"hunter2\"}\n{\"id\":true,\"password\":\"hunter2\"}\n".utf8))
        let error = await #expect(throws: StreamError.self) { try await body.jsonLines(of: Order.self).all() }
        #expect(error?.kind == "undecodable" && error?.description.contains("hunter2") == false)
    }

    @Test("a text sequence, cut at any byte; empty texts are skipped (RFC 7464)")
    func sequence() async throws {
        let expected = [Order(id: 1), Order(id: 2), Order(id: 3)]
        for body in cuts("\u{1E}{\"id\":1}\n\u{1E}\u{1E}\n\u{1E}{\n \"id\" : 2 }\n\u{1E}{\"id\":3}") {
            #expect(try await body.jsonSequence(of: Order.self).all() == expected)
        }
        #expect(try await Body.none.jsonSequence(of: Order.self).all() == [])
        #expect(
            try await Body.bytes(Data("\u{1E}1\n\u{1E}true \u{1E}\"a\"".utf8)).jsonSequence(of: JSONValue.self).all().count == 3)
    }

    @Test(
        "a text that breaks off is an error, even if its first bytes are valid JSON (RFC 7464 §2.4)",
        arguments: ["\u{1E}{\"id\":1}\n\u{1E}{\"id\":2", "\u{1E}{\"id\":1}\n\u{1E}{\"id\":{}", "\u{1E}{\"id\":1}\n\u{1E}12"])
    func truncated(text: String) async throws {
        for text in [text, text + "\u{1E}{\"id\":3}\n"] {
            var values = Body.bytes(Data(text.utf8)).jsonSequence(of: JSONValue.self).makeAsyncIterator()
            #expect(try await values.next() != nil)
            let defect = await #expect(throws: StreamError.self) { try await values.next() }
            #expect(defect?.kind == "truncatedText" && defect?.items == 1)
        }
    }

    @Test("texts that follow each other without a line end are values too, at any cut")
    func concatenated() async throws {
        let text = "{\"id\":1}{\"id\":2} {\"a\":[\"}{\\\"\",{}],\"id\":3}\n{\"id\":4}\r\n\r\n{\"id\":5}{\"id\":6}"
        let expected = (1...6).map { Order(id: $0) }
        for body in cuts(text) { #expect(try await body.jsonLines(of: Order.self).all() == expected) }
        #expect(try await Body.bytes(Data("{}{}".utf8)).jsonLines(of: JSONValue.self).all() == [.object([:]), .object([:])])
        #expect(try await Body.bytes(Data(#"[][1]"a""b\"{"\#n7\#ntrue"#.utf8)).jsonLines(of: JSONValue.self).all().count == 6)
    }

    @Test("a broken text spoils its line alone, and other text one line")
    func brokenLines() async throws {
        for broken in ["{\"id\":", "{\"id\":\"x", "not JSON at all", "}}", "1 2", "{\"id\":}"] {
            var values = Body.bytes(Data("\(broken)\n{\"id\":3}\n".utf8)).jsonLines(of: Order.self).makeAsyncIterator()
            let defect = await #expect(throws: StreamError.self, "\(broken)") { try await values.next() }
            #expect(defect?.kind == "undecodable")
            #expect(try await values.next() == Order(id: 3), "\(broken)")
            #expect(try await values.next() == nil)
        }
    }

    @Test("one document of JSON may be laid out over several lines, as servers write errors")
    func laidOut() async throws {
        let text = "{\n  \"id\": 1\n}\n{\"id\":2}\n[\n"
        let server = try LoopbackServer.test { _ in .json(text) }
        var values = server.manager.jsonLines(.get("x"), of: Order.self).makeAsyncIterator()
        #expect(try await values.next() == Order(id: 1))
        #expect(try await values.next() == Order(id: 2))
        await #expect(throws: APIClientError.self) { try await values.next() }
    }

    @Test("a byte order mark before the first text is dropped, in lines and in a sequence, at any cut")
    func byteOrderMark() async throws {
        for body in cuts("\u{FEFF}1\n2\n") { #expect(try await body.jsonLines(of: Int.self).all() == [1, 2]) }
        for body in cuts("\u{FEFF}\u{1E}1\n\u{1E}2\n") { #expect(try await body.jsonSequence(of: Int.self).all() == [1, 2]) }
    }

    @Test("a body without a record separator is rejected")
    func noSeparator() async throws {
        for text in ["{\"id\":1}\n", "x\u{1E}{\"id\":1}\n"] {
            let defect = await #expect(throws: StreamError.self) {
                try await Body.bytes(Data(text.utf8)).jsonSequence(of: Order.self).all()
            }
            #expect(defect?.kind == "noRecordSeparator")
        }
    }

    @Test("a line of 100 MB ends the call with a typed error, and is not kept in memory")
    func endless() async throws {
        let server = try LoopbackServer.test { _ in
            [
                .sendHead(status: 200, headers: ["Content-Length": "104857600"]),
                .sendEndlessly(Data(repeating: 0x20, count: 1 << 16)),
            ]
        }
        let error = await #expect(throws: APIClientError.self) {
            try await server.manager.jsonLines(.get("x"), of: Order.self, lineLimit: 1 << 20).all()
        }
        #expect(error?.streamError?.kind == "lineTooLong")
        #expect((error?.context.streamed?.bytes ?? .max) < 4 << 20)
        try await server.waitForOpenConnections(atMost: 0)
    }
}
