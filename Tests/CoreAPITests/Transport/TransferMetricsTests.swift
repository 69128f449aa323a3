import CoreAPITesting
import Foundation
import HTTPTypes
import Testing

@testable import CoreAPI

@Suite("What an exchange cost")
struct TransferMetricsTests {
    let transport = CurlTransport()
    var requests: Requests { Requests(transport) }

    @Test("A reused connection has no connection times, not times of zero")
    func reuse() async throws {
        let server = try LoopbackServer.start { _ in .ok("12345").after(.wait(.milliseconds(30))) }
        let first = try #require(try await requests.send(.post, server.url, body: .bytes(Data("abc".utf8))).metrics)
        #expect(!first.isConnectionReused)
        #expect(first.connect != nil && first.nameLookup != nil)
        #expect(first.tls == nil)
        let second = try #require(try await requests.send(.post, server.url, body: .bytes(Data("abc".utf8))).metrics)
        #expect(second.isConnectionReused)
        #expect(second.connect == nil && second.nameLookup == nil && second.tls == nil)
        for metrics in [first, second] {
            #expect(metrics.bytesSent == 3 && metrics.bytesReceived == 5)
            #expect(metrics.firstByte ?? .zero >= .milliseconds(25))
            #expect(metrics.total >= metrics.firstByte ?? .zero)
            #expect(metrics.httpVersion == "HTTP/1.1")
            #expect(metrics.remoteAddress == "127.0.0.1" && metrics.remotePort == Int(server.port))
        }
        await transport.close()
    }

    @Test("Redirects add up")
    func redirects() async throws {
        let server = try LoopbackServer.start { request in
            let reply: Reply = request.path == "/a" ? .redirect(to: "/b", status: 307) : .ok("12345")
            return reply.after(.wait(.milliseconds(30)))
        }
        let metrics = try #require(try await requests.send(.post, server.url + "/a", body: .bytes(Data("abc".utf8))).metrics)
        #expect(metrics.bytesSent == 6 && metrics.bytesReceived == 5)
        #expect(metrics.total >= .milliseconds(55))
        #expect(metrics.redirects.map(\.path) == ["/b"])
        await transport.close()
    }

    @Test("A failure has metrics too")
    func failure() async throws {
        let server = try LoopbackServer.start { _ in .truncated(declared: 10, sent: Data("abc".utf8)) }
        let metrics = try #require(try await requests.send(.get, server.url).metrics)
        #expect(metrics.bytesReceived == 3)
        await transport.close()
    }

    @Test("The linked libcurl says what it is")
    func version() {
        #expect(CurlTransport.version.split(separator: ".").count == 3)
        #expect(CurlTransport.capabilities.protocols.contains("https"))
        #expect(CurlTransport.capabilities.tlsBackend != nil)
    }
}
