import TestSupport

@testable import CoreAPICore

@Suite("Body", .closing, .timeLimit(.minutes(1)))
struct BodyTests {
    private static func stream(_ chunks: [String]) -> Body { .pieces(chunks.map { Data($0.utf8) }) }

    @Test("every kind is read chunk by chunk, again from the beginning, and collected up to a limit")
    func reading() async throws {
        let file = temporaryFile("body")
        try Data("from a file".utf8).write(to: file)
        let reading = Body.stream(
            Body.Stream {
                let rest = Mutex(["re", "ad"])
                return { _ in rest.withLock { $0.isEmpty ? Data() : Data($0.removeFirst().utf8) } }
            })
        for (body, text) in [
            (Body.none, ""), (.bytes(Data("bytes".utf8)), "bytes"), (.file(file), "from a file"), (reading, "read"),
            (Self.stream(["a", "", "b"]), "ab"),
        ] {
            for _ in 0..<2 { #expect(String(decoding: try await body.collect(upTo: 11), as: UTF8.self) == text) }
            for try await chunk in body { #expect(!chunk.isEmpty) }
        }
        await #expect(throws: BodyError.tooLarge(limit: 4)) { try await Self.stream(["abc", "de"]).collect(upTo: 4) }
        await #expect(throws: BodyError.tooLarge(limit: 4)) { try await Body.bytes(Data("abcde".utf8)).collect(upTo: 4) }
        await #expect(throws: (any Error).self) { try await Body.file(URL(fileURLWithPath: "/none")).collect(upTo: 4) }
    }

    @Test("a sequence must begin with the bytes of its first reading, in chunks of any size")
    func beginning() async throws {
        let first = Data(0..<100)
        /// Reads `first` up to an index, and then other bytes in other chunks.
        func read(_ firstCount: Int, thenChanging offset: Int?, _ size: Int) async throws -> Data {
            let wasRead = Shared(false)
            let body = Body.stream(
                Body.Stream {
                    let isFirst = !wasRead.exchange(true)
                    var bytes = isFirst ? first.prefix(firstCount) : first
                    if !isFirst, let offset { bytes[offset] = 200 }
                    return bytes.pieces(isFirst ? 7 : size)
                })
            _ = try await body.collect(upTo: 100)
            return try await body.collect(upTo: 100)
        }
        for size in [1, 10, 64, 100] {
            #expect(try await read(100, thenChanging: nil, size) == first)
            #expect(try await read(20, thenChanging: nil, size) == first)
            for offset in [0, 19, 63] {
                await #expect(throws: BodyError.changed(offset: offset)) { try await read(100, thenChanging: offset, size) }
            }
            // Beyond what the first reading gave, and beyond what is kept of it.
            #expect(try await read(20, thenChanging: 20, size)[20] == 200)
            #expect(try await read(100, thenChanging: 64, size)[64] == 200)
        }
    }

    @Test("a stored request is decoded unchanged; storing a stream is an error")
    func wire() throws {
        let request = Request.Wire(
            method: .post, url: try HTTPURL("https://h.example/a?q=1"), headers: [.accept: "a/b", .cookie: "x=1"],
            body: .bytes(Data("body".utf8)))
        let stored = try JSONEncoder().encode(request)
        let back = try JSONDecoder().decode(Request.Wire.self, from: stored)
        #expect(back.method == .post && back.url == request.url && back.headers == request.headers)
        #expect(try back.body.bytesInMemory() == Data("body".utf8))
        var streaming = request
        streaming.body = Self.stream(["a"])
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(streaming) }
        let text = String(decoding: stored, as: UTF8.self)
        let smuggled = Data(text.replacingOccurrences(of: "POST", with: "G ET").utf8)
        #expect(throws: RequestError.self) { try JSONDecoder().decode(Request.Wire.self, from: smuggled) }
    }

    private static func stored(headers count: Int = 0, body: String = "{}") -> Data {
        let headers = Array(repeating: #"{"name":"a","value":"b"}"#, count: count).joined(separator: ",")
        return Data(#"{"method":"GET","url":"https://h.example/","headers":[\#(headers)],"body":\#(body)}"#.utf8)
    }

    @Test("decoding a request with too many fields is an error with both numbers")
    func fieldFlood() throws {
        #expect(try JSONDecoder().decode(Request.Wire.self, from: Self.stored(headers: 65_000)).headers.count == 65_000)
        for count in [65_001, 70_000] {
            let error = #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(Request.Wire.self, from: Self.stored(headers: count))
            }
            guard case .dataCorrupted(let context) = error else { return #expect(Bool(false), "\(String(describing: error))") }
            #expect(context.debugDescription == "\(count) header fields; expected at most 65000")
        }
    }

    @Test("too many fields are rejected in a description, one by one, and as cookies of one line")
    func describedFlood() throws {
        var headers = Headers()
        for _ in 0..<65_001 { headers.append("a", "b") }
        #expect(throws: RequestError.self) { try headers.fields() }
        let call = Call(
            channel: Channel(name: "c", environment: APIEnvironment("e", baseURL: "https://h.example")), endpoint: "e")
        var request = Request(call: call, method: .get, url: try HTTPURL("https://h.example"))
        let cookies = { (count: Int) in Array(repeating: "a=b", count: count).joined(separator: "; ") }
        #expect(throws: RequestError.self) { try request.setHeader("Cookie", cookies(70_000)) }
        try request.setHeader("Cookie", cookies(65_000))
        #expect(throws: RequestError.self) { try request.setHeader("X-One", "more") }
        #expect(throws: RequestError.self) { try request.headers.set([.accept: "a/b"]) }
    }

    @Test(
        "decoding a file whose URL is not a local file's is an error",
        arguments: ["http://x/etc/hostname", "etc/hostname", "file://elsewhere/etc/hostname"])
    func foreignFile(url: String) throws {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Request.Wire.self, from: Self.stored(body: #"{"file":"\#(url)"}"#))
        }
        for local in ["file:///tmp/a", "file://localhost/tmp/a"] {
            let request = try JSONDecoder().decode(Request.Wire.self, from: Self.stored(body: #"{"file":"\#(local)"}"#))
            guard case .file(let file) = request.body else { return #expect(Bool(false), "\(request.body)") }
            #expect(file.path == "/tmp/a")
        }
    }

    @Test("a full buffer keeps its chunks, and calls its producer when there is room")
    func buffer() async throws {
        let (room, tell) = AsyncStream.makeStream(of: Void.self)
        let buffer = ChunkBuffer(limit: 4) { tell.yield() }
        #expect(buffer.hasRoom())
        buffer.offer(Data("abcdef".utf8))
        #expect(!buffer.hasRoom())
        #expect(try await buffer.next() == Data("abcdef".utf8))
        for await _ in room { break }
        #expect(buffer.hasRoom())
        buffer.offer(Data("g".utf8))
        buffer.finish(.success(()))
        #expect(try await buffer.next() == Data("g".utf8))
        #expect(try await buffer.next() == nil)
    }

    @Test("a pushed chunk is taken in parts; a full buffer suspends its producer, and a finished one fails it")
    func pushing() async throws {
        let (wanted, tell) = AsyncStream.makeStream(of: Void.self)
        let buffer = ChunkBuffer(limit: 2) { tell.yield() }
        guard case .nothing = buffer.take(atMost: 2) else { return #expect(Bool(false)) }
        try await buffer.push(Data("abc".utf8))
        for await _ in wanted { break }
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let second = Task {
            begin.yield()
            try await buffer.push(Data("d".utf8))
        }
        for await _ in begun { break }
        // A push that does not wait needs some microseconds.
        for _ in 0..<1_000 { await Task.yield() }
        guard case .chunk(Data("abc".utf8)) = buffer.take(atMost: 4) else { return #expect(Bool(false), "it did not wait") }
        var taken = "abc"
        while taken.count < 4 {
            if case .chunk(let chunk) = buffer.take(atMost: 2) { taken += String(decoding: chunk, as: UTF8.self) }
            await Task.yield()
        }
        #expect(taken == "abcd")
        try await second.value
        try await buffer.push(Data("ef".utf8))
        guard case .chunk(Data("e".utf8)) = buffer.take(atMost: 1) else { return #expect(Bool(false)) }
        guard case .chunk(Data("f".utf8)) = buffer.take(atMost: 1) else { return #expect(Bool(false)) }
        struct Broken: Error {}
        buffer.finish(.failure(Broken()))
        guard case .failed(is Broken) = buffer.take(atMost: 2) else { return #expect(Bool(false)) }
        await #expect(throws: CancellationError.self) { try await buffer.push(Data("e".utf8)) }
    }

    @Test("cancelling a wait for a chunk ends it; abandoning the buffer tells its producer")
    func abandoned() async throws {
        let (gone, tell) = AsyncStream.makeStream(of: Void.self)
        let buffer = ChunkBuffer(limit: 2, resume: {}, abandoned: { tell.yield() })
        let waiting = Task { try await buffer.next() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        buffer.abandon()
        for await _ in gone { break }
        buffer.offer(Data("late".utf8))
        #expect(buffer.hasRoom())
    }

    @Test("a read of an abandoned buffer without an end fails, and does not ask again and again")
    func readAfterAbandonment() async throws {
        let buffer = ChunkBuffer(limit: 2, resume: {})
        buffer.abandon()
        // A read that asks again and again ends at the suite's time limit, which cancels its task.
        await #expect(throws: CancellationError.self) { try await buffer.next() }
    }
}
