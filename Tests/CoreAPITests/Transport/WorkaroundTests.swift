import HTTPTypes
import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

/// Each defect of libcurl: the kit does right where libcurl does not. `docs/libcurl` has the programs that show the defects.
///
/// Not here: `repeatedExpectation` (`UploadTests`), `lostTimer` (`StreamRoomTests`), and `rememberedField`, because the tests do
/// not write to freed memory (`FirstFieldCheckTests`).
@Suite("Workarounds", .closing, .timeLimit(.minutes(2)))
struct WorkaroundTests {
    /// A defect of some versions. Without its workaround the fault occurs exactly on the libcurls with the defect.
    ///
    /// - Parameters:
    ///   - loops: the threads of both transports.
    ///   - goesRight: whether a transport behaves correctly.
    private func show(
        _ defect: CurlDefect, loops: LoopGroup = .shared, _ goesRight: (CurlTransport) async throws -> Bool
    ) async throws {
        let library = CurlLibrary.linked
        let (with, without) = (
            closing(CurlTransport(loops: loops, library: library)),
            closing(CurlTransport(loops: loops, library: library.withoutWorkaround(for: defect)))
        )
        #expect(try await goesRight(with), "with the workaround")
        if !defect.isPresent(in: library.version) {
            #expect(try await goesRight(without), "without it")
        } else {
            // Repeated, because on a slow machine libcurl may get in one piece the bytes that arrive in two.
            var wentWrong = false
            for _ in 0..<20 where !wentWrong { wentWrong = try await !goesRight(without) }
            #expect(wentWrong, "without it")
        }
    }

    @Test("an unrequested answer does not become the response to the next request")
    func unreadBytes() async throws {
        let extra = Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong".utf8)
        let (gate, sent) = (try Gate(), try Gate())
        let server = try LoopbackServer.test { request in
            guard request.connection == 0, request.exchange == 0 else { return .ok("right") }
            return ServerReply.ok("first").followed(by: .waitFor(gate), .send(extra), .open(sent))
        }
        let requests = Requests(to: server)
        #expect(try await requests.send(.get, server.url).text == "first")
        gate.open()
        try await sent.waitUntilOpen()
        #expect(try await requests.send(.get, server.url).text == "right")
    }

    @Test("an order is not sent on an HTTP/2 connection that its server closed without GOAWAY")
    func silentEnd() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2]), faults: [Fault(.afterResponse, .close)]) {
            .ok("\($0.connection)")
        }
        let requests = Requests(to: server)
        _ = try await requests.send(.post, server.url, body: .bytes(Data("x".utf8)))
        try await server.waitForOpenConnections(atMost: 0)
        #expect(try await requests.send(.post, server.url, body: .bytes(Data("x".utf8))).error == nil)
    }

    @Test("an HTTP/2 body without an end is truncated")
    func unannouncedEnd() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2])) { _ in
            [.sendHead(status: 200), .sendBody(Data("part".utf8)), .resetStream(code: 0)]
        }
        let response = try await Requests(to: server).send(.get, server.url)
        if response.error == nil { #expect(response.metrics?.isEndAnnounced == false) }
        #expect(response.transportError?.label == "truncated")
    }

    @Test("an order is sent again if the server rejected its stream")
    func hiddenFailure() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2])) { request in
            request.connection == 0 && request.exchange == 0 ? [.resetStream(code: 7)] : .ok()
        }
        let order = Body.bytes(Data("order".utf8))
        #expect(try await Requests(to: server).send(.post, server.url, body: order).error == nil)
    }

    @Test("an HTTP/2 response that is complete before its request is sent is a success")
    func endlessUpload() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2]), answersEarly: true) { request in
            [.send(StreamEndTests.Early.bodyReset.frames(413, UInt32(request.exchange * 2 + 1))), .stall]
        }
        let body = Body.bytes(Data(repeating: 0x61, count: 3_000_000))
        let response = try await Requests(to: server).send(.post, server.url, body: body, timeout: Timeout(.seconds(5)))
        #expect(response.error == nil && response.status == 413)
    }

    @Test("a response arrives while its request's body is paused")
    func missedResponse() async throws {
        try await show(.missedResponse) { transport in
            let server = try EarlyServer(413, "too large", hasLength: false, then: .endsItsSide)
            let response = try await Requests(transport).send(
                .post, server.url, body: EarlyAnswerTests.Upload.paused.body, timeout: Timeout(.seconds(3)))
            return response.error == nil && response.status == 413
        }
    }

    #if os(Linux)
    @Test("an upload that the server lets wait uses no processor meanwhile")
    func spinningUpload() async throws {
        let loops = closing(LoopGroup(loops: 1))
        try await show(.spinningUpload, loops: loops) { transport in
            let server = try LoopbackServer.test(
                tls: ServerTLS(protocols: [.http2]), faults: [Fault(.beforeRequest, .stall)]
            ) { _ in .ok() }
            let thread = ReadingThread()
            let response = try await Requests(transport, to: server).send(
                .post, server.url, body: .stream(thread.body(of: 3_000_000)), timeout: Timeout(.seconds(2)))
            #expect(response.transportError?.label == "timedOut.total")
            return try #require(thread.time) < .milliseconds(250)
        }
    }

    @Test("an upload that fills the window of its stream a thousand times waits for no timer")
    func filledWindows() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2]), bodyLimit: 0) { .ok("\($0.bodyLength)") }
        let began = ContinuousClock.now
        let size = 64 << 20
        let body = Body.stream(ReadingThread().body(of: size))
        #expect(try await Requests(to: server).send(.post, server.url, body: body).text == "\(size)")
        // With 50 ms for each it would be 51 s.
        #expect(began.duration(to: .now) < .seconds(25))
    }
    #endif

    @Test("a handle used for HTTP/2 is reused, also with many requests by then")
    func keptBuffer() async throws {
        try await show(.keptBuffer) { transport in
            let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2])) { request in
                request.target == "/held" ? [.stall] : .ok()
            }
            let requests = Requests(transport, to: server)
            #expect(try await requests.send(.get, server.url).error == nil)
            let held = (0..<65).map { _ in Task { try await requests.send(.get, server.url + "/held") } }
            try await server.waitForRequests(66)
            // The first handle has a small buffer, as one of many.
            #expect(try await requests.send(.get, server.url).error == nil)
            for task in held { task.cancel() }
            for task in held { #expect(try await task.value.error?.isCancelled == true) }
            // It is reused, as the only one.
            return try await requests.send(.get, server.url).error == nil
        }
    }

    @Test("a streamed response is never another request's, beside an HTTP/2 request to the same host")
    func busyConnectionShared() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test(tls: ServerTLS()) { request in
            let head: ServerReply.Step = .sendHead(status: 200, headers: ["Content-Length": "\(request.target.utf8.count + 1)"])
            let body: ServerReply.Step = .sendBody(Data(request.target.utf8))
            guard request.target.hasPrefix("/s") else { return [head, .sendBody(Data(".".utf8)), body] }
            return [head, .sendBody(Data(".".utf8)), .waitFor(gate), body]
        }
        let manager = Channel.test(server) { $0.modifiers = [Timeout(.seconds(5))] }.manager
        #expect(try await manager.response(for: TestEndpoint("plain"), as: .text).value == "./plain")
        let responses = [await manager.stream(TestEndpoint("s1")), await manager.stream(TestEndpoint("s2"))]
        gate.open()
        var texts: [String] = []
        for response in responses { texts.append(String(decoding: try await response.value.collect(upTo: 99), as: UTF8.self)) }
        #expect(texts == ["./s1", "./s2"])
    }

    @Test("a streamed body takes another connection than the requests that libcurl may multiplex")
    func apart() async throws {
        let server = try LoopbackServer.test { .ok("\($0.connection)") }
        let manager = server.manager
        #expect(try await manager.response(for: TestEndpoint(), as: .text).value == "0")
        let streamed = try await manager.stream(TestEndpoint()).value.collect(upTo: 9)
        #expect(String(decoding: streamed, as: UTF8.self) == "1")
    }

    @Test("a turn of the loop ends its reading of a connection, although more bytes are there")
    func turn() {
        let connections = LoopConnections(nil, .linked)
        var budget = ReadBudget()
        // Two reads for each exchange, within bounds.
        for (exchanges, reads) in [(0, 64), (0, 64), (100, 200), (8_000, 1_024)] {
            connections.beginTurn(exchanges)
            let taken = (0...reads).map { _ in budget.take(in: connections) }
            #expect(taken.dropLast().allSatisfy { $0 } && taken.last == false)
        }
    }

    #if canImport(Darwin)
    private static let streamSocket = SOCK_STREAM
    #else
    private static let streamSocket = Int32(SOCK_STREAM.rawValue)
    #endif

    @Test("a connection that its peer has ended gets no request, whatever libcurl knows of it", arguments: [false, true])
    func endSeen(hasEnded: Bool) throws {
        var sockets: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Self.streamSocket, 0, &sockets) == 0)
        defer { close(sockets[0]) }
        let connections = LoopConnections(nil, .linked)
        connections.beginTurn(0)
        let connection = "127.0.0.1".withCString { address in
            LoopConnection(
                LoopConnections.Ends(remoteAddress: address, ports: .init(remote: 1, local: 2)), socket: sockets[0],
                loop: connections)
        }
        if hasEnded { close(sockets[1]) }
        #expect(connection.hasSilentEnd == hasEnded)
        if !hasEnded { close(sockets[1]) }
    }

    @Test("every unfinished HTTP/2 stream ends when the server closes the connection by TLS alone")
    func endToldOnce() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2])) { request in
            guard request.connection == 0, request.target != "/warm" else { return .ok() }
            guard request.target == "/last" else { return [.stall] }
            return ServerReply(ServerReply.ok().steps + [.complete, .closeTLS, .stall])
        }
        let requests = Requests(to: server)
        #expect(try await requests.send(.get, server.url + "/warm").error == nil)
        let timeout = Timeout(.seconds(5))
        let held = (0..<4).map { _ in Task { try await requests.send(.get, server.url + "/held", timeout: timeout) } }
        try await server.waitForRequests(5)
        #expect(try await requests.send(.get, server.url + "/last", timeout: timeout).error == nil)
        for task in held { #expect(try await task.value.error == nil) }
    }

    @Test("a body ends at its length, although an transfer coding that codes nothing stands beside it")
    func missedBodyEnd() async throws {
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nwhole"
        let server = try LoopbackServer.test { _ in [.send(Data(answer.utf8)), .stall] }
        let response = try await Requests(to: server).send(.get, server.url, timeout: Timeout(.seconds(5)))
        #expect(response.error == nil && response.text == "whole")
    }

    @Test("a connection with an invalid frame is not used again")
    func keptConnection() async throws {
        try await show(.keptConnection) { transport in
            let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2])) { request in
                guard request.connection == 0, request.exchange == 1 else { return .ok() }
                let stream = UInt32(request.exchange * 2 + 1)
                let head = Frames.head(stream, Frames.field(":status", "200"), ends: false)
                // A WINDOW_UPDATE of 0.
                let invalid = Frames.frame(8, 0, 0, Data([0, 0, 0, 0]))
                return [.send(head), .wait(.milliseconds(50)), .send(invalid), .stall]
            }
            let requests = Requests(transport, to: server)
            let timeout = Timeout(.seconds(5))
            #expect(try await requests.send(.get, server.url, timeout: timeout).status == 200)
            _ = try await requests.send(.get, server.url, timeout: timeout)
            return try await requests.send(.get, server.url, timeout: timeout).status == 200
        }
    }

    @Test("an order on a connection that dies is not sent twice")
    func silentResend() async throws {
        let server = try LoopbackServer.test { $0.connection == 0 && $0.exchange == 1 ? .closeWithoutReply : .ok() }
        let requests = Requests(to: server)
        #expect(try await requests.send(.get, server.url + "/warm").error == nil)
        _ = try await requests.send(.post, server.url + "/orders", body: .bytes(Data("order".utf8)))
        #expect(server.requests.filter { $0.path == "/orders" }.count == 1)
    }

    @Test("requests that were each sent again once do not use up the tries of a later one")
    func rememberedResend() async throws {
        // Each connection dies at its second request.
        let server = try LoopbackServer.test { $0.exchange == 0 ? .ok() : .closeWithoutReply }
        let requests = Requests(to: server)
        for _ in 0..<8 { #expect(try await requests.send(.get, server.url).error == nil) }
    }

    @Test("a stream that is declared empty and is not fails")
    func unreadEmptyBody() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let body = Body.stream(Body.Stream(length: 0) { Data("lost".utf8).pieces(4) })
        #expect(try await Requests(to: server).send(.post, server.url, body: body).error != nil)
    }

    @Test("a header line that libcurl has no room for is a head that is too large")
    func vagueError() async throws {
        let line = "X-A: " + String(repeating: "a", count: 110_000)
        let server = try LoopbackServer.test { _ in [.send(Data("HTTP/1.1 200 OK\r\n\(line)\r\n\r\n".utf8)), .stall] }
        #expect(try await Requests(to: server).send(.get, server.url).transportError?.label == "headTooLarge")
    }

    @Test("a field is sent or rejected, however long it is")
    func lostField() async throws {
        try await show(.lostField) { transport in
            let server = try LoopbackServer.test { .ok("\($0.rawHead.count)") }
            let fields: HTTPFields = [.userAgent: String(repeating: "a", count: 400_000)]
            let response = try await Requests(transport, to: server).send(.get, server.url, headers: fields)
            return response.error?.label == "request.malformedHeader" || Int(response.text) ?? 0 > 400_000
        }
    }

    @Test("a fixed defect needs no workaround, and a library whose streams cannot be observed is not observed")
    func versions() {
        #expect(!CurlDefect.rememberedField.isPresent(in: CurlVersion(8, 2, 0)))
        #expect(CurlDefect.rememberedField.isPresent(in: CurlVersion(8, 1, 2)))
        #expect((HTTP2StreamMonitor(.linked) != nil) == CurlLibrary.linked.can(.streamMonitor))
        #expect(HTTP2StreamMonitor(.linked.without(.streamMonitor)) == nil)
    }
}
