import TestSupport

extension Case {
    static let codings: [Case] = [
        Case("a body in gzip is decoded, and no field mentions gzip", needs: [.gzip], coded("gzip", gzip)) { stage async throws in
            let response = await stage.send()
            #expect(try response.value == Data("hello hello hello".utf8))
            #expect(response.head?.headers[.contentEncoding] == nil)
            #expect(response.head?.headers[.contentLength] == nil)
            #expect(stage.requests.first?.headers["Accept-Encoding"]?.contains("gzip") == true)
        },
        Case("a body in Brotli is decoded", needs: [.brotli], coded("br", [0x0B, 0x02, 0x80] + Array("hello".utf8) + [3])) {
            stage async throws in
            #expect(try await stage.send().value == Data("hello".utf8))
        },
        Case("a body in an unknown coding stays encoded", needs: [.unknownCodings], coded("wild", gzip)) {
            stage async throws in
            let response = await stage.send()
            #expect(try response.value == Data(gzip))
            #expect(response.head?.headers[.contentEncoding] == "wild")
        },
        Case("a streamed body in gzip says that it is decoded", needs: [.gzip, .streaming], coded("gzip", gzip)) {
            stage async throws in
            #expect(try isDecoded(await stage.send(as: .stream).value) == true)
        },
        Case("a streamed body as it was sent says so", needs: [.streaming], coded("identity", Array("hello".utf8))) {
            stage async throws in
            #expect(try isDecoded(await stage.send(as: .stream).value) == false)
        },
        Case("a truncated gzip body is a failure", needs: [.checksCodings], coded("gzip", Array(gzip.dropLast(8)))) {
            stage async throws in
            #expect(await stage.send().transportError != nil)
        },
        Case("a small body that decodes to a huge one is rejected", needs: [.gzip], .gzipBomb(decodedBytes: 64 << 20)) {
            stage async throws in
            #expect(await stage.send().transportError?.label == "responseTooLarge")
        },
    ]

    private static let gzip: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 87, 200, 64, 144, 0, 128, 136, 249, 229, 17, 0, 0, 0,
    ]

    private static func isDecoded(_ body: Body) -> Bool? {
        if case .stream(let stream) = body { stream.isDecoded } else { nil }
    }

    private static func coded(_ coding: String, _ bytes: [UInt8]) -> Answer {
        Answer(200, ["Content-Encoding": coding], body: Data(bytes))
    }

    static let timeouts: [Case] = [
        Case("a connection that is not made in time fails", needs: [.connectClock], .ok()) { stage async throws in
            let stalled = try StalledListener()
            let response = await stage.send(timeout: Timeout(connect: .milliseconds(200))) {
                $0.environment = APIEnvironment(TestHost(baseURL: stalled.url), allowsInsecureConnections: true)
            }
            #expect(response.transportError?.label == "timedOut.connect")
        },
        Case("a silent server times out", needs: [.idleClock], .stallBeforeHead) { stage async throws in
            let response = await stage.send(timeout: Timeout(idle: .milliseconds(300)))
            #expect(response.transportError?.label == "timedOut.idle")
        },
        Case(
            "a server that stops in the body times out, and the received part is kept", needs: [.idleClock],
            .stallInBody(sent: Data("half".utf8))
        ) { stage async throws in
            // The response must begin in this time, on a busy machine too.
            let response = await stage.send(timeout: Timeout(idle: .seconds(2)))
            #expect(response.transportError?.label == "timedOut.idle" && response.status == 200)
            #expect(response.text == "half")
        },
        Case("a slow body is not idle", needs: [.idleClock]) { _ in
            [
                .sendHead(status: 200, headers: ["Content-Length": "60"]),
                .throttled(Data(repeating: 0x61, count: 60), chunkSize: 1, interval: .milliseconds(50)),
            ]
        } run: { stage async throws in
            let response = await stage.send(timeout: Timeout(idle: .seconds(2)))
            #expect(try response.value.count == 60)
        },
        Case("a call beyond its total timeout ends", needs: [.totalClock], Answer(200, delay: .seconds(60))) {
            stage async throws in
            let began = ContinuousClock.now
            let response = await stage.send(timeout: Timeout(.milliseconds(300)))
            #expect(response.transportError?.label == "timedOut.total" || response.transportError?.label == "timedOut.idle")
            #expect(began.duration(to: .now) < .seconds(20))
        },
    ]

    static let cancellation: [Case] = [
        Case("a task that is already cancelled sends no request", Answer()) { stage async throws in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await stage.send().error
            }
            #expect(await task.value?.isCancelled == true)
            #expect(stage.requests.isEmpty)
        },
        Case("a task that waits for a response stops waiting", Answer(200, delay: .seconds(60))) { stage async throws in
            let task = Task { await stage.send(timeout: Timeout(.seconds(50))).error }
            try await stage.waitForRequest()
            let began = ContinuousClock.now
            task.cancel()
            #expect(await task.value?.isCancelled == true)
            #expect(began.duration(to: .now) < .seconds(20))
        },
        Case(
            "a task that waits for the rest of a body stops waiting, and the connection closes", needs: [.http1],
            .stallInBody(sent: Data("half".utf8))
        ) { stage async throws in
            let task = Task { await stage.send(timeout: Timeout(.seconds(50))).error }
            try await stage.waitForRequest()
            task.cancel()
            #expect(await task.value?.isCancelled == true)
            try await stage.server?.waitForOpenConnections(atMost: 0)
        },
        Case("closing the channel ends waiting requests", needs: [.sockets], .stallBeforeHead) { stage async throws in
            let task = Task { await stage.send(timeout: Timeout(.seconds(50))).transportError?.label }
            try await stage.waitForRequest()
            await stage.channel.close()
            #expect(await task.value == "closed")
            #expect(await stage.send().transportError?.label == "closed")
            try await stage.server?.waitForOpenConnections(atMost: 0)
        },
    ]

    static let faults: [Case] = [
        fault("a connection that closes without a response is lost", .closeWithoutReply, as: ["connectionLost"]),
        fault("a connection that is reset before a response is lost", .resetBeforeHead, as: ["connectionLost"]),
        fault(
            "a body that ends early is truncated, and what came is kept", .truncated(declared: 9, sent: Data("half".utf8)),
            as: ["truncated"], keeps: "half"),
        fault("a body that is reset is truncated", .resetInBody(sent: Data("half".utf8)), as: ["truncated", "connectionLost"]),
        fault(
            "a chunked body without its end is truncated", .chunkedWithoutEnd(["half"]), needs: [.http1], as: ["truncated"],
            keeps: "half"),
        fault(
            "what is not HTTP is no response", .garbage(Data("220 smtp.example ESMTP\r\n".utf8)), needs: [.http1],
            as: ["malformedResponse"]),
        fault(
            "a head beyond the limit is rejected",
            .ok("x", headers: HeaderLines((0..<100).map { .init(name: "X-\($0)", value: String(repeating: "x", count: 700)) })),
            as: ["headTooLarge"]),
        fault(
            "a head of too many lines is rejected",
            .ok("x", headers: HeaderLines((0..<600).map { HeaderLines.Line(name: "X-\($0)", value: "1") })),
            as: ["tooManyHeadLines"]),
        fault(
            "a body without a length beyond the limit is rejected",
            ServerReply(
                [.sendHead(status: 200, headers: ["Transfer-Encoding": "chunked"])]
                    + (0..<6).map { _ in .sendChunk(megabyte) } + [.endChunks()]), needs: [.http1], as: ["responseTooLarge"]),
        Case("a body beyond the limit is rejected", needs: [.checksBodyLimit], Answer(body: Data(count: 5 << 20))) {
            stage async throws in
            #expect(await stage.send().transportError?.label == "responseTooLarge")
        },
        Case("a body beyond the limit ends its call and no other", needs: [.sockets, .checksBodyLimit]) { scene in
            scene.request.path == "/large"
                ? .ok(Data(count: 5 << 20)) : .ok("small").after(.waitFor(scene.gate))
        } run: { stage async throws in
            let small = Task { await stage.send(.get, "small") }
            try await stage.waitForRequest()
            #expect(await stage.send(.get, "large").transportError?.label == "responseTooLarge")
            stage.gate.open()
            #expect(try await small.value.value == Data("small".utf8))
        },
        Case("a port where no server listens cannot be connected to", needs: [.sockets], .ok()) { stage async throws in
            // Not the port of a server that has ended: the server of another case may have it by then.
            let response = await stage.send {
                $0.environment = APIEnvironment(TestHost(baseURL: "http://127.0.0.1:1"), allowsInsecureConnections: true)
            }
            #expect(response.transportError?.label == "cannotConnect")
        },
        Case("a server with an unknown authority is rejected", needs: [.sockets], .ok()) { stage async throws in
            let server = try LoopbackServer.start(tls: ServerTLS()) { _ in .ok() }
            defer { server.close() }
            let response = await stage.send { $0.environment = APIEnvironment("test", baseURL: server.url) }
            #expect(response.transportError?.label == "tls", "\(response.result)")
            #expect(server.requests.isEmpty)
        },
        Case("a server without a pinned key is rejected", needs: [.sockets, .https, .trust], .ok()) { stage async throws in
            let response = await stage.send {
                let pins = [UInt8(1), 2].map { "sha256/" + Data(repeating: $0, count: 32).base64EncodedString() }
                $0.environment.serverTrustManager.pins = ["localhost": pins]
            }
            #expect(response.transportError?.label == "pinMismatch")
            #expect(stage.requests.isEmpty)
        },
        Case("a request that must not be sent twice is not repeated when its connection dies", needs: [.http1]) { scene in
            scene.request.method == "POST" ? .closeWithoutReply : .ok("open")
        } run: { stage async throws in
            #expect(await stage.send().error == nil)
            let response = await stage.send(.post, body: .bytes(Data("pay".utf8)))
            #expect(response.transportError?.mayHaveBeenProcessed == true, "\(response.result)")
            #expect(stage.requests.map(\.method) == ["GET", "POST"])
        },
    ]

    private static func fault(
        _ name: String, _ reply: ServerReply, needs: Set<Need> = [], as labels: Set<String>, keeps text: String? = nil
    ) -> Case {
        Case(name, needs: needs.union([.checksHead]), reply) { stage async throws in
            let response = await stage.send()
            #expect(labels.contains(response.transportError?.label ?? ""), "\(response.result)")
            if let text { #expect(response.text == text) }
        }
    }
}
