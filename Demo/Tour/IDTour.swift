internal import CoreAPIWebSocket
internal import Foundation
internal import IDInteractors

extension DemoTour {
    /// Finds stores near a point and orders; the server's first response to the order is lost.
    static let id = DemoTour(channel: "ID", prefix: "id") { guide in
        _ = await guide.visit("stores") {
            try await IDStoresInteractor().stores(latitude: 41.0422, longitude: 29.0083)
        } sample: { found in
            DemoSample(
                "\(found.stores.count) stores, \(found.stores.count(where: \.isOpen)) open",
                found.stores.map { store in
                    "\(store.id)  \(store.name), \(store.kind.rawValue), \(store.distance) m, "
                        + (store.isOpen ? "\(store.etaMinutes) min" : "closed")
                })
        }
        let basket = IDCheckoutRequest(
            addressId: "home",
            items: [IDBasketItem(productId: "p-simit", quantity: 4), IDBasketItem(productId: "p-cay-1kg", quantity: 1)],
            note: "Zil çalışmıyor, lütfen arayın")
        let order = await guide.visit("basket checkout") {
            try await IDBasketInteractor().checkout(basketID: "basket-1", basket)
        } sample: { order in
            let price = order.total.amount.price(in: order.total.currency)
            return DemoSample("order \(order.orderId), \(price), in \(order.estimatedMinutes) min")
        }
        guard let order else { return guide.skip("courier chat", "there is no order") }
        _ = await guide.visit("courier chat") {
            try await chat(about: order.orderId)
        } sample: { lines in
            DemoSample("\(lines.count) lines", lines.map { "\($0.from): \($0.text)" })
        }
    }
}

/// A short chat with the courier, over a WebSocket.
private func chat(about order: String) async throws -> [IDCourierMessage] {
    let socket = try await IDCourierInteractor().chat(orderID: order)
    var lines: [IDCourierMessage] = []
    for try await line in socket.messages(as: IDCourierMessage.self) {
        lines.append(line)
        guard lines.count == 1 else { break }
        let question = IDCourierMessage(text: "Neredesiniz?")
        lines.append(question)
        try await socket.send(json: question)
    }
    await socket.close()
    return lines
}
