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
        let error = await #expect(throws: APIClientError.self) {
            try await withSandbox(.dl.at(.sandbox)) { _ in try await DLOrderDetailInteractor().orderDetail(id: "DL-99") }
        }
        let failure: DLError = try #require(error?.app())
        #expect(failure.key == "order.not-found")
        #expect(failure.message == "Sipariş bulunamadı.")
        #expect(failure.httpStatus == 404)
    }

    @Test("in the delegate form the output is called exactly once, on the main actor")
    @MainActor func delegate() async throws {
        try await withSandbox(.dl.at(.sandbox)) { _ in
            let interactor = DLOrderDetailInteractor()
            let output = Output()
            interactor.output = output
            interactor.fetchOrderDetail(id: "DL-3")
            try await eventually("the output received no result") { await !output.results.isEmpty }
            _ = try await interactor.orderDetail(id: "DL-4")
            #expect(try output.results.map { try $0.get().id } == ["DL-3"])
            #expect(output.wasAlwaysOnMainQueue)
        }
    }

    @MainActor private final class Output: DLOrderDetailInteractorOutput {
        var results: [Result<DLOrderDetailResponse, APIClientError>] = []
        var wasAlwaysOnMainQueue = true

        func handleOrderDetailResponse(_ result: Result<DLOrderDetailResponse, APIClientError>) {
            results.append(result)
            wasAlwaysOnMainQueue = wasAlwaysOnMainQueue && MainQueue.isCurrent
        }
    }
}
