import CoreAPIWebSocket

/// The courier of an order, in a chat with the customer.
struct IDCourier: Sendable {
    let order: String

    /// A line of the chat.
    struct Line: Codable, Sendable {
        let from: String
        let text: String
    }

    /// Greets, answers every line, and leaves after a goodbye.
    func chat(_ socket: WebSocket) async throws {
        try await say("Merhaba! \(order) numaralı siparişiniz yola çıktı.", socket)
        for try await line in socket.messages(as: Line.self) {
            try await say(answer(to: line.text.lowercased()), socket)
            if line.text.lowercased().contains("görüşürüz") { return await socket.close(reason: "goodbye") }
        }
    }

    private func say(_ text: String, _ socket: WebSocket) async throws {
        try await socket.send(json: Line(from: "courier", text: text))
    }

    private func answer(to text: String) -> String {
        switch text {
        case _ where text.contains("nerede"): "Köşedeki fırının önündeyim, iki dakikaya oradayım."
        case _ where text.contains("zil"): "Tamam, zile basmam, ararım."
        case _ where text.contains("görüşürüz"): "Afiyet olsun!"
        default: "Anladım."
        }
    }
}
