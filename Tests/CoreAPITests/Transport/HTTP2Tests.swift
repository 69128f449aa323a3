import TestSupport

@testable import CoreAPICore

@Suite("HTTP/2", .closing, .serialized)
struct HTTP2Tests {
    @Test(
        "many requests share few connections once the protocol is known; with HTTP/1.1 only they have all that are allowed",
        arguments: [true, false])
    func manyRequests(http2: Bool) async throws {
        let server = try await NginxServer(http2: http2)
        let limits = http2 ? Limits() : .test(perHost: 8)
        let requests = Requests(closing(CurlTransport(limits: limits)), trusting: server.authority)
        let url = server.url + "/connection"
        let (count, version) = http2 ? (500, "HTTP/2") : (200, "HTTP/1.1")
        let connections = Shared<[Substring]>([])
        await each(of: count, atOnce: count) { _ in
            guard let response = try? await requests.send(.get, url), response.metrics?.httpVersion == version else { return }
            connections.change { $0.append(response.text.prefix { $0 != " " }) }
        }
        #expect(connections.current.count == count && (1...8).contains(Set(connections.current).count))
    }

    @Test(
        "The first eight at once share one connection, with either version of TLS", arguments: [ServerTLS.Version.tls12, .tls13])
    func firstBurst(version: ServerTLS.Version) async throws {
        var tls = try ServerTLS(protocols: [.http2])
        tls.versions = version...version
        let server = try LoopbackServer.start(tls: tls) { .ok("\($0.connection)") }
        let requests = Requests(trusting: tls.authorityPEM)
        await each(of: 8, atOnce: 8) { _ in #expect((try? await requests.send(.get, server.url))?.text == "0") }
        #expect(server.connectionsAccepted == 1)
    }

    /// One burst in ten left a response in libcurl until the connect timeout, because libcurl had read it for another stream.
    @Test("Bursts on fresh connections wait for no timer")
    func bursts() async throws {
        let server = try await NginxServer(http2: true)
        let url = server.url + "/connection"
        for _ in 0..<40 {
            let transport = CurlTransport()
            var requests = Requests(transport, trusting: server.authority)
            // Longer than the bound below: what libcurl leaves behind comes with the connect timeout.
            requests.timeout = Timeout(connect: .seconds(60), idle: .seconds(60), total: .seconds(60))
            let sender = requests
            let start = ContinuousClock.now
            await each(of: 64, atOnce: 64) { _ in #expect((try? await sender.send(.get, url))?.status == 200) }
            #expect(ContinuousClock.now - start < .seconds(30))
            await transport.close()
        }
    }

    @Test("A host that is known to multiplex gets more requests at once than connections")
    func release() async throws {
        let server = try await NginxServer(http2: true)
        let requests = Requests(trusting: server.authority)
        let url = server.url + "/slow"
        let tasks = (0..<60).map { _ in Task { try await requests.send(.get, url) } }
        for _ in 0..<500 where requests.transport.activeExchanges < 60 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(requests.transport.activeExchanges == 60 && requests.transport.queuedExchanges == 0)
        for task in tasks { task.cancel() }
        for task in tasks { #expect(try await task.value.error?.isCancelled == true) }
    }

    /// Opens its gate when the steps of the reply that holds it are over.
    private final class Witness: Sendable {
        let gate: Gate
        init(_ gate: Gate) { self.gate = gate }
        deinit { gate.open() }
    }

    @Test("The server learns of a cancelled stream with the next request at the latest")
    func cancelled() async throws {
        let over = try Gate()
        let tls = try ServerTLS(protocols: [.http2])
        let server = try LoopbackServer.test(tls: tls) { request in
            guard request.target == "/held" else { return .ok() }
            let witness = Witness(over)
            return [.stall, .takeOver { _ in withExtendedLifetime(witness) {} }]
        }
        let requests = Requests(trusting: tls.authorityPEM)
        let task = Task { try await requests.send(.get, server.url + "/held") }
        try await server.waitForRequests(1)
        #expect(!over.isOpen)
        task.cancel()
        #expect(try await task.value.error?.isCancelled == true)
        #expect(try await requests.send(.get, server.url).status == 200)
        try await over.waitUntilOpen()
        #expect(server.connectionsAccepted == 1 && server.openConnections == 1)
    }

    @Test("A server's alternatives, HTTP/3 among them, are never used")
    func alternative() async throws {
        let tls = try ServerTLS(protocols: [.http2])
        let other = try LoopbackServer.test(tls: tls) { _ in .ok() }
        let alternatives = "h3=\":\(other.port)\"; ma=9, h2=\":\(other.port)\"; ma=9"
        let server = try LoopbackServer.test(tls: tls) { _ in .ok(headers: ["Alt-Svc": alternatives]) }
        let requests = Requests(trusting: tls.authorityPEM)
        for _ in 0..<10 {
            let response = try await requests.send(.get, server.url)
            #expect(response.error == nil && response.metrics?.httpVersion == "HTTP/2")
        }
        #expect(other.connectionsAccepted == 0)
    }

    /// A request that GOAWAY reports as not processed is sent again, for any method (RFC 9113 §6.8). nginx answers a POST to a
    /// file with 405.
    @Test(
        "GOAWAY after every few requests loses none and doubles none, one after another or many at once",
        arguments: [(HTTPRequest.Method.get, 200), (.post, 405)], [1, 16])
    func goAway(expected: (method: HTTPRequest.Method, status: Int), atOnce: Int) async throws {
        let server = try await NginxServer(http2: true, keepaliveRequests: 10)
        let requests = Requests(trusting: server.authority)
        let url = server.url + "/1k"
        let failures = Shared<[String]>([])
        await each(of: 200, atOnce: atOnce) { _ in
            let body = expected.method == .post ? Body.bytes(Data("order".utf8)) : .none
            let response = try? await requests.send(expected.method, url, body: body)
            if response?.status != expected.status { failures.change { $0.append("\(response?.transportError as Any)") } }
        }
        #expect(failures.current == [])
        if expected.method == .post { #expect(try await server.served(200) == 200) }
    }
}
