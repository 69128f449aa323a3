import DLInteractors
import DLNetworker
import TestSupport

@Suite("DL: order detail")
struct DLOrderDetailTests {
    @Test("an order on its way has a shipment")
    func shipped() async throws {
        let order = try await withSandbox(.dl.at(.sandbox)) { _ in try await DLOrderDetailInteractor().orderDetail(id: "DL-2") }
        #expect(order.id == "DL-2" && order.status == .shipped)
        #expect(order.items.map(\.name) == ["Keten gömlek", "Hasır şapka"])
        #expect(order.shipment?.carrier == "Martı Kargo")
    }

    @Test("an order in preparation has no shipment")
    func preparing() async throws {
        let order = try await withSandbox(.dl.at(.sandbox)) { _ in try await DLOrderDetailInteractor().orderDetail(id: "DL-1") }
        #expect(order.shipment == nil)
    }

    @Test("an unknown id is the shop's own error, with its status")
    func unknown() async throws {
        let failure = try await rejection(DLError.self, on: .dl.at(.sandbox)) {
            try await DLOrderDetailInteractor().orderDetail(id: "DL-99")
        }
        #expect(failure.key == "order.not-found" && failure.message == "Sipariş bulunamadı." && failure.httpStatus == 404)
    }

    @Test("in the delegate form the output is called exactly once, on the main actor")
    @MainActor func delegate() async throws {
        try await withSandbox(.dl.at(.sandbox)) { _ in
            let (interactor, output) = (DLOrderDetailInteractor(), Page())
            interactor.output = output
            let result = try await output.only(of: { interactor.fetchOrderDetail(id: "DL-3") }) {
                _ = try await interactor.orderDetail(id: "DL-4")
            }
            #expect(try result.get().id == "DL-3")
        }
    }

    private final class Page: Output<DLOrderDetailResponse>, DLOrderDetailInteractorOutput {
        func handleOrderDetailResponse(_ result: Result<DLOrderDetailResponse, APIClientError>) { hear(result) }
    }
}
