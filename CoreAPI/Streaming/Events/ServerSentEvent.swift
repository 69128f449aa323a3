/// One event of a server that sends events (WHATWG HTML, "Server-sent events").
public struct ServerSentEvent<Value: Sendable>: Sendable {
    /// The id of this event, or else of the last event with an id; empty if no event had one.
    public let id: String
    /// The event's name; `message` if the server gave none.
    public let name: String
    /// The event's data: its text, or the value decoded from it.
    public let data: Value

    /// Makes an event.
    ///
    /// - Parameters:
    ///   - id: the last id.
    ///   - name: the event's name.
    ///   - data: text or value.
    public init(id: String = "", name: String = "message", data: Value) {
        (self.id, self.name, self.data) = (id, name, data)
    }

    func with<Other>(_ data: Other) -> ServerSentEvent<Other> { ServerSentEvent<Other>(id: id, name: name, data: data) }
}

extension ServerSentEvent: Equatable where Value: Equatable {}
extension ServerSentEvent: Hashable where Value: Hashable {}
