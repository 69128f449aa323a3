import TestSupport

@Suite("Bodies: the samples", .closing, .timeLimit(.minutes(1)))
struct BodiesTests {
    private func manager(_ fixtures: Fixture...) -> NetworkManager<Never> {
        NetworkManager(channel: .test(FixtureTransport(fixtures)))
    }

    @Test("a response passed on")
    func copied() async throws {
        let source = try LoopbackServer.test { _ in .ok("an export") }
        let target = try LoopbackServer.test { _ in .ok() }
        try await copy("export", from: Channel.test(source).dispatcher, to: Channel.test(target).dispatcher)
        #expect(target.requests.map { "\($0.method) \(String(decoding: $0.body, as: UTF8.self))" } == ["PUT an export"])
    }

    @Test("JSON Lines and lines")
    func lines() async throws {
        let manager = manager(
            Fixture(.get, "export", stream: [.text("{\"id\": 1}\n{\"i"), .text("d\": 2}\n")]),
            Fixture(.get, "log", stream: [.text("start\nerr"), .text("or 7\nend\n")]))
        #expect(try await exported(manager) == [Export(id: 1), Export(id: 2)])
        #expect(try await firstError(manager) == "error 7")
    }

    @Test("parts")
    func parts() async throws {
        let body = "--b\r\nContent-Disposition: attachment; filename=a.png\r\n\r\nPNG\r\n--b--"
        let manager = manager(Fixture(.get, "photos", headers: ["Content-Type": "multipart/mixed; boundary=b"], body: body))
        #expect(try await photos(manager) == ["a.png": Data("PNG".utf8)])
    }

    @Test("events, and the state of the connection")
    func events() async throws {
        let type: Headers = ["Content-Type": "text/event-stream"]
        let manager = manager(
            Fixture(.get, "orders/7/events", headers: type, body: "data: {\"status\": \"cooking\"}\n\n"),
            Fixture(.get, "news", headers: type, body: "retry: 1\nid: 8\ndata: hello\n\n"))
        let task = Task {
            var shown: [String] = []
            try await watch(manager, from: "7") { text in
                shown.append(text)
                if shown.count == 3 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        let error = await #expect(throws: APIClientError.self) { try await task.value }
        #expect(error?.isCancelled == true)
        let following = Task { try await follow(7, manager) { _ in withUnsafeCurrentTask { $0?.cancel() } } }
        await #expect(throws: APIClientError.self) { try await following.value }
    }
}
