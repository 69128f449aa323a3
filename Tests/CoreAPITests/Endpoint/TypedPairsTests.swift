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

    private func compiles(_ statement: String) async throws -> Bool {
        try await Compiler.complaint(about: Self.declarations + statement + "\n}\n") == nil
    }

    @Test(
        "right pairs compile",
        arguments: [
            "let orders: [Order] = try await dispatcher.request(Orders.all); _ = orders",
            "let order: Order = try await dispatcher.request(Orders.place, Order(id: 1)); _ = order",
            "let raw: PUT<Data, Void> = Orders.create(\"x\"); try await dispatcher.request(raw, .init())",
            "let none: DELETE<Void, Void> = Orders.create(\"x\"); try await dispatcher.request(none)",
        ])
    func right(statement: String) async throws { #expect(try await compiles(statement)) }

    @Test(
        "wrong ones do not",
        arguments: [
            "let order: Order = try await dispatcher.request(Orders.all); _ = order",
            "_ = try await dispatcher.request(Orders.all, Order(id: 1))",
            "_ = try await dispatcher.request(Orders.place)",
            "_ = try await dispatcher.request(Orders.place, \"text\")",
            "let wrong: GET<Opaque, Order> = Orders.create(\"x\"); _ = wrong(Opaque())",
            "let wrong: GET<Void, Opaque> = Orders.create(\"x\"); _ = wrong",
        ])
    func wrong(statement: String) async throws { #expect(try await !compiles(statement)) }
}
