import TestSupport

@testable import CoreAPIStreaming

@Suite("Fixtures that stream", .timeLimit(.minutes(1)))
struct FixtureStreamTests {
    @Test("a test holds the stream at any byte, and breaks it off")
    func gate() async throws {
        let gate = try Gate()
        let fixture = Fixture(
            .get, "events", headers: ["Content-Type": "text/event-stream"],
            stream: [
                .text("data: 1\n\nda"), .bytes(Data("ta: 2\n\n".utf8)), .wait { try await gate.waitUntilOpen() },
                .pause(.milliseconds(1)), .text("data: 3\n\n"),
                .failure(.connectionLost(reason: "test", mayHaveBeenProcessed: false)),
            ])
        let manager = Channel.test(FixtureTransport([fixture])).manager
        var events: [String] = []
        let error = await failure {
            for try await event in manager.events(.get("events"), options: EventOptions(reconnections: 0)) {
                if events.count == 1 { gate.open() }
                events.append(event.data)
            }
        }
        #expect(error?.label == "transport.connectionLost" && error?.context.streamed?.items == 3)
        #expect(events == ["1", "2", "3"])
    }

    @Test("a call that collects its body gets the whole body")
    func collected() async throws {
        let transport = FixtureTransport([Fixture(.get, "x", stream: [.text("{\"id\""), .pause(.milliseconds(1)), .text(":1}")])])
        struct Item: Decodable, Sendable { let id: Int }
        #expect(try await Channel.test(transport: transport).manager.request(.get("x"), as: Item.self).id == 1)
    }

    @Test("cancelling ends a pause")
    func cancelled() async throws {
        let transport = FixtureTransport([Fixture(.get, "x", stream: [.text("a\n"), .pause(.seconds(3_600)), .text("b\n")])])
        let (read, tell) = AsyncStream.makeStream(of: Void.self)
        let task = Task { for try await _ in Channel.test(transport: transport).manager.lines(.get("x")) { tell.yield() } }
        for await _ in read { break }
        task.cancel()
        let error = await #expect(throws: APIClientError.self) { try await task.value }
        #expect(error?.isCancelled == true)
    }

    @Test("a file streams its lines")
    func file() async throws {
        let text = "GET events\n200\ncontent-type: text/event-stream\n@stream 1ms\n\ndata: 1\n\ndata: 2\n\n"
        let fixture = try Fixture(parsing: text, file: "events.http")
        #expect(fixture.stream?.count == 7)
        let channel = Channel.test(transport: FixtureTransport([fixture]))
        let events = try await channel.manager.events(.get("events"), options: EventOptions(reconnections: 0)).all()
        #expect(events.map(\.data) == ["1", "2"])
        #expect(try Fixture(parsing: "GET x\n200\n@stream\n\na\nb", file: "x").stream?.count == 2)
        #expect(throws: FixtureError.self) { try Fixture(parsing: "GET x\n200\n@stream soon\n\na", file: "x") }
    }
}
