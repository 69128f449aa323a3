import TestSupport

@testable import CoreAPICore

@Suite("An exchange over HTTP/1.1", .closing)
struct CurlTransportTests {
    let transport = closing(CurlTransport())
    var requests: Requests { Requests(transport) }

    @Test("A GET returns status, fields and body, and only the requested fields are sent")
    func get() async throws {
        let server = try LoopbackServer.start { _ in .json(#"{"id":1}"#, headers: ["X-Answer": "42"]) }
        let response = try await requests.send(.get, server.url + "/orders?page=1")
        #expect(response.status == 200)
        #expect(response.text == #"{"id":1}"#)
        #expect(response.head?.headers[HTTPField.Name("x-answer")!] == "42")
        let sent = server.requests[0]
        #expect(sent.target == "/orders?page=1")
        #expect(Set(sent.headers.map { $0.name.lowercased() }) == ["host", "user-agent", "accept-encoding"])
        #expect(sent.headers["user-agent"] == "NetworkerKit/\(CurlTransport.kitVersion)")
    }

    @Test("A POST sends its bytes with a length and adds no media type")
    func post() async throws {
        let server = try LoopbackServer.start { .ok($0.bodyText) }
        let response = try await requests.send(.post, server.url, body: .bytes(Data("hello".utf8)))
        #expect(response.text == "hello")
        let sent = server.requests[0]
        #expect(Set(sent.headers.map { $0.name.lowercased() }) == ["host", "user-agent", "accept-encoding", "content-length"])
    }

    @Test("A redirect is followed")
    func redirect() async throws {
        let server = try LoopbackServer.start { $0.path == "/a" ? .redirect(to: "/b") : .ok("there") }
        let response = try await requests.send(.get, server.url + "/a")
        #expect(response.text == "there")
        #expect(response.metrics?.redirects.map(\.path) == ["/b"])
    }

    @Test("A cancelled task returns at once")
    func cancel() async throws {
        let server = try LoopbackServer.start { _ in .stallBeforeHead }
        let request = try requests.make(.get, server.url)
        let task = Task { await transport.send(request) }
        try await server.waitForRequests(1)
        task.cancel()
        #expect(await task.value.error?.isCancelled == true)
    }

    @Test(
        "Each clock has its own error",
        arguments: [
            (Timeout(connect: .seconds(60), idle: .milliseconds(200), total: .seconds(60)), "timedOut.idle"),
            (Timeout(connect: .seconds(60), idle: .seconds(60), total: .milliseconds(200)), "timedOut.total"),
        ])
    func timeouts(_ timeout: CoreAPI.Timeout, _ label: String) async throws {
        let server = try LoopbackServer.start { _ in .stallBeforeHead }
        let started = ContinuousClock.now
        let response = try await requests.send(.get, server.url, timeout: timeout)
        #expect(response.transportError?.label == label)
        let took = started.duration(to: .now)
        #expect(took >= .milliseconds(195) && took < .seconds(20))
    }
}
