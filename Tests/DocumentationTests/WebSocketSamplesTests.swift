import CoreAPIWebSocket
import TestSupport

@Suite("The samples about WebSocket", .closing)
struct WebSocketSamplesTests {
    @Test("a value arrives, and the loop ends with the server's reason", .timeLimit(.minutes(1)))
    func positions() async throws {
        let server = try LoopbackServer.start { request in
            .webSocket(request) { socket in
                for try await message in socket where message == .text("every second") {
                    try await socket.send(json: Position(latitude: 41.04, longitude: 29.00))
                    await socket.close(reason: "delivered")
                }
            }
        }
        let channel = Channel.test(closing(server))
        var positions: [Position] = []
        try await follow(order: "7", through: CommonDispatcher(channel: channel)) { positions.append($0) }
        #expect(positions.map(\.latitude) == [41.04])
        #expect(server.requests.first?.path.hasSuffix("orders/7/positions") == true)
    }
}
