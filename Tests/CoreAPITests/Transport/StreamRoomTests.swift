import CoreAPITesting
import Foundation
import HTTPTypes
import Testing

@testable import CoreAPICore
@testable import CoreAPICurl

/// libcurl reads a connection of HTTP/2 for all of its streams, each of which has a buffer of its own.
@Suite("What a stream has no room for")
struct StreamRoomTests {
    @Test(
        "is not left lying, nor the answers behind it, though the server has nothing more to send")
    func readTogether() async throws {
        let (waits, asked, gate, sent) = (try Gate(), try Gate(), try Gate(), try Gate())
        let room = CurlHandle.bufferSize(inFlight: 3, isSecure: true)
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { request in
            func head(_ stream: UInt32, _ count: Int) -> Data {
                Frames.head(
                    stream, Frames.field(":status", "200") + Frames.field("content-length", "\(count)"), ends: false)
            }
            switch request.target {
            case "/small": return [.open(waits), .stall]
            case "/large":
                // As much as libcurl has room for and a little more, and behind it the answer that another waits for.
                var frames = head(5, room + 100)
                for _ in 0..<(room / 16_384) { frames += Frames.frame(0, 0, 5, Data(count: 16_384)) }
                frames += Frames.frame(0, 1, 5, Data(count: 100)) + head(3, 2) + Frames.frame(0, 1, 3, Data("ok".utf8))
                return [.open(asked), .waitFor(gate), .send(frames), .open(sent), .stall]
            default: return .ok()
            }
        }
        let other = try LoopbackServer.start { _ in .ok() }
        // Keeps the thread from reading before everything is there.
        let body = BodyStream.oneByte {
            gate.open()
            for _ in 0..<10_000 where !sent.isOpen { _ = usleep(1_000) }
        }
        // The body blocks the thread, which must not be the other tests'.
        let loops = LoopGroup(loops: 1)
        let transport = CurlTransport(loops: loops)
        var requests = Requests(transport)
        requests.trust = ServerTrustManager(authorities: .pem(try #require(server.tls).authorityPEM))
        let sender = requests
        // No timer of a new connection's is to wake libcurl.
        for url in [server.url, other.url] { #expect(try await sender.send(.get, url).status == 200) }
        // On a thread of its own, because other tests may keep the shared ones busy for longer than the deadline.
        let (small, large) = try await withTaskExecutorPreference(ownThread()) {
            async let small = sender.send(.get, server.url + "/small")
            try await waits.waitUntilOpen(timeout: .seconds(20))
            async let large = sender.send(.get, server.url + "/large")
            try await asked.waitUntilOpen(timeout: .seconds(20))
            let uploaded = try await sender.send(.post, other.url, body: .stream(body))
            #expect(sent.isOpen && uploaded.status == 200, "\(uploaded.result)")
            return (try await small, try await large)
        }
        #expect(large.data.count == room + 100, "\(large.result)")
        #expect(small.text == "ok", "\(small.result)")
        #expect(try #require(small.metrics).total < .seconds(10))
        await transport.close()
        await loops.shutdown()
    }
}
