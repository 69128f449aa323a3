import DLInteractors
import DLNetworker
import TestSupport

@Suite("DL: order list")
struct DLOrderListTests {
    @Test("reads every field, dates and statuses too")
    func decodes() async throws {
        let list = try await withSandbox(.dl.at(.sandbox)) { _ in
            try await DLOrderListInteractor().orderList(page: 1, size: 14)
        }
        #expect(list.page == 1 && list.totalPages == 1 && list.orders.count == 14)
        let first = try #require(list.orders.first)
        #expect(first.id == "DL-1" && first.status == .preparing && first.title == "Vintage deri ceket")
        #expect(first.price.amount == 1450 && first.price.currency == "TRY")
        #expect(first.createdAt == (try Date("2026-03-14T09:30:00Z", strategy: .iso8601)))
        #expect(Set(list.orders.map(\.status)) == [.preparing, .shipped, .delivered, .cancelled])
        #expect(list.orders.first { $0.id == "DL-11" }?.price.amount.description == "349.9")
    }

    @Test("an empty path is the first page")
    func emptyPath() async throws {
        let list = try await withSandbox(.dl.at(.sandbox)) { _ in try await DLOrderListInteractor().orderList() }
        #expect(list.page == 1 && list.orders.count == 5 && list.totalPages == 3)
    }

    @Test("in the delegate form the output is called exactly once, on the main actor")
    @MainActor func delegate() async throws {
        try await withSandbox(.dl.at(.sandbox)) { _ in
            let (interactor, output) = (DLOrderListInteractor(), Page())
            interactor.output = output
            let result = try await output.only(of: { interactor.fetchOrderList(page: 2, size: nil) }) {
                _ = try await interactor.orderList(page: 3)
            }
            #expect(try result.get().page == 2)
        }
    }

    @Test("in the delegate form an error arrives as the shop's own")
    @MainActor func delegateError() async throws {
        try await withSandbox(.dl.at(.sandbox, credentials: ["DL_REFRESH_TOKEN": "wrong"])) { _ in
            let (interactor, output) = (DLOrderListInteractor(), Page())
            interactor.output = output
            interactor.fetchOrderList(page: 1, size: nil)
            try await eventually("the output received no result") { await !output.results.isEmpty }
            let error = #expect(throws: APIClientError.self) { try output.results.first?.get() }
            #expect(error?.app(DLError.self)?.key == "refresh.invalid")
        }
    }

    @Test("a call does not keep its interactor alive")
    @MainActor func released() async throws {
        try await withSandbox(.dl.at(.sandbox)) { server in
            let output = Page()
            weak var gone: DLOrderListInteractor?
            do {
                let interactor = DLOrderListInteractor()
                (interactor.output, gone) = (output, interactor)
                interactor.fetchOrderList(page: 1, size: nil)
            }
            #expect(gone == nil)
            _ = try await DLOrderListInteractor().orderList()
            #expect(output.results.isEmpty)
        }
    }

    private final class Page: Output<DLOrderListResponse>, DLOrderListInteractorOutput {
        func handleOrderListResponse(_ result: Result<DLOrderListResponse, APIClientError>) { hear(result) }
    }
}
