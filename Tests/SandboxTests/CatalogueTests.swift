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
