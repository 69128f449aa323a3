import CoreAPIHTTP
import Foundation
import HTTPTypes
import Testing

@testable import NetworkerKitSandbox

@Suite("The catalogue") struct CatalogueTests {
    @Test(
        "finds Turkish words in either case",
        arguments: [("çanta", "ÇANTA"), ("gömlek", "Gömlek"), ("ince", "İNCE"), ("kılıfı", "KILIFI"), ("ışıklı", "IŞIKLI")])
    func cases(lower: String, upper: String) {
        let found = TYCatalogue.products(matching: lower).map(\.id)
        #expect(!found.isEmpty)
        #expect(found == TYCatalogue.products(matching: upper).map(\.id))
    }

    @Test("searches by brand, and by words of brand and name together")
    func brand() {
        #expect(TYCatalogue.products(matching: "lavinya").count == 4)
        #expect(TYCatalogue.products(matching: "lavinya çanta").map(\.id) == [1002, 1005])
    }
}

@Suite("The export of the catalogue") struct ExportTests {
    private func answer(_ headers: [(name: String, value: String)] = []) -> SandboxAnswer {
        TYExport.answer(to: SandboxRequest("GET", "/ty/discovery/v1/exports/catalogue.jsonl", headers: headers))
    }

    private func field(_ name: String, of answer: SandboxAnswer) -> String? { answer.headers.first { $0.name == name }?.value }

    @Test("sends the rest of the same file, and a changed file from its beginning")
    func ranges() throws {
        let whole = answer()
        let tag = try #require(field("etag", of: whole))
        let rest = answer([("range", "bytes=100-"), ("if-range", tag)])
        #expect(rest.status == .partialContent && rest.body == whole.body[100...])
        #expect(field("content-range", of: rest) == "bytes 100-\(whole.body.count - 1)/\(whole.body.count)")
        #expect(answer([("range", "bytes=100-"), ("if-range", "\"other\"")]).status == .ok)
        #expect(answer([("range", "bytes=\(whole.body.count)-")]).status == .rangeNotSatisfiable)
        #expect(answer([("range", "lines=1-")]).status == .ok)
    }
}

@Suite("A checkout") struct OrderTests {
    private let milk = IDCheckout(addressId: "home", items: [.init(productId: "p-sut-1l", quantity: 2)], note: nil)

    @Test("is rejected if its key belongs to one of another basket")
    func conflict() throws {
        let orders = IDOrders(failsFirst: false, now: { Date() })
        _ = try orders.place(milk, basket: "b", key: "k")
        #expect { try orders.place(milk, basket: "c", key: "k") } throws: { ($0 as? IDFailure)?.status == .conflict }
        #expect(orders.placed == 1)
    }

    @Test("places one order for many simultaneous checkouts with one key")
    func race() async {
        let orders = IDOrders(failsFirst: false, now: { Date() })
        await withTaskGroup { group in
            for _ in 0..<50 { group.addTask { @concurrent [milk] in _ = try? orders.place(milk, basket: "b", key: "k") } }
        }
        #expect(orders.placed == 1)
    }

    @Test("of an empty basket leaves its key unused")
    func empty() throws {
        let orders = IDOrders(failsFirst: false, now: { Date() })
        let nothing = IDCheckout(addressId: "home", items: [], note: nil)
        #expect(throws: IDFailure.self) { try orders.place(nothing, basket: "b", key: "k") }
        _ = try orders.place(milk, basket: "b", key: "k")
        #expect(orders.placed == 1)
    }
}

@Suite("An access token") struct TokenTests {
    private final class HandClock: Sendable {
        private let seconds = Mutex(0.0)
        var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
        func advance(by step: Double) { seconds.withLock { $0 += step } }
    }

    @Test("is valid for its lifetime")
    func lifetime() {
        let clock = HandClock()
        let tokens = DLTokens(lifetime: .seconds(300), now: { clock.now })
        let token = tokens.issue()
        clock.advance(by: 299)
        #expect(tokens.isLive(token))
        clock.advance(by: 1)
        #expect(!tokens.isLive(token))
    }
}
