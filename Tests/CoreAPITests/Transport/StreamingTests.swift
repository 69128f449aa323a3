import TestSupport

@testable import CoreAPICore

@Suite("Streaming over libcurl", .closing, .timeLimit(.minutes(2)))
struct StreamingTests {
    private static let megabyte = Data(repeating: 0x61, count: 1 << 20)

    /// A body of one chunk; then it calls `wait`, and ends.
    private static func body(of count: Int, length: Int64? = nil, then wait: @escaping @Sendable () async -> Void) -> Body {
        .stream(
            Body.Stream(length: length) {
                let isFirst = Shared(true)
                return AsyncStream {
                    if isFirst.exchange(false) { return Data(count: count) }
                    await wait()
                    return nil
                }
            })
    }

    @Test("a reader that pauses stops the server, and gets the whole body after it continues", arguments: [false, true])
    func backpressure(secure: Bool) async throws {
        let sent = try Gate()
        let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil) { request in
            guard request.path == "/large" else { return .ok("small") }
            return ServerReply.status(200, body: Data(count: 64 << 20)).followed(by: .open(sent))
        }
        let manager = server.manager
        let response = await manager.stream(TestEndpoint("large"))
        #expect(response.metrics?.httpVersion == "HTTP/1.1", "what may be paused is no stream of HTTP/2")
        let body = try response.value
        #expect(body.length == 64 << 20)
        // More than all buffers on the way can hold; meanwhile another request is answered.
        for _ in 0..<20 {
            let small = await manager.response(for: TestEndpoint("small"), as: .text)
            #expect(try small.value == "small")
            #expect(small.metrics?.httpVersion == (secure ? "HTTP/2" : "HTTP/1.1"))
        }
        // The unread body has a connection of its own.
        let (large, others) = (server.requests.filter { $0.path == "/large" }, server.requests.filter { $0.path == "/small" })
        #expect(Set(others.map(\.connection)).count == 1 && large.map(\.connection) != others.prefix(1).map(\.connection))
        await #expect(throws: (any Error).self) { try await sent.waitUntilOpen(timeout: .milliseconds(300)) }
        var received = 0
        for try await chunk in body { received += chunk.count }
        #expect(received == 64 << 20)
        try await sent.waitUntilOpen()
    }

    @Test(
        "bodies arrive byte for byte although their reader, or the sequence that makes them, pauses again and again",
        arguments: [false, true])
    func intact(secure: Bool) async throws {
        var random = SplitMix(20)
        let words = (0..<9_973).map { _ in random.next() }
        // 16 MB, some thirty pauses, whose period is the size of no buffer.
        let bytes = [Data](repeating: words.withUnsafeBytes { Data($0) }, count: 200).reduce(Data(), +)
        let sent = try Gate()
        let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil) { request in
            guard request.body.isEmpty else { return .ok(request.body == bytes ? "intact" : "\(request.body.count) other bytes") }
            return ServerReply.ok(bytes).followed(by: .open(sent))
        }
        let channel = Channel.test(server)
        var received = Data()
        for try await chunk in try await channel.manager.stream(TestEndpoint()).value {
            // The server would end here if the loop did not pause the exchange.
            if received.isEmpty {
                await #expect(throws: (any Error).self) { try await sent.waitUntilOpen(timeout: .milliseconds(300)) }
            }
            received += chunk
            // Slower than the server, so that the loop pauses the exchange again and again.
            try await Task.sleep(for: .milliseconds(1))
        }
        let isIntact = received == bytes
        #expect(isIntact, "\(received.count) bytes")
        let upload = Body.Stream {
            let pieces = Mutex(stride(from: 0, to: bytes.count, by: 50_021).map { bytes[$0...].prefix(50_021) }[...])
            return AsyncStream {
                // Slower than libcurl, which is paused meanwhile.
                try? await Task.sleep(for: .milliseconds(1))
                return pieces.withLock { $0.popFirst() }
            }
        }
        #expect(try await channel.manager.response(for: .upload(.stream(upload)), as: .text).value == "intact")
    }

    @Test("fifty readers that take nothing stop the server, and a small request is served meanwhile", arguments: [false, true])
    func manyPaused(secure: Bool) async throws {
        let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil) { request in
            guard request.path == "/large" else { return .ok("small") }
            return [.sendHead(status: 200, headers: ["Content-Length": "99999999999"]), .sendEndlessly(Self.megabyte)]
        }
        let channel = Channel.test(server) { ($0.limits.connections, $0.limits.connectionsPerHost) = (64, 64) }
        let manager = channel.manager
        let bodies = try await atOnce(50) { try await manager.stream(TestEndpoint("large")).value }
        for _ in 0..<21 {
            let small = await manager.response(for: TestEndpoint("small"), as: .text)
            #expect(try small.value == "small")
            #expect(small.metrics?.httpVersion == (secure ? "HTTP/2" : "HTTP/1.1"))
        }
        // Each still gives its bytes, and ends alone.
        for body in bodies {
            var received = 0
            for try await chunk in body {
                received += chunk.count
                if received > 2 << 20 { break }
            }
            #expect(received > 2 << 20)
        }
        await channel.close()
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("a call is cancelled while its upload waits for the sequence, and while a rejected response is collected")
    func cancelledInBetween() async throws {
        let (asked, tell) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer.test { _ in
            [.sendHead(status: 404, headers: ["Content-Length": "9"]), .sendBody(Data("no".utf8)), .stall]
        }
        let channel = Channel.test(server)
        let upload = Self.body(of: 10) {
            tell.yield()
            try? await Task.sleep(for: .seconds(3_600))
        }
        let uploading = Task { await channel.manager.response(for: .upload(upload), as: .data) }
        for await _ in asked { break }
        uploading.cancel()
        #expect(await uploading.value.error?.isCancelled == true)
        try await server.waitForOpenConnections(atMost: 0)

        let before = server.requests.count
        let collecting = Task { await channel.manager.stream(TestEndpoint()) }
        try await server.waitForRequests(before + 1)
        collecting.cancel()
        #expect(await collecting.value.error?.isCancelled == true)
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("a response on which a hook fails is not waited for, and its exchange ends")
    func failedByHook() async throws {
        let server = try LoopbackServer.test { _ in
            [.sendHead(status: 200, headers: ["Content-Length": "9"]), .sendBody(Data("first".utf8)), .stall]
        }
        let began = ContinuousClock.now
        let tripping = Deenhancing { _ in throw Trouble(code: 1) }
        let response = await Channel.test(server) { $0.enhancers = [tripping] }.manager.stream(TestEndpoint())
        #expect(response.error?.underlyingError is Trouble && response.head?.status == 200)
        #expect(began.duration(to: .now) < .seconds(20))
        try await server.waitForOpenConnections(atMost: 0)
        withExtendedLifetime(response) {}
    }

    private struct Rejecting: ResponseVerifier {
        func verify(_ response: Response<Data>) throws { if response.head?.headers[.server] == "old" { throw Trouble(code: 1) } }
    }

    @Test(
        "a response that any verifier rejects is collected, and its error is read; the connection is free",
        arguments: [
            StatusCodeResponseVerifier(200).always, Rejecting(), ContentTypeResponseVerifier("text/event-stream"),
        ] as [any ResponseVerifier])
    func rejectedByVerifier(_ verifier: any ResponseVerifier) async throws {
        struct Reason: Error, Decodable { let reason: String }
        let server = try LoopbackServer.test { request in
            guard request.path == "/rejected" else { return .status(200, headers: ["Content-Type": "text/event-stream"]) }
            return .json(#"{"reason":"no"}"#, status: 404, headers: ["Server": "old"])
        }
        let channel = Channel.test(server) {
            $0.limits.connections = 1
            $0.errorFilter = .rejection(Reason.self)
            $0.modifiers = [StatusCodeResponseVerifier(200, 404), verifier, Timeout(.seconds(10))]
        }
        let response = await channel.manager.stream(TestEndpoint("rejected"))
        #expect(response.error?.app(Reason.self)?.reason == "no", "\(response.result)")
        #expect(String(decoding: response.data, as: UTF8.self) == #"{"reason":"no"}"#)
        let next = await channel.manager.stream(TestEndpoint("next"))
        #expect(next.error == nil && server.connectionsAccepted == 1, "\(next.result)")
        withExtendedLifetime(response) {}
    }

    @Test(
        "a verifier's rejection stays the error if the body is too large or has no end",
        arguments: [
            (ContentTypeResponseVerifier("text/event-stream"), "unacceptableContentType", true),
            (ContentTypeResponseVerifier("text/event-stream"), "unacceptableContentType", false), (Rejecting(), "custom", false),
        ] as [(any ResponseVerifier, String, Bool)])
    func rejectedWithoutEnd(by verifier: any ResponseVerifier, label: String, isLarge: Bool) async throws {
        let server = try LoopbackServer.test { _ in
            let fields: HeaderLines = ["Content-Type": "text/html", "Server": "old", "Content-Length": "9999999"]
            let rest: ServerReply.Step = isLarge ? .sendEndlessly(Data(count: 1_000)) : .stall
            return [.sendHead(status: 200, headers: fields), .sendBody(Data(count: 10)), rest]
        }
        let channel = Channel.test(server) {
            $0.limits.responseBodySize = 5_000
            $0.modifiers = [verifier, Timeout(total: .seconds(5))]
        }
        let response = await channel.manager.stream(TestEndpoint())
        #expect(response.error?.label == "verification.\(label)", "\(response.result)")
        #expect(!response.data.isEmpty && response.data.count <= 5_000)
        await channel.close()
        try await server.waitForOpenConnections(atMost: 0)
    }

    private struct NeedsBytes: ResponseVerifier {
        var asked = Diary()

        func verify(_ response: Response<Data>) throws {
            asked.write("\(response.data.count)")
            if response.data.isEmpty { throw VerificationError.emptyBody(status: 200, expected: "bytes") }
        }
    }

    @Test("a verifier that needs the bytes gets those of a stream, too, and is asked twice")
    func verifierOfBytes() async throws {
        let server = try LoopbackServer.test { _ in .ok("four") }
        let verifier = NeedsBytes()
        let body = try await Channel.test(server) { $0.modifiers = [verifier] }.manager.stream(TestEndpoint()).value
        #expect(try await body.collect(upTo: 100) == Data("four".utf8))
        #expect(verifier.asked.all == ["0", "4"])
    }

    @Test(
        "a body that is collected for a verifier of bytes fails with its own error", arguments: ["truncated", "responseTooLarge"])
    func collectedForVerifier(label: String) async throws {
        let server = try LoopbackServer.test { _ in
            [.sendHead(status: 200, headers: ["Content-Length": "9000"]), .sendBody(Data(count: 6_000)), .closeConnection]
        }
        let channel = Channel.test(server) {
            $0.limits.responseBodySize = label == "truncated" ? 10_000 : 5_000
            $0.modifiers = [NeedsBytes()]
        }
        let response = await channel.manager.stream(TestEndpoint())
        #expect(response.error?.label == "transport.\(label)", "\(response.result)")
    }

    @Test(
        "a stream of the wrong type, or one that a middleware has failed, that goes on for ever is rejected within seconds",
        .timeLimit(.minutes(1)), arguments: [true, false])
    func rejectedForEver(byType: Bool) async throws {
        let server = try LoopbackServer.test { _ in
            [
                .sendHead(status: 200, headers: ["Content-Type": "text/html", "Content-Length": "9999999"]),
                .throttled(Data(count: 10_000), chunkSize: 10, interval: .milliseconds(200)),
            ]
        }
        let channel = Channel.test(server) {
            if byType { $0.modifiers = [ContentTypeResponseVerifier("text/event-stream")] }
            guard !byType else { return }
            $0.attemptMiddleware = [
                Around { attempt, next in
                    let reply = await next(attempt)
                    return reply.failed(.app(Trouble(code: 1), APIClientError.Context(reply)))
                }
            ]
        }
        let start = ContinuousClock.now
        let response = await channel.manager.stream(TestEndpoint())
        if byType {
            #expect(response.error?.label == "verification.unacceptableContentType" && !response.data.isEmpty)
        } else {
            #expect(response.error?.app() == Trouble(code: 1), "\(response.result)")
        }
        #expect(start.duration(to: .now) < .seconds(40))
    }

    @Test(
        "a rejected status whose body breaks off, stops or never ends has that error, and the head and the bytes that came",
        arguments: [
            (ServerReply.Step.closeConnection, "transport.truncated"), (.stall, "transport.timedOut.idle"),
            (.sendEndlessly(Data(count: 1_000)), "transport.responseTooLarge"),
        ])
    func rejectedAndBroken(step: ServerReply.Step, label: String) async throws {
        let server = try LoopbackServer.test { _ in
            [.sendHead(status: 404, headers: ["Content-Length": "9999999"]), .sendBody(Data(count: 10)), step]
        }
        let channel = Channel.test(server) {
            $0.limits.responseBodySize = 5_000
            $0.modifiers = [Timeout(idle: .seconds(2))]
        }
        let response = await channel.manager.stream(TestEndpoint())
        #expect(response.error?.label == label && response.head?.status.code == 404, "\(response.result)")
        #expect(!response.data.isEmpty && response.data.count <= 5_000)
        await channel.close()
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("a channel that reads envelopes, or every response, leaves a streamed body to its reader")
    func envelope() async throws {
        struct Envelope: Error, Decodable { let reason: String? }
        let server = try LoopbackServer.test { _ in .json(#"{"reason":"none"}"#) }
        for filter in [ErrorFilter.envelope(Envelope.self) { envelope, _ in envelope }, ErrorFilter { _ in nil }] {
            let body = try await Channel.test(server) { $0.errorFilter = filter }.manager.stream(TestEndpoint()).value
            #expect(try await body.collect(upTo: 100) == Data(#"{"reason":"none"}"#.utf8))
        }
    }

    @Test(
        "an early end is an error in the middle of the body, with its stage",
        arguments: [
            (.truncated(declared: 9, sent: Data("abc".utf8)), "truncated"), (.chunkedWithoutEnd(["abc"]), "truncated"),
            (.stallInBody(sent: Data("abc".utf8)), "timedOut.idle"),
        ] as [(ServerReply, String)])
    func broken(reply: ServerReply, label: String) async throws {
        let server = try LoopbackServer.test { _ in reply }
        let channel = Channel.test(server) { $0.modifiers = [Timeout(idle: .seconds(2))] }
        let body = try await channel.manager.stream(TestEndpoint()).value
        var received = 0
        let error = await #expect(throws: APIClientError.self) { for try await chunk in body { received += chunk.count } }
        #expect(error?.label == "transport.\(label)")
        #expect(received == 3)
        #expect(error?.context.streamed == APIClientError.Context.Streamed(bytes: 3, items: 0))
    }

    /// A stored block of gzip, "abc".
    private static let gzip = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0, 3, 0, 0xFC, 0xFF] + Array("abc".utf8))

    @Test("a body that is reset, or whose coding breaks off, says how much of it came", arguments: [true, false])
    func brokenWhileRead(isReset: Bool) async throws {
        let begun = try Gate()
        let server = try LoopbackServer.test { _ in
            let coding: HeaderLines = isReset ? ["Content-Length": "99"] : ["Content-Length": "99", "Content-Encoding": "gzip"]
            // After the stored block a block of the reserved kind (RFC 1951 §3.2.3).
            return [
                .sendHead(status: 200, headers: coding), .sendBody(isReset ? Data("abc".utf8) : Self.gzip), .waitFor(begun),
                isReset ? .reset : .sendBody(Data([7])), .stall,
            ]
        }
        let body = try await server.manager.stream(TestEndpoint()).value
        let error = await #expect(throws: APIClientError.self) {
            for try await chunk in body {
                #expect(chunk == Data("abc".utf8))
                begun.open()
            }
        }
        #expect(error?.label == (isReset ? "transport.truncated" : "transport.malformedResponse"))
        #expect(error?.context.streamed == APIClientError.Context.Streamed(bytes: 3, items: 0))
    }

    @Test("after a piece that cannot be decoded nothing follows, although more has arrived")
    func afterUndecodable() async throws {
        // More than is decoded at once, after a block of the reserved kind.
        let server = try LoopbackServer.test { _ in
            .status(200, body: Self.gzip + Data(repeating: 7, count: 100_000), headers: ["Content-Encoding": "gzip"])
        }
        let response = await server.manager.stream(TestEndpoint())
        #expect(response.head?.headers[.contentEncoding] == nil)
        var chunks = try response.value.makeAsyncIterator()
        await #expect(throws: APIClientError.self) { while try await chunks.next() != nil {} }
        #expect(try await chunks.next() == nil)
    }

    @Test("a body that its server cuts while the reader holds it gives the rest, and then the error", arguments: [false, true])
    func cutWhileHeld(secure: Bool) async throws {
        let cut = try Gate()
        // More than the kit and libcurl hold, and no more than the sockets take.
        let part = Data(count: 1 << 20)
        let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil) { _ in
            let head: ServerReply.Step = .sendHead(status: 200, headers: ["Content-Length": "99999999"])
            return [head, .sendBody(part), .waitFor(cut), .closeConnection]
        }
        let channel = Channel.test(server) { $0.modifiers = [Timeout(.seconds(2))] }
        var chunks = try await channel.manager.stream(TestEndpoint()).value.makeAsyncIterator()
        var received = try await chunks.next()?.count ?? 0
        // Longer than the timeouts, which do not end a held body. libcurl looks at no event of its connection meanwhile.
        try await Task.sleep(for: .milliseconds(2_500))
        cut.open()
        try await server.waitForOpenConnections(atMost: 0)
        let error = await #expect(throws: APIClientError.self) {
            while let chunk = try await chunks.next() { received += chunk.count }
        }
        #expect(received == part.count)
        #expect(error?.transport == .truncated(received: 1_048_576, expected: 99_999_999))
    }

    @Test("a slow reader is not an idle peer, and a body may take longer than the call's total timeout")
    func clocks() async throws {
        let server = try LoopbackServer.test { _ in .status(200, body: Data(count: 32 << 20)) }
        // The head must arrive within the total timeout, and on a busy machine that takes a while.
        let timeout = Timeout(connect: .seconds(10), idle: .seconds(2), total: .seconds(3))
        let body = try await Channel.test(server) { $0.modifiers = [timeout] }.manager.stream(TestEndpoint()).value
        var (received, pauses) = (0, 0)
        for try await chunk in body {
            received += chunk.count
            guard pauses < 2 else { continue }
            pauses += 1
            try await Task.sleep(for: .milliseconds(2_500))
        }
        #expect(received == 32 << 20)
    }

    private static func chunks(_ count: Int, pause: Duration = .zero, of size: Int) -> @Sendable () -> AsyncStream<Data> {
        {
            let sent = Shared(0)
            return AsyncStream {
                guard sent.next() < count else { return nil }
                if pause > .zero { try? await Task.sleep(for: pause) }
                return Data(repeating: 0x62, count: size)
            }
        }
    }

    #if os(Linux)
    @Test("a server that reads nothing stops the sequence; the end of the call releases it", arguments: [false, true])
    func uploadBackpressure(secure: Bool) async throws {
        let server = try LoopbackServer.test(
            tls: secure ? ServerTLS() : nil, faults: [Fault(.beforeRequest, .stall)]
        ) { _ in .ok("next") }
        let channel = Channel.test(server)
        let counter = CountedChunks.Counter()
        let call = Task { await channel.manager.response(for: .upload(CountedChunks.body(counter)), as: .data).error }
        // The kernel's buffers are not the kit's.
        let taken = try await counter.settled() - KernelSockets(port: server.port).bytes
        #expect(taken <= 2 << 20, "\(taken) bytes were taken although the server reads nothing")
        call.cancel()
        #expect(await call.value?.isCancelled == true)
        await counter.released()
        if secure {
            // Only the stream has ended.
            #expect(try await channel.manager.response(for: TestEndpoint(), as: .text).value == "next")
            #expect(server.connectionsAccepted == 1)
        }
        await channel.close()
        // The server, which reads nothing, does not see the end, so the kernel is asked.
        var open = Int.max
        for _ in 0..<500 where open > 0 {
            open = try KernelSockets(port: server.port).open
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(open == 0)
    }
    #endif

    @Test("an upload over HTTP/2 that waits for its sequence lets the calls on its connection go on")
    func waitingUpload() async throws {
        let (asked, tell) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer.test(tls: ServerTLS()) { request in .ok("\(request.path) \(request.body.count)") }
        let manager = server.manager
        #expect(try await manager.response(for: TestEndpoint("first"), as: .text).value == "/first 0")
        let body = Self.body(of: 200_000) {
            tell.yield()
            for await _ in gate {}
        }
        let upload = Task { await manager.response(for: .upload(body), as: .text) }
        for await _ in asked { break }
        for index in 0..<20 {
            #expect(try await manager.response(for: TestEndpoint("beside"), as: .text).value == "/beside 0", "call \(index)")
        }
        #expect(!server.requests.contains { $0.path == "/upload" }, "the upload waits")
        open.finish()
        #expect(try await upload.value.value == "/upload 200000")
        #expect(server.requests.allSatisfy { $0.version == "HTTP/2" && $0.connection == 0 })
        #expect(server.requests.last?.path == "/upload")
    }

    /// In a separate process, because it measures the process's time.
    @Test("an upload that waits for its sequence lets the loop sleep, over HTTP/1.1 and over HTTP/2")
    func sleepingUpload() async {
        await #expect(processExitsWith: .success) { for tls in try [nil, ServerTLS()] { try await StreamingTests.sleeps(tls) } }
    }

    private static func sleeps(_ tls: ServerTLS?) async throws {
        let (asked, tell) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer.start(tls: tls) { request in .ok("\(request.path) \(request.body.count)") }
        let channel = Channel.test(server)
        #expect(try await channel.manager.response(for: TestEndpoint("first"), as: .text).value == "/first 0")
        let body = Self.body(of: 1_000) {
            tell.yield()
            for await _ in gate {}
        }
        let upload = Task { await channel.manager.response(for: .upload(body), as: .text) }
        for await _ in asked { break }
        func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
        let before = processorTime()
        try await Task.sleep(for: .seconds(1))
        let used = processorTime() - before
        #expect(used < 0.1, "\(used) s")
        open.finish()
        let response = await upload.value
        #expect(try response.value == "/upload 1000")
        #expect(response.metrics?.httpVersion == (tls == nil ? "HTTP/1.1" : "HTTP/2"))
        await channel.close()
    }

    @Test("a call that ends in the turn of the loop in which it began is whole, and has its figures")
    func beganAndEndedInOneTurn() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS()) { request in .ok("\(request.path) \(request.body.count)") }
        let manager = server.manager
        #expect(try await manager.response(for: TestEndpoint("first"), as: .text).value == "/first 0")
        let (chunks, feed) = AsyncStream.makeStream(of: Data.self)
        let upload = Task { await manager.response(for: .upload(.stream(Body.Stream { chunks })), as: .text) }
        _ = try await atOnce(8) {
            for index in 0..<500 {
                // It calls the loop, often together with the new exchange.
                feed.yield(Data(count: 1))
                let response = await manager.response(for: TestEndpoint("beside"), as: .text)
                try #require(response.error == nil, "call \(index)")
                try #require(response.metrics?.bytesReceived == 9, "call \(index)")
            }
        }
        feed.finish()
        #expect(try await upload.value.value == "/upload 4000")
    }

    @Test("a slow sequence is not an idle peer")
    func slowUpload() async throws {
        let server = try LoopbackServer.test { request in .ok("\(request.body.count)") }
        let channel = Channel.test(server) { $0.modifiers = [Timeout(idle: .seconds(1))] }
        let body = Body.stream(Body.Stream(Self.chunks(2, pause: .milliseconds(1_500), of: 15)))
        #expect(try await channel.manager.response(for: .upload(body), as: .text).value == "30")
    }

    @Test(
        "a sequence that throws, or has another length than announced, fails the call, no other, and never sends a whole request",
        arguments: [false, true])
    func unreadable(secure: Bool) async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil) { request in
            request.path == "/beside" ? ServerReply.ok("beside").after(.waitFor(gate)) : .ok()
        }
        let channel = Channel.test(server)
        let beside = Task { await channel.manager.response(for: TestEndpoint("beside"), as: .text) }
        try await server.waitForRequests(1)
        let bodies = [10, 15, 100].map { Body.stream(Body.Stream(length: $0, Self.chunks(2, of: 10))) }
        for body in bodies + [.breaking(with: Trouble(code: 1))] {
            let error = await channel.error(.upload(body))
            #expect(error?.label == "transport.bodyUnreadable", "\(String(describing: error))")
        }
        gate.open()
        let response = await beside.value
        #expect(try response.value == "beside")
        #expect(response.metrics?.httpVersion == (secure ? "HTTP/2" : "HTTP/1.1"))
        #expect(server.requests.allSatisfy { $0.path == "/beside" || $0.error != nil })
    }

    @Test("the body of a response is sent on as the body of a request, and never a second time")
    func passedOn() async throws {
        let source = try LoopbackServer.test { _ in .status(200, body: Self.megabyte) }
        let target = try LoopbackServer.test { .status(503, body: Data("\($0.body.count)".utf8)) }
        let channel = Channel.test(target) { $0.interceptors = [RetryPolicy(base: .zero)] }
        let busy = TestEndpoint("busy", .put, encoding: .body(try await source.manager.stream(TestEndpoint()).value))
        let response = await channel.manager.response(for: busy, as: .text)
        #expect(response.head?.status.code == 503 && response.text == "\(1 << 20)")
        #expect(target.requests.count == 1)
    }

    @Test(
        "a response that arrives before the sequence ends is delivered, and the sequence is released",
        // Half of the body fits into the buffers on the way, or it is sent when the socket has room again.
        arguments: [1 << 20, 1 << 24])
    func earlyAnswer(size: Int) async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(), answersEarly: true) { _ in .status(413) }
        let channel = Channel.test(server) { $0.modifiers = [Timeout(idle: .seconds(300), total: .seconds(300))] }
        let (gone, tell) = AsyncStream.makeStream(of: Void.self)
        let body = Self.body(of: size / 2 + 1, length: Int64(size)) {
            try? await Task.sleep(for: .seconds(3_600))
            tell.yield()
        }
        let start = ContinuousClock.now
        #expect(await channel.manager.response(for: .upload(body), as: .text).head?.status.code == 413)
        // A quarter of the idle timeout is 75 s: the clocks must not be what finds the response.
        #expect(ContinuousClock.now - start < .seconds(40))
        for await _ in gone { break }
    }
}
