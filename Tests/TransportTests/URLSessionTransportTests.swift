import CoreAPIURLSession
import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// One after another: a test that holds Foundation's queue would stop the clocks of the others.
@Suite("The transport over URLSession", .closing, .serialized, .timeLimit(.minutes(1)))
struct URLSessionTransportTests {
    struct Demand: Sendable, CustomTestStringConvertible {
        /// What the error names.
        let capability: String
        var testDescription: String { capability }
        var method = HTTPRequest.Method.get
        var body = Body.none
        let ask: @Sendable (inout Channel) -> Void
    }

    private static let demands = [
        Demand(capability: "pins") {
            let pins = [UInt8(1), 2].map { "sha256/" + Data(repeating: $0, count: 32).base64EncodedString() }
            $0.environment.serverTrustManager.pins = ["shop.example": pins]
        },
        Demand(capability: "authorities of a channel's own") {
            $0.environment.serverTrustManager.authorities = .pem("none")
        },
        Demand(capability: "a client's certificate") {
            $0.environment.serverTrustManager.identity = .pkcs12(Data("none".utf8), passphrase: "none")
        },
        Demand(capability: "TLS 1.3 as the minimum") {
            $0.environment.serverTrustManager.minimumTLSVersion = .tls13
        },
        Demand(capability: "rejected addresses") {
            $0.limits.rejectedAddresses = .nonPublic
        },
        Demand(capability: "the method CONNECT", method: .connect) { _ in },
        Demand(capability: "the method TRACE", method: .trace) { _ in },
        Demand(capability: "a body of GET", body: .bytes(Data("x".utf8))) { _ in },
    ]

    private func channel(_ server: LoopbackServer, _ change: (inout Channel) -> Void = { _ in }) -> Channel {
        .test(server, transport: URLSessionTransport(), change)
    }

    @Test("rejects an unsupported feature by name, and sends no request", arguments: demands)
    func unsupported(_ demand: Demand) async throws {
        let channel = Channel.test("https://shop.example", transport: URLSessionTransport(), demand.ask)
        let endpoint = TypedEndpoint(demand.method, "thing", encoding: .asItIs(demand.body))
        let response = await channel.manager.response(for: endpoint, as: .data)
        #expect(response.transportError == .unsupported(capability: demand.capability), "\(response.result)")
        #expect(response.transportError?.localizedDescription == "not supported: \(demand.capability)")
    }

    @Test("a stream that takes longer than the idle timeout to be written is no idle call")
    func slowStream() async throws {
        let server = try LoopbackServer.test { .ok("\($0.body.count)") }
        let channel = channel(server) { $0.modifiers = [Timeout(idle: .seconds(3), total: .seconds(30))] }
        let sent = Shared(0)
        let body = Body.Stream {
            AsyncStream<Data> {
                try? await Task.sleep(for: .milliseconds(200))
                return sent.next() < 20 ? Data(count: 10) : nil
            }
        }
        let endpoint = TypedEndpoint(.post, "thing", encoding: .asItIs(.stream(body)))
        #expect(try await channel.manager.response(for: endpoint, as: .text).value == "200")
    }

    #if canImport(FoundationNetworking)
    @Test("holds no thread of Swift's pool while Foundation's queue, which all sessions share, is busy")
    func busyQueue() async throws {
        let server = try LoopbackServer.test { _ in .ok("sent") }
        let manager = channel(server) { $0.modifiers = [Timeout(total: .milliseconds(200))] }.manager
        let (begun, calls) = (try Gate(), DispatchSemaphore(value: 0))
        let isOver = Mutex(false)
        HoldingProtocol.load.withLock {
            $0 = {
                begun.open()
                let isInTime = calls.wait(timeout: .now() + 10) == .success
                isOver.withLock { $0 = !isInTime }
            }
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [HoldingProtocol.self]
        URLSession(configuration: configuration).dataTask(with: try #require(URL(string: "held://queue"))).resume()
        try await begun.waitUntilOpen()
        let responses = await withTaskGroup(of: Response<Data>.self, returning: [Response<Data>].self) { group in
            // More than the pool has threads.
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount + 4 {
                group.addTask { await manager.response(for: .get("thing"), as: .data) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        calls.signal()
        #expect(!isOver.withLock { $0 }, "the calls waited for the queue")
        #expect(responses.allSatisfy { $0.error?.label == "transport.timedOut.total" }, "\(responses.map(\.result))")
    }

    /// Keeps Foundation's queue busy while it loads.
    private final class HoldingProtocol: URLProtocol {
        static let load = Mutex<@Sendable () -> Void>({})

        override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "held" }
        override class func canInit(with task: URLSessionTask) -> Bool { task.originalRequest?.url?.scheme == "held" }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
        override func startLoading() {
            Self.load.withLock { $0 }()
            client?.urlProtocol(self, didFailWithError: CancellationError())
        }
        override func stopLoading() {}
    }
    #endif

    @Test("bounds the unread part of a streamed body")
    func unread() async throws {
        let megabyte = Data(count: 1 << 20)
        let server = try LoopbackServer.test { _ in
            ServerReply(
                [.sendHead(status: 200, headers: ["Content-Length": "8388609"])] + (0..<8).map { _ in .sendBody(megabyte) } + [
                    .stall
                ])
        }
        let channel = channel(server) { $0.limits.responseBodySize = 2 << 20 }
        let body = try await channel.manager.response(for: .get("thing"), as: .stream).value
        try await server.waitForOpenConnections(atMost: 0)
        let error = await #expect(throws: APIClientError.self) { try await body.collect(upTo: 64 << 20) }
        #expect(error?.label == "transport.responseTooLarge")
    }

    @Test("can be closed while an upload is about to be sent")
    func closedWhilePreparing() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        // The moment between the last look at the call and its start cannot be chosen.
        for _ in 0..<100 {
            let (preparing, closing) = (Promise<Void>(), Promise<Void>())
            let channel = channel(server)
            let body = Body.stream(
                Body.Stream {
                    AsyncStream(unfolding: {
                        preparing.fulfil(.success(()))
                        try? await closing.value(until: .now + .seconds(10)) { CocoaError(.userCancelled) }
                        return nil as Data?
                    })
                })
            let endpoint = TypedEndpoint(.put, "thing", encoding: .asItIs(body))
            let call = Task { await channel.manager.response(for: endpoint, as: .data) }
            try await preparing.value(until: .now + .seconds(10)) { CocoaError(.userCancelled) }
            closing.fulfil(.success(()))
            await channel.close()
            let error = await call.value.error
            #expect(error == nil || error?.label == "transport.closed", "\(String(describing: error))")
        }
    }

    private struct Nothings: AsyncSequence, AsyncIteratorProtocol {
        func makeAsyncIterator() -> Nothings { self }
        mutating func next() async throws -> Data? { Data() }
    }

    @Test("sequences of empty chunks end by the calls' timeouts, however many there are")
    func empties() async throws {
        let stage = try Stage(.urlSession, .answers { _, _ in Answer(200) })
        let labels = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let body = Body.stream(Body.Stream { Nothings() })
                    return await stage.send(.put, body: body, timeout: Timeout(.milliseconds(300))).transportError?.label
                }
            }
            return await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(labels == ["timedOut.total"])
        await stage.close()
    }

    @Test("names the kit to a server, and not itself")
    func userAgent() async throws {
        let stage = try Stage(.urlSession, .answers { seen, _ in Answer(200, body: seen.headers["User-Agent"] ?? "") })
        #expect(try await stage.send(.get).value == Data(Kit.userAgent.utf8))
        await stage.close()
    }

    /// Foundation on Linux ends the process if a task is cancelled twice at once, or while a redirect is reported.
    @Test("calls may be cancelled, and a channel closed, at every moment", arguments: ["thing", "away"])
    func cancelledAnytime(path: String) async throws {
        let server = try LoopbackServer.test { request in
            request.path == "/away" ? ServerReply([.sendHead(status: 302, headers: ["Location": "/thing"])]) : .ok()
        }
        for _ in 0..<100 {
            let channel = channel(server)
            await withTaskGroup { group in
                for _ in 0..<8 {
                    let call = Task { await channel.manager.response(for: .get(path), as: .data).error }
                    group.addTask {
                        // The moments of Foundation's own queues cannot be chosen.
                        try? await Task.sleep(for: .microseconds(.random(in: 0..<4_000)))
                        call.cancel()
                        let error = await call.value
                        #expect(
                            error == nil || error?.isCancelled == true || error?.label == "transport.closed",
                            "\(String(describing: error))")
                    }
                }
                group.addTask {
                    try? await Task.sleep(for: .microseconds(.random(in: 0..<4_000)))
                    await channel.close()
                }
            }
        }
    }

    @Test("leaves no file of a sent stream behind")
    func files() async throws {
        let text = Data(UUID().uuidString.utf8)
        let folder = FileManager.default.temporaryDirectory
        @Sendable func isThere() throws -> Bool {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).contains { name in
                // Files of other tests may disappear meanwhile.
                name.hasPrefix("networkerkit-body-") && (try? Data(contentsOf: folder.appendingPathComponent(name))) == text
            }
        }
        let stage = try Stage(
            .urlSession, .answers { _, _ in Answer(200, body: (try? isThere()) == true ? "there" : "not there") })
        #expect(try await stage.send(.post, body: .pieces([text])).value == Data("there".utf8))
        #expect(try !isThere())
        await stage.close()
    }
}
