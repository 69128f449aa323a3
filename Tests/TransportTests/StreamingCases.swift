import TestSupport

extension Case {
    /// A streaming call; a transport may return a whole body.
    static let streaming: [Case] = [
        Case("a streamed body is the same body", Answer(body: megabyte)) { stage async throws in
            let body = try await stage.send(as: .stream).value
            #expect(try await body.collect(upTo: 2 << 20) == megabyte)
        },
        Case("the response to HEAD, streamed, is an empty body", Answer(200, ["Content-Length": "5"])) { stage async throws in
            let body = try await stage.send(.head, as: .stream).value
            #expect(try await body.collect(upTo: 1).isEmpty)
        },
        Case("a rejected streamed response is collected, and fails the call", Answer(422, body: "no")) { stage async throws in
            let response = await stage.send(as: .stream)
            #expect(response.error?.label == "verification.unacceptableStatus.422")
            #expect(String(decoding: response.data, as: UTF8.self) == "no")
        },
        Case(
            "a streamed response that a verifier rejects by its type is collected and rejected",
            Answer(200, ["Content-Type": "text/html"], body: "<no>")
        ) { stage async throws in
            let response = await stage.send(as: .stream) { $0.modifiers = [ContentTypeResponseVerifier("application/json")] }
            #expect(response.error?.label == "verification.unacceptableContentType")
            #expect(String(decoding: response.data, as: UTF8.self) == "<no>")
        },
        Case(
            "an event stream that gets JSON shows it, and the channel's filter reads its error",
            Answer(200, ["Content-Type": "application/json"], body: #"{"message":"quota"}"#)
        ) { stage async throws in
            struct Rejection: Error, Decodable { let message: String }
            let manager = stage.channel.with { $0.errorFilter = .rejection(Rejection.self) }.manager
            let error = await #expect(throws: APIClientError.self) { for try await _ in manager.events(.get("thing")) {} }
            #expect(error?.app(Rejection.self)?.message == "quota", "\(String(describing: error))")
            #expect(error?.context.body == Data(#"{"message":"quota"}"#.utf8))
            #expect(stage.requests.count == 1)
        },
        Case(
            "a status of success other than 200 opens no event stream",
            Answer(203, ["Content-Type": "text/event-stream"], body: "data: x\n\n")
        ) { stage async throws in
            let manager = stage.channel.manager
            let error = await #expect(throws: APIClientError.self) {
                for try await _ in manager.events(.get("thing")) { Issue.record("expected no event") }
            }
            #expect(error?.label == "verification.unacceptableStatus.203")
            #expect(stage.requests.count == 1)
        },
        // Not endless: on Linux one flood holds up all sessions of Foundation, which share a queue.
        Case("a rejected streamed response is collected up to the limit", needs: [.streaming, .checksBodyLimit]) { _ in
            ServerReply(
                [.sendHead(status: 404, headers: ["Content-Length": "99999999999"])]
                    + (0..<32).map { _ in .sendBody(megabyte) } + [.stall])
        } run: { stage async throws in
            let response = await stage.send(timeout: Timeout(.seconds(50)), as: .stream)
            #expect(response.transportError?.label == "responseTooLarge" && response.head?.status == 404)
            #expect(response.data.count <= 4 << 20)
            try await stage.server?.waitForOpenConnections(atMost: 0)
        },
        Case("a streaming call follows a redirect") { request, _ in
            request.target == "/thing" ? Answer(302, ["Location": "/there"], body: "moved") : Answer(200, body: "here")
        } run: { stage async throws in
            let body = try await stage.send(as: .stream).value
            #expect(try await body.collect(upTo: 9) == Data("here".utf8))
        },
        Case("a rejected streamed GET is sent again by the retry policy") { _, number in
            number == 0 ? Answer(503) : Answer(200, body: "at last")
        } run: { stage async throws in
            let response = await stage.send(as: .stream) { $0.interceptors = [RetryPolicy(base: .zero)] }
            #expect(try await response.value.collect(upTo: 99) == Data("at last".utf8))
            #expect(response.attempts.map(\.status) == [503, 200])
            #expect(stage.requests.count == 2)
        },
        Case("the body of a response is the body of the next request") { _, number in
            Answer(200, body: number == 0 ? "passed on" : "thanks")
        } run: { stage async throws in
            let body = try await stage.send(as: .stream).value
            #expect(try await stage.send(.put, body: body).value == Data("thanks".utf8))
            #expect(stage.requests.map(\.text) == ["", "passed on"])
        },
        gated("the head comes before the body") { stage async throws in
            let response = await stage.send(as: .stream)
            #expect(response.head?.status == 200)
            stage.gate.open()
            #expect(try await response.value.collect(upTo: 99) == Data("first second".utf8))
        },
        gated("a chunk comes before the next one is sent") { stage async throws in
            var chunks = try await stage.send(as: .stream).value.makeAsyncIterator()
            #expect(try await chunks.next() == Data("first ".utf8))
            stage.gate.open()
            #expect(try await chunks.next() == Data("second".utf8))
            #expect(try await chunks.next() == nil)
        },
        gated("a body can be read once") { stage async throws in
            stage.gate.open()
            let body = try await stage.send(as: .stream).value
            #expect(try await body.collect(upTo: 99) == Data("first second".utf8))
            await #expect(throws: BodyError.readTwice) { try await body.collect(upTo: 99) }
        },
        Case(
            "an error in the middle is thrown after the received part", needs: [.streaming],
            .truncated(declared: 9, sent: Data("half".utf8))
        ) { stage async throws in
            let body = try await stage.send(as: .stream).value
            var text = ""
            let error = await #expect(throws: APIClientError.self) {
                for try await chunk in body { text += String(decoding: chunk, as: UTF8.self) }
            }
            #expect(error?.label == "transport.truncated")
            #expect(text == "half")
        },
        Case("leaving the loop ends the exchange", needs: [.streaming, .http1], halting) { stage async throws in
            let body = try await stage.send(as: .stream).value
            for try await chunk in body {
                #expect(chunk == Data("first".utf8))
                break
            }
            // Kept, so that only leaving the loop can end it.
            try await stage.server?.waitForOpenConnections(atMost: 0)
            withExtendedLifetime(body) {}
        },
        Case("a body released unread ends the exchange", needs: [.streaming, .http1], halting) { stage async throws in
            _ = await stage.send(as: .stream).head
            try await stage.server?.waitForOpenConnections(atMost: 0)
        },
        Case("a task cancelled between chunks gets a cancellation", needs: [.streaming], halting) { stage async throws in
            let first = Promise<Void>()
            let task = Task {
                do {
                    for try await _ in try await stage.send(timeout: Timeout(.seconds(50)), as: .stream).value {
                        first.fulfil(.success(()))
                    }
                    return "the end"
                } catch { return (error as? APIClientError)?.label ?? "\(error)" }
            }
            try await first.value(until: .now + .seconds(10)) { CocoaError(.userCancelled) }
            task.cancel()
            #expect(await task.value == "cancelled")
        },
        Case("the idle timeout applies to a server that stops in a streamed body", needs: [.streaming], halting) {
            stage async throws in
            // The response must begin in this time, on a busy machine too.
            let body = try await stage.send(timeout: Timeout(idle: .seconds(6)), as: .stream).value
            let error = await #expect(throws: APIClientError.self) { try await body.collect(upTo: 99) }
            #expect(error?.label == "transport.timedOut.idle")
        },
        Case(
            "a server cannot continue to send while the body is not read", needs: [.streaming, .backpressure]
        ) { scene in
            ServerReply(
                [.sendHead(status: 200, headers: ["Content-Length": "\(64 << 20)"])]
                    + (0..<64).map { _ in .sendBody(megabyte) } + [.open(scene.gate)])
        } run: { stage async throws in
            var chunks = try await stage.send(timeout: Timeout(.seconds(50)), as: .stream).value.makeAsyncIterator()
            var size = try await chunks.next()?.count ?? 0
            // An event that does not happen gives no signal: a server that is not stopped needs some 30 ms.
            await #expect(throws: LoopbackServerError.self) { try await stage.gate.waitUntilOpen(timeout: .milliseconds(500)) }
            while let chunk = try await chunks.next() { size += chunk.count }
            #expect(size == 64 << 20)
            try await stage.gate.waitUntilOpen()
        },
    ]

    private static let halting = ServerReply.stallInBody(sent: Data("first".utf8))

    /// A server that sends `first `, and `second` after the gate opens.
    private static func gated(_ name: String, run: @escaping @Sendable (Stage) async throws -> Void) -> Case {
        Case(
            name, needs: [.streaming],
            server: { scene in
                [
                    .sendHead(status: 200, headers: ["Content-Length": "12"]), .sendBody(Data("first ".utf8)),
                    .waitFor(scene.gate), .sendBody(Data("second".utf8)),
                ]
            }, run: run)
    }
}
