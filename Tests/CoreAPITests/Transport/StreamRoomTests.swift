import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

/// libcurl reads an HTTP/2 connection for all of its streams. Each stream has its own buffer.
@Suite("Data that a stream has no room for", .timeLimit(.minutes(2)))
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
                Frames.head(
                    stream, Frames.field(":status", "200") + Frames.field("content-length", "\(count)"), ends: false)
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
        let loops = LoopGroup(loops: 1)
        let transport = CurlTransport(loops: loops)
        var requests = Requests(transport)
        requests.trust = ServerTrustManager(authorities: .pem(try #require(server.tls).authorityPEM))
        let sender = requests
        // A new connection's timer must not wake libcurl.
        for url in [server.url, other.url] { #expect(try await sender.send(.get, url).status == 200) }
        // On its own thread, because other tests may block the shared ones for longer than the deadline.
        let answers = try await withTaskExecutorPreference(ownThread()) {
            async let small = sender.send(.get, server.url + "/small", timeout: timeout)
            try await waits.waitUntilOpen(timeout: .seconds(20))
            async let large = sender.send(.get, server.url + "/large", timeout: timeout)
            try await asked.waitUntilOpen(timeout: .seconds(20))
            let uploaded = try await sender.send(.post, other.url, body: .stream(body))
            #expect(sent.isOpen && uploaded.status == 200, "\(uploaded.result)")
            return (try await small, try await large)
        }
        await transport.close()
        await loops.shutdown()
        return answers
    }
}
