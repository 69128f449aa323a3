import TestSupport

@testable import NetworkerCommand

@Suite("networker new feature", .timeLimit(.minutes(1)))
struct NewFeatureTests {
    private func package(_ networker: String = "") throws -> TemporaryPackage {
        let package = try TemporaryPackage()
        try package.write("Sources/BKNetworker/BKNetworker.swift", networker)
        try package.write("Sources/BKInteractors/A.swift", "")
        return package
    }

    @Test("lists each file, and the two commands that come next")
    func report() throws {
        let package = try package()
        #expect(
            try package.newFeature(path: "/orders").text == """
                wrote    Sources/BKInteractors/OrderList/BKOrderListEndpointItem.swift
                wrote    Sources/BKInteractors/OrderList/BKOrderListModels.swift
                wrote    Sources/BKInteractors/OrderList/BKOrderListInteractor.swift
                wrote    Tests/BKInteractorsTests/BKOrderListTests.swift
                wrote    Tests/BKInteractorsTests/Fixtures/bk-order-list/order-list.http

                Next:
                  swift build
                  swift test --filter BKOrderList
                """)
        #expect(
            try package.text("Tests/BKInteractorsTests/Fixtures/bk-order-list/order-list.http").contains("\nGET orders\n200\n"))
    }

    @Test("an unknown channel is rejected with those that exist")
    func unknown() throws {
        let kit = try TemporaryPackage.kitCopy()
        let known = try PackageFolder(kit.root).channels
        #expect(Set(known).isSuperset(of: ["DL", "GIPHY", "HTTPBin", "ID", "ML", "TY"]))
        for (package, name, end, advice) in [
            (kit, "XX", "found \(known.joined(separator: ", "))", "make it first: networker new channel XX"),
            (kit, "giphy", "found \(known.joined(separator: ", "))", "write GIPHY"),
            (try TemporaryPackage(), "../BK", "this package has none", ""),
        ] {
            let rejection = #expect(throws: Rejection.self) { try package.newFeature(name) }
            #expect(rejection?.cause == "unknown channel '\(name)'; \(end)" && rejection?.advice.hasPrefix(advice) == true)
        }
    }

    @Test("a second time nothing is overwritten")
    func twice() throws {
        let package = try package()
        try package.newFeature()
        try package.write("Sources/BKInteractors/OrderList/BKOrderListModels.swift", "// mine\n")
        let files = package.files
        let rejection = #expect(throws: Rejection.self) { try package.newFeature() }
        #expect(rejection?.cause == "Sources/BKInteractors/OrderList/BKOrderListEndpointItem.swift exists already")
        #expect(try package.text("Sources/BKInteractors/OrderList/BKOrderListModels.swift") == "// mine\n")
        #expect(package.files == files)
    }

    /// Paths that a Swift string or a fixture would read otherwise.
    private static let wrongPaths = ["", "/", "a b", "a\"b", "a\\b", "a#b", "a\nb", "ş", "%zz", "{id", "id}", "a}{b"]

    @Test("the names in braces become values of the case, each one segment of the path")
    func parameters() throws {
        let package = try package()
        try package.newFeature("BK", "Page", path: "/books/{book_id}/pages/{in}.json?full=1")
        let endpoint = try package.text("Sources/BKInteractors/Page/BKPageEndpointItem.swift")
        #expect(endpoint.contains("    case page(bookId: String, in: String)\n"))
        #expect(
            endpoint.contains(
                #"        case .page(let bookId, let `in`): "books/\(segment: bookId)/pages/\(segment: `in`).json?full=1""#))
        let interactor = try package.text("Sources/BKInteractors/Page/BKPageInteractor.swift")
        #expect(interactor.contains("func fetchPage(bookId: String, in: String)\n"))
        #expect(
            interactor.contains("request(.page(bookId: bookId, in: `in`)) {") && interactor.contains("``fetchPage(bookId:in:)``"))
        let fixture = try package.text("Tests/BKInteractorsTests/Fixtures/bk-page/page.http")
        #expect(fixture.contains("\nGET books/1/pages/1.json?full=1\n"))
    }

    /// Parameters that Swift or the written code cannot have.
    private static let wrongNames = ["", "1d", "i{d}", "b c", "ş", "self", "body", "i\u{301}d", "\u{301}"]

    @Test(
        "rejects a path or a parameter that Swift, the written code, a fixture or the query cannot have",
        arguments: wrongPaths.map { ($0, "expected a path such as orders") }
            + wrongNames.map { ("a/{\($0)}", "expected a parameter's name") } + [
                ("a/{id}/{ID}", "expected each parameter once"), ("a?page={page}", "expected parameters in the path alone"),
                ("a/{averyveryverylongnameofaparameter}/{another}", "the parameters of"),
            ])
    func wrongPath(path: String, cause: String) throws {
        let package = try package()
        let files = package.files
        let rejection = #expect(throws: Rejection.self) { try package.newFeature(path: path) }
        #expect(rejection?.cause.hasPrefix(cause) == true, "\(rejection as Any)")
        #expect(package.files == files)
    }

    @Test("rejects an unknown method with the known ones")
    func method() throws {
        let package = try package()
        let rejection = #expect(throws: Rejection.self) { try package.newFeature(method: "TRACE") }
        #expect(rejection?.cause == "expected GET, POST, PUT, PATCH or DELETE after --method, got 'TRACE'")
    }

    @Test("finds the channel's property and the envelope of its answers in the networker")
    func networker() throws {
        let package = try package(#"init() { super.init(.books) } … .payload("data.result", error: E.self)"#)
        try package.newFeature()
        #expect(try package.text("Tests/BKInteractorsTests/BKOrderListTests.swift").contains("withChannel(.books, "))
        #expect(
            try package.text("Tests/BKInteractorsTests/Fixtures/bk-order-list/order-list.http")
                .contains(#"{"data": {"result": {"items": ["#))
    }
}
