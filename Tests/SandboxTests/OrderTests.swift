import Foundation
import HTTPTypes
import Testing

@testable import NetworkerKitSandbox

@Suite("A checkout") struct OrderTests {
    private let milk = IDCheckout(addressId: "home", items: [.init(productId: "p-sut-1l", quantity: 2)], note: nil)

    @Test("is rejected if its key belongs to one of another basket")
    func conflict() throws {
        let orders = IDOrders(failsFirst: false, now: { Date() })
        _ = try orders.place(milk, basket: "b", key: "k")
        #expect { try orders.place(milk, basket: "c", key: "k") } throws: { ($0 as? IDFailure)?.status == .conflict }
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

    @Test("of an empty basket leaves its key unused")
    func empty() throws {
        let orders = IDOrders(failsFirst: false, now: { Date() })
        let nothing = IDCheckout(addressId: "home", items: [], note: nil)
        #expect(throws: IDFailure.self) { try orders.place(nothing, basket: "b", key: "k") }
        _ = try orders.place(milk, basket: "b", key: "k")
        #expect(orders.placed == 1)
    }
}
