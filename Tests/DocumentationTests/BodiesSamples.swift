import CoreAPI
import Foundation

// Shown on the page Bodies; runs in BodiesTests.

struct Export: Decodable, Equatable, Sendable {
    let id: Int
}

struct OrderStatus: Decodable, Equatable, Sendable {
    let status: String
}

func exported(_ manager: some Dispatcher) async throws -> [Export] {
    var orders: [Export] = []
    for try await order in manager.jsonLines(.get("export"), of: Export.self) { orders.append(order) }
    return orders
}

func firstError(_ manager: some Dispatcher) async throws -> String? {
    for try await line in try await manager.stream(.get("log")).value.lines() where line.hasPrefix("error") { return line }
    return nil
}

func photos(_ manager: some Dispatcher) async throws -> [String: Data] {
    var photos: [String: Data] = [:]
    for try await part in manager.parts(.get("photos")) {
        photos[part.fileName ?? part.name ?? ""] = try await part.body.collect(upTo: 10 << 20)
    }
    return photos
}

func follow(_ id: Int, _ manager: some Dispatcher, show: (String) -> Void) async throws {
    for try await event in manager.events(.get("orders/\(segment: id)/events"), as: OrderStatus.self) {
        show(event.data.status)
    }
}

func watch(_ manager: some Dispatcher, from last: String?, show: (String) -> Void) async throws {
    let options = EventOptions(lastEventID: last, reconnections: .max)
    for try await update in manager.events(.get("news"), options: options).updates {
        switch update {
        case .open: show("online")
        case .event(let event): show("\(event.id): \(event.data)")
        case .reconnecting(let pause, _): show("offline, next attempt in \(pause)")
        }
    }
}
