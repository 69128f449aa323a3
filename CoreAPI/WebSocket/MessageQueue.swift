internal import Foundation

/// Messages that wait for the app, oldest first.
struct MessageQueue {
    private(set) var messages: [WebSocket.Message?] = []
    private var first = 0
    /// The bytes of all waiting messages, with a fixed cost for each.
    private(set) var size = 0

    var isEmpty: Bool { first == messages.count }

    mutating func append(_ message: WebSocket.Message) {
        messages.append(message)
        size += message.cost
    }

    mutating func popFirst() -> WebSocket.Message? {
        guard !isEmpty else { return nil }
        let message = messages[first]
        messages[first] = nil
        first += 1
        if isEmpty {
            messages.removeAll(keepingCapacity: true)
            first = 0
        } else if first >= 64, first * 2 >= messages.count {
            // A queue that is never empty would keep a slot of each message ever received.
            messages.removeFirst(first)
            first = 0
        }
        size -= message?.cost ?? 0
        return message
    }
}

extension WebSocket.Message {
    fileprivate var cost: Int {
        switch self {
        case .text(let text): text.utf8.count + 64
        case .binary(let data): data.count + 64
        }
    }
}
