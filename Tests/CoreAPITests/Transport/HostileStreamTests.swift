import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("Streaming: hostile peers", .closing, .timeLimit(.minutes(2)))
struct HostileStreamTests {
    private func channel(
        _ server: LoopbackServer, loops: LoopGroup = .shared, name: String = "test", _ change: (inout Channel) -> Void = { _ in }
    ) -> Channel { .test(server, name: name, transport: CurlTransport(loops: loops), change) }

    @Test("a response in chunks of one byte does not delay other channels of the loop, and arrives whole")
    func byteByByte() async throws {
        let count = 300_000
        let flood =
            Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
            + Data(repeatElement(Array("1\r\na\r\n".utf8), count: count).joined()) + Data("0\r\n\r\n".utf8)
        let hostile = try LoopbackServer.start { _ in [.send(flood)] }
        let server = try LoopbackServer.start { _ in .ok("x") }
        let loops = closing(LoopGroup(loops: 1))
        let (attacked, neighbour) = (channel(hostile, loops: loops), channel(server, loops: loops, name: "neighbour"))
        let body = try await attacked.manager.stream(TestEndpoint()).value
        let began = ContinuousClock.now
        for _ in 0..<20 { #expect(try await neighbour.manager.response(for: TestEndpoint(), as: .text).value == "x") }
        #expect(began.duration(to: .now) < .seconds(20))
        var received = 0
        for try await chunk in body { received += chunk.count }
        #expect(received == count)
        #expect(began.duration(to: .now) < .seconds(40))
    }

    @Test("a slow error answer is collected until the call's deadline, and the received part is kept")
    func trickle() async throws {
        let server = try LoopbackServer.test { _ in
            let head: ServerReply.Step = .sendHead(status: 500, headers: ["Content-Length": "60000"])
            return ServerReply([head] + (0..<200).flatMap { _ in [.sendBody(Data("x".utf8)), .wait(.milliseconds(100))] })
        }
        let channel = channel(server) { $0.modifiers = [Timeout(idle: .seconds(5), total: .milliseconds(800))] }
        let response = await channel.manager.stream(TestEndpoint())
        #expect(response.error?.label == "transport.timedOut.total")
        #expect(response.head?.status.code == 500 && !response.data.isEmpty)
    }

    @Test("a sequence that can be read only once is never sent again as an empty body")
    func readOnce() async throws {
        let server = try LoopbackServer.test { request in
            request.path == "/upload" ? .status(307, headers: ["Location": "/there"]) : .ok("\(request.body.count)")
        }
        let once = Data("precious".utf8).pieces(8)
        let response = await server.manager.response(for: .upload(.stream(Body.Stream { once })), as: .text)
        #expect(response.error?.label == "transport.bodyUnreadable", "\(response.result)")
        #expect("\(response.error.map { "\($0)" } ?? "")".contains("expected 8 bytes as in an earlier attempt, found 0"))
        #expect(server.requests.filter { $0.path == "/there" }.allSatisfy { $0.error != nil })
    }

    @Test("the rest of a sequence that can be read only once is never sent as a whole body", arguments: [true, false])
    func restOfOnce(madeOutside: Bool) async throws {
        let server = try LoopbackServer.test { .ok("\($0.body.count)") }
        let peek = Around { attempt, next in
            var chunks = attempt.request.body.makeAsyncIterator()
            _ = try? await chunks.next()
            return await next(attempt)
        }
        let channel = channel(server) { $0.attemptMiddleware = [peek] }
        let bytes = Data.noise(20_000)
        let once = bytes.pieces(1_000)
        let body = Body.Stream { madeOutside ? once : bytes.pieces(1_000) }
        let response = await channel.manager.response(for: .upload(.stream(body)), as: .text)
        if madeOutside {
            #expect(response.error?.label == "transport.bodyUnreadable", "\(response.result)")
            #expect("\(response.error.map { "\($0)" } ?? "")".contains("expected the bytes of an earlier attempt"))
            #expect(server.requests.allSatisfy { $0.error != nil })
        } else {
            #expect(try response.value == "20000")
        }
    }

    @Test("a middleware cannot lead a call out of an environment that may be simulated", arguments: [true, false])
    func simulated(aroundAttempt: Bool) async throws {
        let (server, other) = (try LoopbackServer.test { _ in .ok() }, try LoopbackServer.test { _ in .ok() })
        let url = try HTTPURL(other.url)
        let elsewhere = Around { attempt, next in await next(attempt.with { $0.url = url }) }
        let channel = channel(server) {
            $0.environment.isSimulated = true
            if aroundAttempt { $0.attemptMiddleware = [elsewhere] } else { $0.callMiddleware = [elsewhere] }
        }
        #expect(await channel.error()?.label == "request.leavesEnvironment")
        #expect(other.requests.isEmpty)
    }

    /// Yields empty chunks until its reader releases it.
    private struct Nothings: AsyncSequence {
        let gone: Gate

        struct AsyncIterator: AsyncIteratorProtocol {
            let token: Token
            mutating func next() async throws -> Data? { Data() }
        }

        final class Token: Sendable {
            let gone: Gate
            init(_ gone: Gate) { self.gone = gone }
            deinit { gone.open() }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(token: Token(gone)) }
    }

    @Test("a sequence of empty chunks is released when its call ends")
    func empties() async throws {
        let server = try LoopbackServer.test { request in .ok("\(request.body.count)") }
        let gone = try Gate()
        let channel = channel(server) { $0.modifiers = [Timeout(.milliseconds(500))] }
        let body = Body.stream(Body.Stream { Nothings(gone: gone) })
        #expect(await channel.manager.response(for: .upload(body), as: .text).error?.label == "transport.timedOut.total")
        try await gone.waitUntilOpen()
    }

    /// Gives nothing, not even to a cancelled task, before the gate opens.
    private struct Deaf: AsyncSequence {
        let gate: Gate

        struct AsyncIterator: AsyncIteratorProtocol {
            let gate: Gate
            mutating func next() async throws -> Data? {
                let gate = gate
                await Task { try? await gate.waitUntilOpen(timeout: .seconds(60)) }.value
                return nil
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(gate: gate) }
    }

    enum Emptiness: CaseIterable { case silent, endless, deaf }

    @Test(
        "a sequence of length 0 that does not end obeys the call's timeout and its cancellation", arguments: Emptiness.allCases,
        [true, false])
    func declaredEmpty(kind: Emptiness, isCancelled: Bool) async throws {
        let server = try LoopbackServer.test { request in .ok("\(request.body.count)") }
        let (gone, opened) = (try Gate(), try Gate())
        defer { gone.open() }
        func empty<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) -> Body.Stream where Chunks.Element == Data {
            Body.Stream(length: 0) {
                opened.open()
                return chunks
            }
        }
        let stream =
            switch kind {
            case .silent: empty(AsyncStream { _ in })
            case .endless: empty(Nothings(gone: gone))
            case .deaf: empty(Deaf(gate: gone))
            }
        let channel = channel(server) { $0.modifiers = [Timeout(isCancelled ? .seconds(60) : .milliseconds(500))] }
        let began = ContinuousClock.now
        let call = Task { await channel.manager.response(for: .upload(.stream(stream)), as: .text).error?.label }
        try await opened.waitUntilOpen()
        if isCancelled { call.cancel() }
        #expect(await call.value == (isCancelled ? "cancelled" : "transport.timedOut.total"))
        #expect(began.duration(to: .now) < .seconds(30))
        #expect(server.requests.isEmpty)
        if kind == .endless { try await gone.waitUntilOpen() }
    }

    private struct Rejecting: Transport {
        let body: Body.Stream

        func send(_ attempt: Attempt) async -> RawResponse {
            RawResponse(attempt, head: ResponseHead(status: 500), body: .stream(body))
        }
    }

    @Test("a rejection's body that ignores its cancellation does not outlast the call's timeout", arguments: [true, false])
    func deafRejection(isCancelled: Bool) async throws {
        let (gone, opened) = (try Gate(), try Gate())
        defer { gone.open() }
        let body = Body.Stream {
            opened.open()
            return Deaf(gate: gone)
        }
        var channel = Channel.test(Rejecting(body: body))
        channel.modifiers = [Timeout(isCancelled ? .seconds(60) : .milliseconds(500))]
        let began = ContinuousClock.now
        let call = Task { [channel] in await channel.manager.response(for: TestEndpoint(), as: .stream).error?.label }
        try await opened.waitUntilOpen()
        if isCancelled { call.cancel() }
        #expect(await call.value == (isCancelled ? "cancelled" : "transport.timedOut.total"))
        #expect(began.duration(to: .now) < .seconds(30))
    }

    @Test(
        "a file with more bytes than its size is not sent as a part of it",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/cpuinfo")))
    func sizeless() async throws {
        let server = try LoopbackServer.test { request in .ok("\(request.body.count)") }
        let response = await server.manager.response(for: .upload(.file(URL(fileURLWithPath: "/proc/cpuinfo"))), as: .text)
        #expect(response.error?.label == "transport.bodyUnreadable", "\(response.result)")
        #expect("\(response.error.map { "\($0)" } ?? "")".contains("expected 0 bytes, but the body goes on after them"))
        #expect(server.requests.allSatisfy { $0.error != nil })
    }

    @Test("a file that grows while it is sent is not sent as a part of it")
    func growing() async throws {
        let server = try LoopbackServer.test { request in .ok("\(request.body.count)") }
        let file = temporaryFile("kit-growing")
        try Data(count: 10).write(to: file)
        var upload = UploadBody(.file(file))
        let exchange = Exchange(
            try PreparedRequest(Attempt(Requests(CurlTransport()).make(.put, server.url)), deadline: .max / 4))
        try upload.open(for: exchange)
        #expect(upload.length == 10)
        try Data(count: 11).write(to: file)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
        defer { room.deallocate() }
        #expect(throws: UploadBody.ReadError.self) { try upload.read(into: room) }
    }

    /// 60 MiB of zeros in gzip, in gzip.
    private static let bombInBomb = Data(
        base64Encoded: """
            H4sIAAAAAAACA+3coU6CURjH4YPfF5huoMFEwDuwWtiwMCNBszMSvAbYmMmgd0KiQ3FmCxrcCEZnMJhU9Pu4i/M+Tzr5jf+d/bq3zVTZKd6Xjc
            b/Y3L/O/to7iYAAAAgc5OXaVGNAelosxoMLwAAAIDcXbVbZT0KfF92Tp0DAAAAsnfTO9mvfwh8jq9L5wAAAIDsHX6t+/UW8LiZH5y7BwAAAGTv
            WTAAAAAAQhEMAAAAgFgEAwAAACAWwQAAAAAIRjAAAAAAYhEMAAAAgFgEAwAAACAWwQAAAAAIRjAAAAAAYhm1W2fVFlD+jF/vhvUsAAAAAFvr47
            23h6eUFsUfvdvFsfXuAAA=
            """, options: .ignoreUnknownCharacters)

    @Test("a slice of a body in two codings that becomes too large is a malformed response, whatever the channel's limit")
    func nested() async throws {
        let server = try LoopbackServer.test { _ in
            .status(200, body: Self.bombInBomb ?? Data(), headers: ["Content-Encoding": "gzip, gzip"])
        }
        let body = try await server.manager.stream(TestEndpoint()).value
        let error = await #expect(throws: APIClientError.self) { for try await _ in body {} }
        #expect(error?.label == "transport.malformedResponse")
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("263 bytes of its coded form become more than 33554432"), "\(text)")
    }

    @Test("a peer that stalls its response is idle, whatever delays the request's body")
    func bothStall() async throws {
        // Without a length the body continues until the server closes, which it never does.
        let server = try EarlyServer(200, "ab", hasLength: false, then: .readsOn)
        let channel = Channel.test(server.url) { $0.modifiers = [Timeout(idle: .seconds(2))] }
        let response = await channel.manager.response(for: .upload(EarlyAnswerTests.Upload.paused.body), as: .stream)
        let body = try response.value
        let error = await #expect(throws: APIClientError.self) { for try await _ in body {} }
        #expect(error?.label == "transport.timedOut.idle")
    }

    @Test("a reader that never waits can be cancelled, and a second reader is rejected")
    func readers() async throws {
        let full = ChunkBuffer(limit: 4, resume: {})
        full.offer(Data("a".utf8))
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await full.next()
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }

        let empty = ChunkBuffer(limit: 4, resume: {})
        let rejections = await atOnce(2) {
            do {
                _ = try await empty.next()
                return false
            } catch {
                empty.finish(.success(()))
                return error as? BodyError == .readTwice
            }
        }
        #expect(rejections.count { $0 } == 1)
    }

    @Test("a reply that a middleware kept from another call becomes this call's, and is reported under its id")
    func kept() async throws {
        let ids = Shared<[String]>([])
        let channel = Channel.test(FixtureTransport([Fixture(.get, "thing", body: #"{"id":3}"#)])) {
            $0.callMiddleware = [Keeper()]
            $0.listeners = [Hearing { if case .finished(let response) = $0 { ids.change { $0.append(response.call.id) } } }]
        }
        let (first, second) = (await channel.item(), await channel.item())
        #expect(try first.value == second.value)
        #expect(second.call.id != first.call.id)
        #expect(ids.current == [first.call.id, second.call.id])
    }
}
