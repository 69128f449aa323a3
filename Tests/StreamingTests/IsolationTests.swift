import TestSupport

@testable import CoreAPIStreaming

/// Loops on the main actor: an item's JSON and its decompression must not hold up the user interface.
@Suite("Streams read on the main actor", .closing, .timeLimit(.minutes(1)))
@MainActor
struct StreamIsolationTests {
    init() { #expect(MainQueue.isCurrent) }

    @Test("JSON Lines are decoded apart from it")
    func lines() async throws {
        let server = try LoopbackServer.test { _ in .ok("{}\n{}\n{}\n") }
        let channel = Channel.test(server)
        for try await place in channel.manager.jsonLines(.get("export"), of: Place.self) {
            #expect(!place.isMain && MainQueue.isCurrent)
        }
        for try await place in try await channel.manager.stream(.get("export")).value.jsonLines(of: Place.self) {
            #expect(!place.isMain && MainQueue.isCurrent)
        }
    }

    @Test("events are decoded apart from it")
    func events() async throws {
        let server = try LoopbackServer.test { request in
            guard request.headers["last-event-id"] == nil else { return .status(204) }
            return .events("id: 1\ndata: {}\n\ndata: {}\n\n")
        }
        var count = 0
        let options = EventOptions(pause: .milliseconds(1))
        for try await event in server.manager.events(.get("events"), as: Place.self, options: options) {
            #expect(!event.data.isMain && MainQueue.isCurrent)
            count += 1
        }
        #expect(count == 2)
    }

    @Test("listeners hear of a body apart from it")
    func listeners() async throws {
        let server = try LoopbackServer.test { _ in .ok(Data(count: 200_000)) }
        let isMain = Shared<Set<Bool>>([])
        let channel = Channel.test(server) {
            $0.logger = FunctionLogger { if case .body = $0 { isMain.change { _ = $0.insert(MainQueue.isCurrent) } } }
        }
        for try await _ in try await channel.manager.stream(.get("export")).value {}
        #expect(isMain.current == [false])
    }
}
