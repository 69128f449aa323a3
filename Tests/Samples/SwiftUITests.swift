import TestSupport

@Suite("iOS and SwiftUI", .closing, .timeLimit(.minutes(1)))
@MainActor struct SwiftUITests {
    @Test("a preview's channel answers without a network and without credentials")
    func preview() async {
        let model = BreadListModel(channel: .bakeryPreview)
        await model.load()
        #expect(model.breads == [Bread(id: 7, name: "Simit")] && model.message == nil)
    }

    @Test("a view that goes away cancels its call, and shows no message")
    func cancelled() async throws {
        let server = try LoopbackServer.test { _ in .stallBeforeHead }
        try await withChannel(.bakery, server: server) {
            let model = BreadListModel()
            let task = Task { await model.load() }
            try await server.waitForRequests(1)
            task.cancel()
            await task.value
            #expect(model.message == nil && model.breads.isEmpty)
        }
    }

    @Test("a failure shows one sentence for a user")
    func failure() async {
        await withChannel(.bakery, transport: FixtureTransport([Fixture(status: 503)])) {
            let model = BreadListModel()
            await model.load()
            #expect(model.message == "The server answered with an error; please try again later (503).")
        }
    }
}
