import TestSupport

@Suite("The page about iOS and SwiftUI", .closing, .timeLimit(.minutes(1)))
@MainActor struct SwiftUITests {
    @Test("a preview's channel answers without a network and without credentials")
    func preview() async {
        let model = BreadListModel(channel: .bakeryPreview)
        await model.load()
        #expect(model.breads == [Bread(id: 7, name: "Simit")])
        #expect(model.message == nil)
    }

    @Test("a view that goes away cancels its call, and shows no message")
    func cancelled() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { _ in ServerReply.json(#"{"result": []}"#).after(.waitFor(gate)) }
        try await withChannel(.bakery, server: server) {
            let model = BreadListModel()
            let task = Task { await model.load() }
            try await server.waitForRequests(1)
            task.cancel()
            await task.value
            #expect(model.message == nil && model.breads.isEmpty)
        }
        gate.open()
    }

    @Test("a failure shows one sentence for a user")
    func failure() async {
        await withChannel(.bakery, transport: FixtureTransport([Fixture(status: 503)])) {
            let model = BreadListModel()
            await model.load()
            #expect(model.message == "The server answered with an error; please try again later (503).")
        }
    }

    /// Names of SwiftUI that a view's file uses every day.
    private nonisolated static let names = [
        "Alert", "Binding", "Button", "Color", "Environment", "Font", "Form", "Group", "Image", "Label", "Link", "List", "Menu",
        "Path", "Picker", "Scene", "Section", "Shape", "Slider", "State", "Tab", "Text", "Toggle", "View",
    ]

    @Test("no public type of the kit has the name of a SwiftUI type that views use", arguments: names)
    func name(_ name: String) throws {
        let interface = try Documentation.text("docs/api/CoreAPI.txt")
        let kinds = ["class", "enum", "protocol", "struct", "typealias"]
        #expect(interface.contains("\nstruct Channel\t"))
        #expect(!kinds.contains { interface.contains("\n\($0) \(name)\t") })
    }
}
