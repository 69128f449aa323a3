import TestSupport

@testable import CoreAPIStreaming

@Suite("Lines and pieces of a body", .closing, .timeLimit(.minutes(1)))
struct BodyLinesTests {
    @Test("LF and CR LF end a line at any cut; an empty line counts, and so does a last line without an end")
    func lines() async throws {
        let text = "one\r\n\ntwo \r three\nçş🎈\r\n\r\nlast"
        let expected = ["one", "", "two \r three", "çş🎈", "", "last"]
        for body in cuts(text) { #expect(try await body.lines().all() == expected) }
        #expect(try await Body.bytes(Data("a\n".utf8)).lines().all() == ["a"])
        #expect(try await Body.bytes(Data("\n".utf8)).lines().all() == [""])
        #expect(try await Body.none.lines().all() == [])
    }

    @Test("a byte order mark before the first line is dropped, at any cut; another one stays (RFC 3629 §6)")
    func byteOrderMark() async throws {
        for body in cuts("\u{FEFF}one\n\u{FEFF}two") { #expect(try await body.lines(limit: 6).all() == ["one", "\u{FEFF}two"]) }
        #expect(try await Body.bytes(Data("\u{FEFF}".utf8)).lines().all() == [])
        #expect(try await Body.bytes(Data("\u{FEFF}\n".utf8)).lines().all() == [""])
        #expect(try await Body.bytes(Data("\u{FEFF}abc".utf8)).lines(limit: 3).all() == ["abc"])
        await #expect(throws: StreamError.self) { try await Body.bytes(Data([0xEF, 0xBB])).lines().all() }
    }

    @Test("a line that is the sentinel ends the lines, and the call")
    func sentinel() async throws {
        let server = try LoopbackServer.test { _ in .stallInBody(sent: Data("a\n[DONE] \n[DONE]\nb\n".utf8)) }
        #expect(try await server.manager.lines(.get("x"), sentinel: "[DONE]").all() == ["a", "[DONE] "])
        try await server.waitForOpenConnections(atMost: 0)
        var lines = Body.bytes(Data("a\nend\nb".utf8)).lines(limit: 9, sentinel: "end").makeAsyncIterator()
        #expect(try await lines.next() == "a")
        for _ in 0..<2 { #expect(try await lines.next() == nil) }
    }

    @Test("lines that end without their sentinel are an error, after the lines before it")
    func sentinelMissing() async throws {
        let server = try LoopbackServer.test { _ in .ok("a\nb\n") }
        var lines = server.manager.lines(.get("x"), sentinel: "[DONE]").makeAsyncIterator()
        for line in ["a", "b"] { #expect(try await lines.next() == line) }
        let error = await #expect(throws: APIClientError.self) { try await lines.next() }
        #expect(error?.streamError?.kind == "noSentinel" && error?.reason.contains("'[DONE]'") == true)
        #expect(error?.context.streamed?.items == 2)
        #expect(try await lines.next() == nil)
        var body = Body.bytes(Data("a\n".utf8)).lines(limit: 9, sentinel: "end").makeAsyncIterator()
        #expect(try await body.next() == "a")
        await #expect(throws: StreamError.self) { try await body.next() }
        #expect(try await body.next() == nil)
    }

    @Test("a line of 16 MiB arrives by default")
    func large() async throws {
        let text = Data(repeating: 0x61, count: 16 << 20)
        #expect(try await Body.cut(text + Data("\nb".utf8), every: 1 << 20).lines().all().map(\.utf8.count) == [16 << 20, 1])
    }

    private func defect(of body: Body, limit: Int = 10) async -> (lines: [String], defect: StreamError?) {
        var lines: [String] = []
        do {
            for try await line in body.lines(limit: limit) { lines.append(line) }
            return (lines, nil)
        } catch { return (lines, error as? StreamError) }
    }

    @Test("a line may be as long as the limit; a longer one is rejected with a count of lines", arguments: [1, 3, 100])
    func limit(piece: Int) async throws {
        let fits = await defect(of: .cut(Data("0123456789\r\n0123456789\n0123456789".utf8), every: piece))
        #expect(fits.defect == nil && fits.lines.count == 3)
        for tooLong in ["0123456789a\n", "0123456789a", "0123456789\r\r\n", String(repeating: "x", count: 1_000)] {
            let (lines, defect) = await defect(of: .cut(Data(("ok\n" + tooLong).utf8), every: piece))
            #expect(lines == ["ok"])
            #expect(defect?.kind == "lineTooLong" && defect?.items == 1 && (defect?.bytes ?? 0) > 3)
        }
    }

    @Test("a line that is not UTF-8 is rejected, and ends the lines")
    func invalid() async throws {
        var lines = Body.bytes(Data("a\n".utf8) + [0x62, 0xC3, 0x0A, 0x63, 0x0A]).lines().makeAsyncIterator()
        #expect(try await lines.next() == "a")
        let defect = await #expect(throws: StreamError.self) { try await lines.next() }
        #expect(defect?.kind == "invalidUTF8")
        #expect(try await lines.next() == nil)
    }

    /// Reads to the error, and once more.
    private func items<Item>(_ next: () async throws -> Item?) async -> (count: Int, afterError: Item?) {
        var count = 0
        do {
            while try await next() != nil { count += 1 }
            Issue.record("expected an error")
        } catch { #expect(error is Cut, "\(error)") }
        return (count, try? await next())
    }

    private struct Cut: Error {}

    private func cut(_ text: String) -> Body { .breaking(with: Cut(), after: Data(text.utf8)) }

    @Test("after an error of the body no item follows, and none is made of the bytes before it")
    func afterError() async throws {
        var lines = cut("one\ntwo\nthr").lines().makeAsyncIterator()
        #expect(await items { try await lines.next() } == (2, nil))
        var chunks = cut("0123456").chunks(of: 10).makeAsyncIterator()
        #expect(await items { try await chunks.next() } == (0, nil))
        var values = cut("1\n2\n34").jsonLines(of: Int.self).makeAsyncIterator()
        #expect(await items { try await values.next() } == (2, nil))
        var texts = cut("\u{1E}1\n\u{1E}2\n").jsonSequence(of: Int.self).makeAsyncIterator()
        #expect(await items { try await texts.next() } == (1, nil))
        var parts = try cut("--b\r\n\r\nhello\r\n--b").parts(boundary: "b").makeAsyncIterator()
        let part = try #require(try await parts.next())
        var pieces = part.body.makeAsyncIterator()
        #expect(await items { try await pieces.next() } == (1, nil))
    }

    @Test("a limit of `.max` is none")
    func withoutLimit() async throws {
        #expect(try await Body.bytes(Data("one\r\ntwo".utf8)).lines(limit: .max).all() == ["one", "two"])
        #expect(try await Body.cut(Data("one\r\ntwo".utf8), every: 2).chunks(of: .max).all() == [Data("one\r\ntwo".utf8)])
        #expect(try await Body.bytes(Data("1\n2".utf8)).jsonLines(of: Int.self, lineLimit: .max).all() == [1, 2])
        var events = EventParser(limit: .max)
        events.feed(Data("data: 1\n\n".utf8))
        #expect(try events.next()?.data == "1")
        let limits = Body.PartLimits(headSize: .max, parts: .max)
        let parts = try Body.bytes(Data("--b\r\n\r\nhello\r\n--b--".utf8)).parts(boundary: "b", limits: limits)
        #expect(try await parts.all().count == 1)
    }

    @Test("all pieces but the last have the requested size", arguments: [1, 2, 7, 1_000])
    func chunks(piece: Int) async throws {
        let bytes = Data((0..<100).map(UInt8.init))
        let chunks = try await Body.cut(bytes, every: piece).chunks(of: 30).all()
        #expect(chunks.map(\.count) == [30, 30, 30, 10] && chunks.reduce(Data(), +) == bytes)
        #expect(try await Body.bytes(bytes).chunks(of: 0).all().count == 100)
    }

    @Test("a response that breaks off gives its lines, and then an error that counts them")
    func broken() async throws {
        let server = try LoopbackServer.test { _ in .truncated(declared: 99, sent: Data("a\nb\nc".utf8)) }
        var lines: [String] = []
        var iterator = server.manager.lines(.get("log")).makeAsyncIterator()
        let error = await failure { while let line = try await iterator.next() { lines.append(line) } }
        #expect(error?.label == "transport.truncated")
        #expect(error?.context.streamed == APIClientError.Context.Streamed(bytes: 5, items: 2))
        #expect(error?.description.contains("after 5 bytes and 2 items") == true)
        #expect(lines == ["a", "b"])
        #expect(try await iterator.next() == nil)
    }

    @Test("leaving the loop closes the connection, and a second loop makes a second call")
    func leaving() async throws {
        let server = try LoopbackServer.test { _ in .stallInBody(sent: Data("a\nb\n".utf8)) }
        let lines = server.manager.lines(.get("log"))
        for _ in 0..<2 {
            for try await line in lines {
                #expect(line == "a")
                break
            }
            try await server.waitForOpenConnections(atMost: 0)
        }
        #expect(server.requests.count == 2)
    }

    @Test("cancelling the task ends the loop with the error of a cancelled call, and closes the connection")
    func cancelled() async throws {
        let server = try LoopbackServer.test { _ in .stallInBody(sent: Data("a\n".utf8)) }
        let (read, tell) = AsyncStream.makeStream(of: Void.self)
        let task = Task { for try await _ in server.manager.lines(.get("log")) { tell.yield() } }
        for await _ in read { break }
        task.cancel()
        let error = await #expect(throws: APIClientError.self) { try await task.value }
        #expect(error?.isCancelled == true && error?.context.streamed?.items == 1)
        try await server.waitForOpenConnections(atMost: 0)
    }
}
