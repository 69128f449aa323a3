import IDInteractors
import IDNetworker
import NetworkerKitSandbox
import TestSupport

@Suite("ID: checkout")
struct IDCheckoutTests {
    private let basket = IDCheckoutRequest(
        addressId: "home",
        items: [IDBasketItem(productId: "p-sut-1l", quantity: 2), IDBasketItem(productId: "p-ekmek", quantity: 1)],
        note: "Zili çalmayın")

    @Test("places an order")
    func places() async throws {
        let (order, placed) = try await withSandbox(.id.at(.sandbox)) { server in
            (try await IDBasketInteractor().checkout(basketID: "b-1", basket), server.ordersPlaced)
        }
        #expect(order.orderId.hasPrefix("ID-"))
        #expect(order.total.amount.description == "100.8" && order.total.currency == "TRY")
        #expect(order.estimatedMinutes > 0)
        #expect(abs(order.placedAt.timeIntervalSinceNow) < 300)
        #expect(placed == 1)
    }

    @Test("a lost answer is requested again with the same key, and one order is placed")
    func lostAnswer() async throws {
        let transport = RecordingTransport(CurlTransport())
        let channel = Channel.id.at(.sandbox).with { $0.transport = transport }
        try await withSandbox(channel, SandboxOptions(failFirstCheckout: true)) { server in
            let response = await IDBasketInteractor().networkManager.response(
                for: IDBasketEndpointItem.checkout(basketID: "b-1", basket, idempotencyKey: nil), as: IDCheckoutResponse.self)
            #expect(response.error == nil && response.attempts.count == 2)
            #expect(response.attempts.map(\.status) == [503, 201])
            #expect(response.attempts.first?.error?.app(IDError.self)?.errorCode == "TRY_AGAIN")
            #expect(server.ordersPlaced == 1)
            let keys = transport.requests.map { $0.header("idempotency-key") }
            #expect(keys.count == 2 && Set(keys).count == 1 && keys.first??.isEmpty == false)
        }
    }

    @Test("two checkouts are two orders")
    func two() async throws {
        try await withSandbox(.id.at(.sandbox)) { server in
            let interactor = IDBasketInteractor()
            let first = try await interactor.checkout(basketID: "b-1", basket)
            let second = try await interactor.checkout(basketID: "b-1", basket)
            #expect(first.orderId != second.orderId)
            #expect(server.ordersPlaced == 2)
        }
    }

    @Test("the caller's key is used, and the same key is the same order")
    func callersKey() async throws {
        let transport = RecordingTransport(CurlTransport())
        let channel = Channel.id.at(.sandbox).with { $0.transport = transport }
        try await withSandbox(channel) { server in
            let interactor = IDBasketInteractor()
            let first = try await interactor.checkout(basketID: "b-1", basket, idempotencyKey: "mine")
            let second = try await interactor.checkout(basketID: "b-1", basket, idempotencyKey: "mine")
            #expect(first == second)
            #expect(server.ordersPlaced == 1)
            #expect(transport.requests.map { $0.header("idempotency-key") } == ["mine", "mine"])
        }
    }

    @Test("the same key for another basket is a conflict")
    func conflict() async throws {
        let failure = try await rejection(IDError.self, on: .id.at(.sandbox)) {
            let interactor = IDBasketInteractor()
            _ = try await interactor.checkout(basketID: "b-1", basket, idempotencyKey: "mine")
            let other = IDCheckoutRequest(addressId: "work", items: basket.items)
            _ = try await interactor.checkout(basketID: "b-1", other, idempotencyKey: "mine")
        }
        #expect(failure.errorCode == "IDEMPOTENCY_CONFLICT" && failure.httpStatus == 409)
    }

    @Test("an empty basket is rejected and not repeated")
    func empty() async throws {
        let response = try await withSandbox(.id.at(.sandbox)) { _ in
            await IDBasketInteractor().networkManager.response(
                for: IDBasketEndpointItem.checkout(
                    basketID: "b-1", IDCheckoutRequest(addressId: "home", items: []), idempotencyKey: nil),
                as: IDCheckoutResponse.self)
        }
        #expect(response.error?.app(IDError.self)?.errorCode == "BASKET_EMPTY")
        #expect(response.error?.app(IDError.self)?.httpStatus == 422 && response.attempts.count == 1)
    }

    @Test("only a POST gets a key")
    func onlyPOST() async throws {
        let transport = RecordingTransport(status: 200, body: "{}")
        let channel = Channel.id.at(.sandbox).with { $0.transport = transport }
        try await ChannelOverride.with(channel) {
            let manager = IDNetworker<Never>().networkManager
            try await manager.request(.get("x"))
            try await manager.request(.put("x"))
            try await manager.request(.post("x"))
        }
        #expect(transport.requests.map { $0.header("idempotency-key") != nil } == [false, false, true])
    }

    @Test("in the delegate form the output is called exactly once, on the main actor, after any number of attempts")
    @MainActor func delegate() async throws {
        try await withSandbox(.id.at(.sandbox), SandboxOptions(failFirstCheckout: true)) { server in
            let (interactor, output) = (IDBasketInteractor(), Page())
            interactor.output = output
            let result = try await output.only(of: { interactor.checkOut(basketID: "b-1", basket) }) {
                _ = try await interactor.checkout(basketID: "b-2", basket)
            }
            #expect(try !result.get().orderId.isEmpty)
            #expect(server.ordersPlaced == 2)
        }
    }

    private final class Page: Output<IDCheckoutResponse>, IDBasketInteractorOutput {
        func handleCheckoutResponse(_ result: Result<IDCheckoutResponse, APIClientError>) { hear(result) }
    }
}
