import CoreAPITesting
import Foundation
import HTTPTypes
import Testing

@testable import CoreAPI

@Suite("A connection with bytes that nobody asked for")
struct SpoiltConnectionTests {
    @Test("is not used again, whatever the method", arguments: [HTTPRequest.Method.get, .post])
    func unsolicited(method: HTTPRequest.Method) async throws {
        let gate = try Gate()
        let sent = try Gate()
        let extra = Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong".utf8)
        let server = try LoopbackServer.start { request in
            guard request.connection == 0 else { return .ok("right") }
            return Reply.ok("first").followed(by: .waitFor(gate), .send(extra), .open(sent))
        }
        var limits = Limits()
        limits.connectionsPerHost = 1
        let transport = CurlTransport(limits: limits)
        let requests = Requests(transport)
        #expect(try await requests.send(method, server.url).text == "first")
        gate.open()
        try await sent.waitUntilOpen(timeout: .seconds(5))
        for _ in 0..<5 {
            let response = try await requests.send(method, server.url, body: method == .post ? .bytes(Data("x".utf8)) : .none)
            #expect(response.text == "right", "\(response.result)")
        }
        // Each request came once, and the spoilt connection is gone.
        #expect(server.requests.count == 6)
        #expect(server.connectionsAccepted == 2)
        try await server.waitForOpenConnections(atMost: 1)
        await transport.close()
    }

    @Test("does not cost the others theirs: a quiet connection is used again")
    func quiet() async throws {
        let server = try LoopbackServer.start { _ in .ok("right") }
        let transport = CurlTransport()
        for index in 0..<20 {
            let response = try await Requests(transport).send(.get, server.url)
            #expect(response.metrics?.isConnectionReused == (index > 0))
        }
        #expect(server.connectionsAccepted == 1)
        await transport.close()
    }
}
