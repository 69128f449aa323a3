import TestSupport

@Suite("Typed endpoints: wrong pairs fail to compile")
struct TypedPairsTests {
    private static let declarations = """
        import CoreAPI
        import Foundation
        struct Order: Codable, Sendable { var id: Int }
        struct Opaque: Sendable {}
        struct Orders: EndpointProvider {
            static var all: GET<Void, [Order]> { create("orders") }
            static var place: POST<Order, Order> { create("orders") }
        }
        func use(_ dispatcher: CommonDispatcher) async throws {

        """

    @Test(
        "right pairs compile, and wrong ones do not",
        arguments: [
            ("let orders: [Order] = try await dispatcher.request(Orders.all); _ = orders", true),
            ("let order: Order = try await dispatcher.request(Orders.place(Order(id: 1))); _ = order", true),
            ("let raw: PUT<Data, Void> = Orders.create(\"x\"); try await dispatcher.request(raw(.init()))", true),
            ("let none: DELETE<Void, Void> = Orders.create(\"x\"); try await dispatcher.request(none)", true),
            ("let order: Order = try await dispatcher.request(Orders.all); _ = order", false),
            ("_ = try await dispatcher.request(Orders.all(Order(id: 1)))", false),
            ("_ = try await dispatcher.request(Orders.place)", false),
            ("_ = try await dispatcher.request(Orders.place(\"text\"))", false),
            ("let wrong: GET<Opaque, Order> = Orders.create(\"x\"); _ = wrong(Opaque())", false),
            ("let wrong: GET<Void, Opaque> = Orders.create(\"x\"); _ = wrong", false),
        ])
    func compiles(statement: String, isRight: Bool) async throws {
        let complaint = try await Compiler.complaint(about: Self.declarations + statement + "\n}\n")
        #expect((complaint == nil) == isRight, "\(complaint ?? "")")
    }
}
