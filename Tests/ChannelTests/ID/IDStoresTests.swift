import IDInteractors
import IDNetworker
import TestSupport

@Suite("ID: stores")
struct IDStoresTests {
    @Test("are sorted by distance, with every field")
    func near() async throws {
        let stores = try await withSandbox(.id.at(.sandbox)) { _ in
            try await IDStoresInteractor().stores(latitude: 41.04, longitude: 29.00).stores
        }
        #expect(stores.count > 3 && stores.map(\.distance) == stores.map(\.distance).sorted())
        #expect(stores.contains { $0.kind == .grocery && $0.isOpen && $0.etaMinutes > 0 })
        #expect(stores.contains { !$0.isOpen })
    }

    @Test("an impossible location is the channel's own error")
    func badPlace() async throws {
        let failure = try await rejection(IDError.self, on: .id.at(.sandbox)) {
            try await IDStoresInteractor().stores(latitude: 200, longitude: 0)
        }
        #expect(failure.errorCode == "LOCATION_INVALID" && failure.httpStatus == 400 && !failure.displayMessage.isEmpty)
    }

    @Test("a session that has expired is the channel's own error")
    func expired() async throws {
        let failure = try await rejection(IDError.self, on: .id.at(.sandbox, credentials: ["ID_SESSION_ID": "old"])) {
            try await IDStoresInteractor().stores(latitude: 41.04, longitude: 29.00)
        }
        #expect(failure.errorCode == "SESSION_EXPIRED" && failure.httpStatus == 401)
    }

    @Test("in the delegate form the output is called exactly once, on the main actor")
    @MainActor func delegate() async throws {
        try await withSandbox(.id.at(.sandbox)) { _ in
            let (interactor, output) = (IDStoresInteractor(), Page())
            interactor.output = output
            var again: IDStoresResponse?
            let result = try await output.only(of: { interactor.fetchStores(latitude: 41.04, longitude: 29.00) }) {
                again = try await interactor.stores(latitude: 41.04, longitude: 29.00)
            }
            #expect(try result.get() == again)
        }
    }

    private final class Page: Output<IDStoresResponse>, IDStoresInteractorOutput {
        func handleStoresResponse(_ result: Result<IDStoresResponse, APIClientError>) { hear(result) }
    }
}
