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
        #expect(stores.count > 3)
        #expect(stores.map(\.distance) == stores.map(\.distance).sorted())
        #expect(stores.contains { $0.kind == .grocery && $0.isOpen && $0.etaMinutes > 0 })
        #expect(stores.contains { !$0.isOpen })
    }

    @Test("an impossible location is the channel's own error")
    func badPlace() async throws {
        let error = await #expect(throws: APIClientError.self) {
            try await withSandbox(.id.at(.sandbox)) { _ in try await IDStoresInteractor().stores(latitude: 200, longitude: 0) }
        }
        let failure: IDError = try #require(error?.app())
        #expect(failure.errorCode == "LOCATION_INVALID" && failure.httpStatus == 400 && !failure.displayMessage.isEmpty)
    }

    @Test("a session that has expired is the channel's own error")
    func expired() async throws {
        let error = await #expect(throws: APIClientError.self) {
            try await withSandbox(.id.at(.sandbox, credentials: ["ID_SESSION_ID": "old"])) { _ in
                try await IDStoresInteractor().stores(latitude: 41.04, longitude: 29.00)
            }
        }
        let failure: IDError = try #require(error?.app())
        #expect(failure.errorCode == "SESSION_EXPIRED" && failure.httpStatus == 401)
    }

    @Test("without a session no request is sent, and the error names the variable")
    func noSession() async throws {
        let transport = RecordingTransport(StubTransport { _ in (200, "") })
        var channel = Channel.id.at(.production, credentials: [:])
        channel.transport = transport
        let error = await #expect(throws: APIClientError.self) {
            try await ChannelOverride.with(channel) { try await IDStoresInteractor().stores(latitude: 41.04, longitude: 29.00) }
        }
        #expect((error?.underlyingError as? Credential.Missing)?.variable == "ID_SESSION_ID")
        #expect(error?.description.contains("ID_SESSION_ID") == true)
        #expect(error?.description.contains("<redacted>") == false)
        #expect(transport.requests.isEmpty)
    }

    @Test("in the delegate form the output is called exactly once, on the main actor")
    @MainActor func delegate() async throws {
        try await withSandbox(.id.at(.sandbox)) { _ in
            let interactor = IDStoresInteractor()
            let output = Output()
            interactor.output = output
            interactor.fetchStores(latitude: 41.04, longitude: 29.00)
            try await eventually("the output received no result") { await !output.results.isEmpty }
            let again = try await interactor.stores(latitude: 41.04, longitude: 29.00)
            #expect(try output.results.map { try $0.get() } == [again])
            #expect(output.wasAlwaysOnMainQueue)
        }
    }

    @MainActor private final class Output: IDStoresInteractorOutput {
        var results: [Result<IDStoresResponse, APIClientError>] = []
        var wasAlwaysOnMainQueue = true

        func handleStoresResponse(_ result: Result<IDStoresResponse, APIClientError>) {
            results.append(result)
            wasAlwaysOnMainQueue = wasAlwaysOnMainQueue && MainQueue.isCurrent
        }
    }
}
