import CoreAPI
import CoreAPIWebSocket

// Shown on the page "Bodies"; what they do is tested in WebSocketSamplesTests.

struct Position: Codable, Sendable {
    let latitude: Double
    let longitude: Double
}

func follow(order: String, through manager: some Dispatcher, show: (Position) -> Void) async throws {
    let socket = try await manager.webSocket(.get("orders/\(segment: order)/positions"))
    try await socket.send(.text("every second"))
    for try await position in socket.messages(as: Position.self) { show(position) }
    print("the courier has left:", socket.closing?.reason ?? "")
}
