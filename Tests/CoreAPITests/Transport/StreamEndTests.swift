import Synchronization
import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

/// libcurl reports the same codes for rejected, broken and unreadable streams; the kit distinguishes them.
@Suite("The end of an HTTP/2 stream", .closing)
struct StreamEndTests {
    private let transport = closing(CurlTransport())

    enum Rejection: CaseIterable {
        case stream, connection, freshStream, freshConnection

        var isFresh: Bool { self == .freshStream || self == .freshConnection }
        var reply: ServerReply {
            self == .stream || self == .freshStream ? [.resetStream(code: 7)] : [.goAway(rejecting: true), .closeConnection]
        }
    }

    private static let order = Data(repeating: 0x61, count: 300_000)

    private static let streamed = Body.stream(
        Body.Stream(length: Int64(order.count)) {
            nonisolated(unsafe) var rest = order
            return { count in
                defer { rest = rest.dropFirst(count) }
                return Data(rest.prefix(count))
            }
        })

    @Test(
        "A stream that the server rejected was not processed, so an order is sent again and arrives once",
        arguments: Rejection.allCases, [Body.bytes(Data("order".utf8)), .bytes(order), .none, streamed])
    func rejected(rejection: Rejection, body: Body) async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { request in
            request.connection == 0 && (rejection.isFresh || request.exchange > 0)
                ? rejection.reply : .ok("\(request.body.count)")
        }
        let requests = Requests(transport, to: server)
        if !rejection.isFresh { #expect(try await requests.send(.get, server.url).status == 200) }
        let response = try await requests.send(.post, server.url, body: body)
        let length =
            switch body {
            case .bytes(let bytes): bytes.count
            case .none: 0
            default: Self.order.count
            }
        #expect(response.text == "\(length)", "\(response.result)")
        #expect(server.requests.filter { $0.method == "POST" }.count == 2)
        let metrics = try #require(response.metrics)
        #expect(try #require(metrics.firstByte) >= .zero)
    }

    @Test("A file is opened and closed once each time it is sent")
    func file() async throws {
        let file = temporaryFile("order")
        try Self.order.write(to: file)
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { request in
            request.connection < 3 ? Rejection.connection.reply : .ok("\(request.body.count)")
        }
        let response = try await Requests(transport, to: server).send(.post, server.url, body: .file(file))
        #expect(response.text == "\(Self.order.count)", "\(response.result)")
        await transport.close()
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(!open.contains(file.path))
    }

    @Test("A server that rejects every stream gets six requests, and the error says that none was processed")
    func rejectedAlways() async throws {
        for reply in [Rejection.stream.reply, Rejection.connection.reply] {
            for method in [HTTPRequest.Method.post, .get] {
                let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { _ in reply }
                let response = try await Requests(transport, to: server).send(
                    method, server.url, body: .bytes(Data("order".utf8)))
                #expect(response.transportError?.mayHaveBeenProcessed == false, "\(method): \(response.result)")
                // On a slow machine libcurl 8.14.1 sends a rejected request once more by itself, seldom.
                let most = CurlLibrary.linked.version < CurlVersion(8, 0, 0) ? 6 : 7
                #expect((6...most).contains(server.requests.count))
                #expect(try #require(response.metrics).resends >= 5)
            }
        }
    }

    @Test("A refused stream without another connection is an error, at once")
    func rejectedAndGone() async throws {
        let failure = Fault(.beforeRequest, .handshakeFailure)
        let server = try LoopbackServer.start(
            tls: ServerTLS(protocols: [.http2]),
            faults: [Fault(.beforeRequest, .goAway), failure, failure, failure, failure, failure, failure, failure]
        ) { _ in .ok() }
        let response = try await Requests(transport, to: server).send(.post, server.url, body: .bytes(Data("order".utf8)))
        #expect(response.transportError?.label == "tls", "\(response.result)")
        #expect(server.connectionsAccepted <= 3)
    }

    @Test("An answered stream is not sent again if its server rejects it afterwards")
    func answeredAndRejected() async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { request in
            // In one piece, so that libcurl receives the rejection before it has read the response.
            let stream = UInt32(request.exchange * 2 + 1)
            let head = Frames.head(stream, Frames.field(":status", "200"), ends: false)
            return [.send(head + Frames.frame(3, 0, stream, Data([0, 0, 0, 7]))), .stall]
        }
        let response = try await Requests(transport, to: server).send(.post, server.url, body: .bytes(Data("order".utf8)))
        #expect(response.error != nil && response.transportError?.mayHaveBeenProcessed != false)
        #expect(server.requests.count == 1)
    }

    @Test("With ten streams at a time a hundred orders succeed, and none is processed twice")
    func fewStreams() async throws {
        let server = try await NginxServer(http2: true, streams: 10)
        let requests = Requests(transport, trusting: server.authority)
        let url = server.url
        let failures = Mutex<[String]>([])
        await each(of: 300, atOnce: 100) { _ in
            let response = try? await requests.send(.post, url + "/1k", body: .bytes(Data("order".utf8)))
            if response?.status != 405 { failures.withLock { $0.append("\(response?.transportError as Any)") } }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try await server.served(300) == 300)
    }

    /// Frames that a client must not accept as a response (RFC 9113 §8.1.1, §8.2, §8.3.2).
    enum Unreadable: String, CaseIterable {
        case noStatus, twoStatuses, statusNoNumber, lineBreakInValue, upperCaseName, connectionField, unknownPseudoField
        case shorterThanAnnounced, longerThanAnnounced, dataBeforeHead, unknownIndex

        func frames(_ stream: UInt32) -> Data {
            let ok = Frames.field(":status", "200")
            return switch self {
            case .noStatus: Frames.head(stream, Frames.field("server", "x"))
            case .twoStatuses: Frames.head(stream, ok + ok)
            case .statusNoNumber: Frames.head(stream, Frames.field(":status", "2xx"))
            case .lineBreakInValue: Frames.head(stream, ok + Frames.field("x", "a\r\nb: c"))
            case .upperCaseName: Frames.head(stream, ok + Frames.field("X-Name", "a"))
            case .connectionField: Frames.head(stream, ok + Frames.field("connection", "close"))
            case .unknownPseudoField: Frames.head(stream, ok + Frames.field(":path", "/"))
            case .shorterThanAnnounced:
                Frames.head(stream, ok + Frames.field("content-length", "5"), ends: false)
                    + Frames.frame(0, 1, stream, Data("abc".utf8))
            case .longerThanAnnounced:
                Frames.head(stream, ok + Frames.field("content-length", "2"), ends: false)
                    + Frames.frame(0, 1, stream, Data("abc".utf8))
            case .dataBeforeHead: Frames.frame(0, 1, stream, Data("abc".utf8))
            case .unknownIndex: Frames.head(stream, Data([0xFF, 0x80, 0x01]))
            }
        }
    }

    @Test("A response that breaks HTTP/2's rules is malformed, and the request is not repeated", arguments: Unreadable.allCases)
    func unreadable(kind: Unreadable) async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) {
            [.send(kind.frames(UInt32($0.exchange * 2 + 1))), .stall]
        }
        for method in [HTTPRequest.Method.get, .post] {
            let response = try await Requests(transport, to: server).send(method, server.url, timeout: Timeout(.seconds(5)))
            #expect(response.transportError?.label == "malformedResponse", "\(method): \(response.result)")
        }
        #expect(server.requests.count == 2)
    }

    /// Errors that break the connection after a valid head.
    enum Broken: String, CaseIterable {
        case padding, shortPing, shortSettings, noIncrement, loneContinuation, idleStream

        func frames(_ stream: UInt32) -> Data {
            switch self {
            case .padding: Frames.frame(0, 8, stream, Data([9, 1, 2]))
            case .shortPing: Frames.frame(6, 0, 0, Data([1, 2, 3]))
            case .shortSettings: Frames.frame(4, 0, 0, Data([1, 2, 3, 4, 5]))
            case .noIncrement: Frames.frame(8, 0, 0, Data([0, 0, 0, 0]))
            case .loneContinuation: Frames.frame(9, 4, stream, Data())
            case .idleStream: Frames.frame(0, 0, 99, Data("abc".utf8))
            }
        }
    }

    @Test(
        "A connection error in the middle of a body ends the request at once, although the server keeps the connection open",
        arguments: Broken.allCases, [true, false])
    func broken(kind: Broken, isFirst: Bool) async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { request in
            guard isFirst || request.exchange > 0 else { return .ok() }
            let stream = UInt32(request.exchange * 2 + 1)
            let head = Frames.head(stream, Frames.field(":status", "200"), ends: false)
            return [
                .send(head + Frames.frame(0, 0, stream, Data("part".utf8))), .wait(.milliseconds(50)), .send(kind.frames(stream)),
                .stall,
            ]
        }
        let requests = Requests(transport, to: server)
        if !isFirst { #expect(try await requests.send(.get, server.url).status == 200) }
        let response = try await requests.send(.get, server.url, timeout: Timeout(.seconds(10)))
        #expect(response.text == "part")
        // The cause is known only if there was no other stream.
        #expect(response.transportError?.label == (isFirst ? "malformedResponse" : "truncated"), "\(response.result)")
        // Its connection is not reused.
        if !isFirst { #expect(try await requests.send(.get, server.url).status == 200) }
    }

    /// More than libcurl or nghttp2 keep, whatever the channel allows.
    enum Large: String, CaseIterable {
        case head, trailers, field, continuations

        func frames(_ stream: UInt32) -> Data {
            let ok = Frames.field(":status", "200")
            let fields = (0..<1_000).map { Frames.field("x-\($0)", String(repeating: "a", count: 1_000)) }.reduce(Data(), +)
            return switch self {
            case .head: Frames.head(stream, ok + fields)
            case .trailers:
                Frames.head(stream, ok, ends: false) + Frames.frame(0, 0, stream, Data("abc".utf8)) + Frames.head(stream, fields)
            case .field: Frames.head(stream, ok + Frames.field("x", String(repeating: "a", count: 200_000)))
            case .continuations:
                Frames.frame(1, 1, stream, ok) + Data(repeatElement(Frames.frame(9, 0, stream, Data()), count: 10_000).joined())
            }
        }
    }

    @Test(
        "Fields beyond the limits of libcurl or nghttp2 are too large; one that nghttp2 cannot read is malformed",
        arguments: Large.allCases, [64 * 1_024, 16 * 1_024 * 1_024])
    func large(kind: Large, limit: Int) async throws {
        let frames = kind.frames(1)
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { _ in [.send(frames), .stall] }
        var requests = Requests(transport, to: server)
        requests.limits.responseHeadSize = limit
        requests.limits.responseHeadLines = 100_000
        let response = try await requests.send(.get, server.url, timeout: Timeout(.seconds(5)))
        let isTooLarge = kind != .field
        #expect(response.transportError?.label == (isTooLarge ? "headTooLarge" : "malformedResponse"), "\(response.result)")
    }

    @Test(
        "a 204 with a length of 0 is a success; with another length the error gives the reason",
        arguments: [HTTPRequest.Method.get, .delete, .head])
    func noContent(method: HTTPRequest.Method) async throws {
        for (length, endsAtHead) in [("0", true), ("0", false), ("22", true), ("22", false)] {
            let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { request in
                guard request.method == method.rawValue, request.exchange == 0 else { return .ok("next") }
                let block = Frames.field(":status", "204") + Frames.field("content-length", length)
                let head = Frames.head(1, block, ends: endsAtHead)
                return [.send(endsAtHead ? head : head + Frames.frame(0, 1, 1, Data()))]
            }
            let requests = Requests(transport, to: server)
            let response = try await requests.send(method, server.url, timeout: Timeout(.seconds(5)))
            if length == "0" {
                #expect(response.transportError == nil && response.status == 204 && response.data.isEmpty, "\(response.result)")
            } else {
                // nghttp2 rejects the head, and libcurl gets none of its other fields.
                let text = "\(response.result)"
                #expect(response.transportError?.label == "malformedResponse", "\(response.result)")
                #expect(text.contains("nghttp2 rejects the field content-length in a head with status 204"), "\(text)")
            }
            #expect(try await requests.send(.post, server.url).text == "next")
        }
    }

    /// Whether the response ends with its head, and how the server stops the upload.
    enum Early: CaseIterable {
        case head, headReset, body, bodyReset

        func frames(_ status: Int, _ stream: UInt32) -> Data {
            let hasBody = self == .body || self == .bodyReset
            var frames = Frames.head(stream, Frames.field(":status", "\(status)"), ends: !hasBody)
            if hasBody { frames += Frames.frame(0, 1, stream, Data("too large".utf8)) }
            if self == .headReset || self == .bodyReset { frames += Frames.frame(3, 0, stream, Data(count: 4)) }
            return frames
        }
    }

    @Test(
        "a response that is complete before the request's body is sent is a success, however the server stops the upload",
        arguments: Early.allCases, [413, 401, 200])
    func earlyAnswer(early: Early, status: Int) async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2]), answersEarly: true) { request in
            request.method == "GET" ? .ok("next") : [.send(early.frames(status, UInt32(request.exchange * 2 + 1))), .stall]
        }
        let requests = Requests(transport, to: server)
        for body in [Self.streamed, .bytes(Data(repeating: 0x61, count: 3_000_000))] {
            let response = try await requests.send(.post, server.url, body: body, timeout: Timeout(.seconds(5)))
            #expect(response.transportError == nil && response.status == status, "\(response.result)")
            #expect(response.text == (early == .body || early == .bodyReset ? "too large" : ""))
            #expect(try await requests.send(.get, server.url, timeout: Timeout(.seconds(5))).text == "next")
        }
    }

    @Test("a response that is complete while the last bytes of the request are being sent is a success")
    func answeredAtTheEnd() async throws {
        let (answering, answer) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2]), answersEarly: true) { request in
            answer.yield()
            return [.send(Early.head.frames(200, UInt32(request.exchange * 2 + 1))), .stall]
        }
        let requests = Requests(transport, to: server)
        var signals = answering.makeAsyncIterator()
        for _ in 0..<200 {
            let (chunks, chunk) = AsyncStream.makeStream(of: Data.self)
            chunk.yield(Data("ab".utf8))
            async let sent = requests.send(
                .post, server.url, body: .stream(Body.Stream(length: 4) { chunks }), timeout: Timeout(.seconds(5)))
            // The server answers now, so that the response and the rest of the request meet in one turn of the loop.
            await signals.next()
            chunk.yield(Data("cd".utf8))
            chunk.finish()
            let response = try await sent
            #expect(response.transportError == nil && response.status == 200, "\(response.result)")
        }
    }
}

/// libcurl reads an HTTP/2 connection for all of its streams. Each stream has its own buffer.
@Suite("Data that a stream has no room for", .closing, .timeLimit(.minutes(2)))
struct StreamRoomTests {
    private let room = CurlHandle.bufferSize(inFlight: 3, isSecure: true, streamsBody: false)

    @Test("is delivered, and so are the answers after it, even if the server sends no more bytes")
    func readTogether() async throws {
        let (small, large) = try await answers()
        #expect(large.data.count == room + 100, "\(large.result)")
        #expect(small.text == "ok", "\(small.result)")
        #expect(try #require(small.metrics).total < .seconds(10))
    }

    /// The response after the data, and the one with it.
    private func answers() async throws -> (small: Response<Data>, large: Response<Data>) {
        let timeout = Timeout(.seconds(60))
        let room = room
        let (waits, asked, gate, sent) = (try Gate(), try Gate(), try Gate(), try Gate())
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { request in
            func head(_ stream: UInt32, _ count: Int) -> Data {
                Frames.head(stream, Frames.field(":status", "200") + Frames.field("content-length", "\(count)"), ends: false)
            }
            switch request.target {
            case "/small": return [.open(waits), .stall]
            case "/large":
                // A little more than libcurl has room for, and after it the response that another request waits for.
                var frames = head(5, room + 100)
                for _ in 0..<(room / 16_384) { frames += Frames.frame(0, 0, 5, Data(count: 16_384)) }
                frames += Frames.frame(0, 1, 5, Data(count: 100)) + head(3, 2) + Frames.frame(0, 1, 3, Data("ok".utf8))
                return [.open(asked), .waitFor(gate), .send(frames), .open(sent), .stall]
            default: return .ok()
            }
        }
        let other = try LoopbackServer.start { _ in .ok() }
        // Keeps the thread from reading before everything is there.
        let body = Body.Stream.oneByte {
            gate.open()
            for _ in 0..<10_000 where !sent.isOpen { _ = usleep(1_000) }
        }
        // The body blocks the thread, so this test needs its own one.
        let requests = Requests(closing(CurlTransport(loops: closing(LoopGroup(loops: 1)))), to: server)
        // A new connection's timer must not wake libcurl.
        for url in [server.url, other.url] { #expect(try await requests.send(.get, url).status == 200) }
        // On its own thread, because other tests may block the shared ones for longer than the deadline.
        return try await withTaskExecutorPreference(ownThread()) {
            async let small = requests.send(.get, server.url + "/small", timeout: timeout)
            try await waits.waitUntilOpen(timeout: .seconds(20))
            async let large = requests.send(.get, server.url + "/large", timeout: timeout)
            try await asked.waitUntilOpen(timeout: .seconds(20))
            let uploaded = try await requests.send(.post, other.url, body: .stream(body))
            #expect(sent.isOpen && uploaded.status == 200, "\(uploaded.result)")
            return (try await small, try await large)
        }
    }
}
