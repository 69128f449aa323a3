import CoreAPIHTTP
import Foundation
import NetworkerKitModels

/// The placed orders, by idempotency key.
final class IDOrders: Sendable {
    /// The result of a checkout.
    enum Outcome: Sendable {
        /// A new order was placed.
        case placed(IDOrder)
        /// The order that the same checkout placed before.
        case replayed(IDOrder)
        /// A new order was placed, but the answer is 503.
        case placedUnseen
    }

    private struct Entry {
        let basket: String
        let checkout: IDCheckout
        let order: IDOrder
    }

    private let failsFirst: Bool
    private let now: @Sendable () -> Date
    private let entries = Mutex<[String: Entry]>([:])

    init(failsFirst: Bool, now: @escaping @Sendable () -> Date) {
        self.failsFirst = failsFirst
        self.now = now
    }

    /// How many orders were placed.
    var placed: Int { entries.withLock { $0.count } }

    /// Places an order, or finds the one with this key. A checkout that breaks a rule leaves its key unused.
    func place(_ checkout: IDCheckout, basket: String, key: String) throws(IDFailure) -> Outcome {
        let placedAt = now()
        return try entries.withLock { entries throws(IDFailure) -> Outcome in
            if let known = entries[key] {
                guard known.basket == basket, known.checkout == checkout else { throw .idempotencyConflict }
                return .replayed(known.order)
            }
            guard !checkout.items.isEmpty else { throw .basketEmpty }
            guard checkout.items.allSatisfy({ (1...99).contains($0.quantity) }) else { throw .quantityInvalid }
            let order = IDOrder(
                orderId: "ID-\(48_201 + entries.count)",
                total: checkout.items.reduce(.lira(0)) { $0 + IDShelves.price(of: $1.productId) * $1.quantity },
                estimatedMinutes: 15 + min(checkout.items.count, 10),
                placedAt: placedAt)
            entries[key] = Entry(basket: basket, checkout: checkout, order: order)
            return failsFirst ? .placedUnseen : .placed(order)
        }
    }
}
