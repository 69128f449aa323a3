import Foundation
import HTTPTypes
import Testing

@testable import NetworkerKitSandbox

@Suite("A checkout") struct OrderTests {
    private let milk = IDCheckout(addressId: "home", items: [.init(productId: "p-sut-1l", quantity: 2)], note: nil)
    private let bread = IDCheckout(addressId: "home", items: [.init(productId: "p-ekmek", quantity: 1)], note: nil)

    @Test("places one order for any number of repetitions")
    func replay() throws {
        let orders = IDOrders(failsFirst: false, now: { Date() })
        guard case .placed(let first) = try orders.place(milk, basket: "b", key: "k"),
            case .replayed(let again) = try orders.place(milk, basket: "b", key: "k")
        else {
            Issue.record("expected an order and its replay")
            return
        }
        #expect(first.orderId == again.orderId)
        #expect(orders.placed == 1)
    }

    @Test("is rejected if its key belongs to another one")
    func conflict() throws {
        let orders = IDOrders(failsFirst: false, now: { Date() })
        _ = try orders.place(milk, basket: "b", key: "k")
        #expect { try orders.place(bread, basket: "b", key: "k") } throws: { ($0 as? IDFailure)?.status == .conflict }
        #expect { try orders.place(milk, basket: "c", key: "k") } throws: { ($0 as? IDFailure)?.status == .conflict }
        #expect(orders.placed == 1)
    }

    @Test("places one order if its first response is lost")
    func failFirst() throws {
        let orders = IDOrders(failsFirst: true, now: { Date() })
        if case .placedUnseen = try orders.place(milk, basket: "b", key: "k") {} else { Issue.record("the first response") }
        #expect(orders.placed == 1)
        if case .replayed = try orders.place(milk, basket: "b", key: "k") {} else { Issue.record("not the order before") }
        #expect(orders.placed == 1)
    }

    @Test("places one order for many simultaneous checkouts with one key")
    func race() async {
        let orders = IDOrders(failsFirst: false, now: { Date() })
        await withTaskGroup { group in
            for _ in 0..<50 { group.addTask { @concurrent [milk] in _ = try? orders.place(milk, basket: "b", key: "k") } }
        }
        #expect(orders.placed == 1)
    }

    @Test("of an empty basket is rejected and leaves its key unused")
    func empty() throws {
        let orders = IDOrders(failsFirst: false, now: { Date() })
        let nothing = IDCheckout(addressId: "home", items: [], note: nil)
        #expect(throws: IDFailure.self) { try orders.place(nothing, basket: "b", key: "k") }
        _ = try orders.place(milk, basket: "b", key: "k")
        #expect(orders.placed == 1)
    }
}
