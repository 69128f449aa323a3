import MLInteractors
import MLNetworker
import TestSupport

@Suite("ML: an order, followed", .closing, .timeLimit(.minutes(1)))
struct MLOrderTrackingTests {
    @Test("every event arrives once although the server ends connections, and the delivery ends the loop")
    func events() async throws {
        let events = try await withSandbox(.ml.at(.sandbox)) { _ in
            var events: [ServerSentEvent<MLOrderEvent>] = []
            for try await event in MLOrderTrackingInteractor().events(orderID: "ml-o-7") { events.append(event) }
            return events
        }
        #expect(
            events.map(\.id) == ["1", "2", "3", "4"] && events.allSatisfy { $0.name == "order" && $0.data.orderId == "ml-o-7" })
        #expect(events.map(\.data.status) == ["accepted", "cooking", "onTheWay", "delivered"])
        #expect(events.map(\.data.minutesLeft) == [32, 25, 8, nil])
    }

    @Test("an unknown order fails with the channel's own error")
    func unknown() async throws {
        let failure = try await rejection(MLError.self, on: .ml.at(.sandbox)) {
            for try await _ in MLOrderTrackingInteractor().events(orderID: "ml-99") {}
        }
        #expect(failure.code == 1405)
    }

    @MainActor
    private final class Page: MLOrderTrackingInteractorOutput {
        private(set) var statuses: [String] = []
        private(set) var end: Result<Void, APIClientError>?
        private var waiting: CheckedContinuation<Void, Never>?

        func handleOrderEvent(_ event: MLOrderEvent) { statuses.append(event.status) }

        func handleOrderEventsEnd(_ error: APIClientError?) {
            end = error.map { .failure($0) } ?? .success(())
            waiting?.resume()
        }

        func waitForEnd() async { if end == nil { await withCheckedContinuation { waiting = $0 } } }
    }

    @Test("in the delegate form the output receives each event, and the end once, on the main actor")
    @MainActor func delegate() async throws {
        try await withSandbox(.ml.at(.sandbox)) { _ in
            let (interactor, page) = (MLOrderTrackingInteractor(), Page())
            interactor.output = page
            interactor.follow(orderID: "ml-o-1")
            await page.waitForEnd()
            #expect(page.statuses.last == "delivered" && page.statuses.count == 4)
            #expect((try? page.end?.get()) != nil)
        }
    }

    @Test("following an order does not keep its interactor alive, and does not call the output after its release")
    @MainActor func released() async throws {
        let gate = try Gate()
        let (first, rest) = (Self.event("accepted"), Self.event("cooking") + Self.event("onTheWay"))
        let head = ServerReply.Step.sendHead(status: 200, headers: ["content-type": "text/event-stream"])
        let server = try LoopbackServer.test { _ in [head, .sendChunk(first), .waitFor(gate), .sendChunk(rest), .endChunks()] }
        try await ChannelOverride.with(closing(Channel.ml.at(.sandbox).speaking(to: server))) {
            let page = Page()
            weak var gone: MLOrderTrackingInteractor?
            do {
                let interactor = MLOrderTrackingInteractor()
                (interactor.output, gone) = (page, interactor)
                interactor.follow(orderID: "ml-o-1")
                try await eventually("the output received no event") { await page.statuses == ["accepted"] }
            }
            #expect(gone == nil)
            try await server.waitForOpenConnections(atMost: 0)
            gate.open()
            #expect(page.statuses == ["accepted"] && page.end == nil)
        }
    }

    private static func event(_ status: String) -> Data {
        Data("event: order\ndata: {\"orderId\":\"ml-o-1\",\"status\":\"\(status)\",\"minutesLeft\":9}\n\n".utf8)
    }
}
