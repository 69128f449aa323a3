import TestSupport

@testable import CoreAPIStreaming

@Suite("Streams of a hostile server", .closing, .timeLimit(.minutes(1)))
struct HostileServerTests {
    private struct Item: Decodable, Sendable { let a: String }

    @Test("a server that asks for no pause, and closes each connection, does not get a storm of requests")
    func storm() async throws {
        let server = try LoopbackServer.test { _ in .events("retry: 0\ndata: x\n\n") }
        var (pauses, count) = ([Duration](), 0)
        for try await update in server.manager.events(.get("x")).updates {
            if case .reconnecting(let pause, _) = update { pauses.append(pause) }
            if case .event = update { count += 1 }
            if count == 5 { break }
        }
        #expect(pauses.reduce(.zero, +) > .zero, "\(pauses)")
        #expect(pauses.allSatisfy { $0 <= .milliseconds(500) })
    }

    @Test("a pause of the server is a day at most", arguments: ["99999999999999", "999999999999999999999999999999", "0001"])
    func longPause(text: String) async throws {
        let server = try LoopbackServer.test { _ in .events("retry: \(text)\n\n") }
        for try await update in server.manager.events(.get("x")).updates {
            guard case .reconnecting(let pause, _) = update else { continue }
            #expect(pause <= .seconds(86_430) && pause >= .zero)
            #expect(text == "0001" || pause >= .seconds(86_400))
            break
        }
    }

    @Test("redirects without an end finish the events with the error, at once")
    func redirects() async throws {
        let server = try LoopbackServer.test { _ in .redirect(to: "/x", status: 301) }
        let error = await #expect(throws: APIClientError.self) { try await server.manager.events(.get("x")).all() }
        #expect(error?.label == "transport.tooManyRedirects", "\(String(describing: error))")
        #expect(server.requests.count < 30)
    }

    @Test("a second byte order mark, an id with NUL and another charset change nothing that they must not")
    func marks() async throws {
        let text = "\u{FEFF}\u{FEFF}data: lost\n\nid: a\0b\nid: 7\nid: c\0\ndata: é\n\n"
        let server = try LoopbackServer.test {
            $0.headers["last-event-id"] == nil
                ? .ok(text, headers: ["Content-Type": "Text/Event-Stream ; Charset=ISO-8859-1"]) : .status(204)
        }
        let events = try await server.manager.events(.get("x"), options: EventOptions(pause: .milliseconds(1))).all()
        #expect(events == [ServerSentEvent(id: "7", data: "é")])
        #expect(server.requests.map { $0.headers["last-event-id"] } == [nil, "7"])
    }

    /// What a server sends first and then without an end, and the error.
    private static let endlessBodies: [(String, String, Set<String?>)] = [
        ("hello\r\n", "nothing to see here\r\n", ["noBoundary"]),
        ("--x\r\n\r\none\r\n--x--\r\n", "nothing to see here\r\n", [nil]),
        ("--x\r\nA: ", "aaaaaaaaaaaaaaaa", tooMuch), ("--x\r\nA: b\r\n", "C: d\r\n", tooMuch),
        ("--x\r\n\r\n\r\n--x\r\n\r\n", "\r\n--x\r\n\r\n", tooMuch),
    ]
    private static let tooMuch: Set<String?> = ["partHeadTooLarge", "tooManyParts"]

    @Test("text before the first part or behind the last one, or a part, is not read for ever", arguments: endlessBodies)
    func endless(start: String, filler: String, kinds: Set<String?>) async throws {
        let server = try LoopbackServer.test { _ in
            [
                .sendHead(status: 200, headers: ["Content-Type": "multipart/mixed; boundary=x"]),
                .sendBody(Data(start.utf8)), .sendEndlessly(Data(String(repeating: filler, count: 1_000).utf8)),
            ]
        }
        var parts: [Data] = []
        let error = await failure {
            for try await part in server.manager.parts(.get("x")) { parts.append(try await part.body.collect(upTo: 100)) }
        }
        #expect(kinds.contains(error?.streamError?.kind), "\(error as Any)")
        if kinds != Self.tooMuch { #expect(parts == (error == nil ? [Data("one".utf8)] : [])) }
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("a value that is not UTF-8 is a decoding failure, and the next one is read")
    func invalidUTF8() async throws {
        let body = Data("{\"a\":\"".utf8) + Data([0xFF, 0xC0, 0x80]) + Data("\"}\n{\"a\":\"b\"}\n".utf8)
        let server = try LoopbackServer.test { _ in .ok(body, headers: ["Content-Type": "application/jsonl"]) }
        var items = server.manager.jsonLines(.get("x"), of: Item.self).makeAsyncIterator()
        await #expect(throws: APIClientError.self) { try await items.next() }
        #expect(try await items.next()?.a == "b")
        #expect(try await items.next() == nil)
    }
}
