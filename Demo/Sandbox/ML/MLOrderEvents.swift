import HTTPTypes

/// The way of an order from the restaurant to the door. Each connection gets the next two events, so that a client has to connect
/// again, and the one behind the last event gets 204.
enum MLOrderEvents {
    struct Event: Encodable {
        let orderId: String
        let status: String
        let minutesLeft: Int?
    }

    private static let steps: [(status: String, minutesLeft: Int?)] = [
        ("accepted", 32), ("cooking", 25), ("onTheWay", 8), ("delivered", nil),
    ]
    private static let atOnce = 2

    /// - Parameters:
    ///   - orderID: `ml-o-` and a number.
    ///   - last: the id of the last event that the client has.
    static func answer(_ orderID: String, after last: String?) throws -> SandboxAnswer {
        guard orderID.hasPrefix("ml-o-"), Int(orderID.dropFirst(5)) != nil else { throw MLFailure.unknownOrder }
        let start = min(max(0, last.flatMap { Int($0) } ?? 0), steps.count)
        guard start < steps.count else { return SandboxAnswer(status: .noContent) }
        let events = try (start..<min(start + atOnce, steps.count)).map { index in
            let event = Event(orderId: orderID, status: steps[index].status, minutesLeft: steps[index].minutesLeft)
            return "id: \(index + 1)\nevent: order\ndata: \(try SandboxAnswer.jsonText(event))\n\n"
        }
        return SandboxAnswer(
            status: .ok, headers: [(name: "content-type", value: "text/event-stream")],
            pieces: ["retry: 10\n: the kitchen is open\n\n"] + events)
    }
}
