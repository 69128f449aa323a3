import DLInteractors
import DLNetworker
import TYInteractors
import TYNetworker
import TestSupport

@Suite("The README")
@MainActor struct ReadmeTests {
    /// The stages of the marketplace's channel with a cookie jar and a retry policy, in the README's list and in the pictures.
    private static var stages: [String] {
        var channel = Channel.ty
        channel.cookies = CookieJar()
        channel.interceptors.append(RetryPolicy())
        return channel.stages.map(\.description)
    }

    @Test("shows the actual stages of a channel, in a picture for light and one for dark", arguments: ["stages", "stages~dark"])
    func picture(name: String) throws {
        let path = "\(Documentation.catalog)/Resources/\(name).svg"
        let shown = try Documentation.text(path).matches(of: /data-stage="([^"]*)"[^>]*>([^<]*)</)
        #expect(shown.map { String($0.output.1) } == Self.stages)
        for stage in shown { #expect(stage.output.1.split(separator: " ").last == stage.output.2) }
        let readme = try Documentation.text("README.md")
        #expect(readme.contains(path), "\(path) is not in the README")
    }

    @Test("lists the actual stages of a channel")
    func stages() throws {
        let list = Self.stages.joined(separator: "\n")
        #expect(try Documentation.text("CONTRIBUTING.md").contains("```text\n\(list)\n```"), "\(list)")
    }

    @Test("One call")
    func call() async throws {
        let body = """
            {"isSuccess": true, "statusCode": 200, "result": {"products": [{"id": 1, "name": "Kırmızı çanta", "brand": "B", \
            "price": {"amount": 1, "currency": "TRY"}, "rating": 4.5, "imageURL": "https://i.example/1.jpg"}], \
            "page": 0, "size": 10, "totalCount": 1, "hasNext": false}}
            """
        let transport = FixtureTransport([Fixture(.get, "discovery/v1/products/search?q=çanta", body: body)])
        let channel = Channel.ty.at(.sandbox)
        try await withChannel(channel, transport: transport) {
            let page = try await TYProductSearchInteractor().search("çanta")
            print(page.products.map(\.name))
            #expect(page.products.map(\.name) == ["Kırmızı çanta"])
        }
    }

    @MainActor final class Screen: BasketOutput {
        let (results, heard) = AsyncStream.makeStream(of: Result<Basket, APIClientError>.self)
        func handleBasket(_ result: Result<Basket, APIClientError>) { heard.yield(result) }
    }

    @Test("The feature, in both forms")
    func feature() async throws {
        try await withChannel(.bk, transport: FixtureTransport([Fixture(.post, "basket/items", body: #"{"items": 3}"#)])) {
            let interactor = BasketInteractor()
            let screen = Screen()
            interactor.output = screen
            interactor.add(product: 7)
            for await result in screen.results {
                #expect(try result.get().items == 3)
                break
            }
            let basket = try await interactor.adding(product: 7)
            #expect(basket.items == 3)
        }
    }

    @Test("The failure that keeps the whole response, and responses in code")
    func failure() async throws {
        let transport = FixtureTransport([
            Fixture(.post, "basket/items", status: 409, body: #"{"message": "sold out"}"#),
            Fixture(.get, "orders?page=1", failure: .connectionLost(reason: "pulled", mayHaveBeenProcessed: false)),
        ])
        await withChannel(.bk, transport: transport) {
            let manager = NetworkManager<BasketEndpoint>(channel: .bk)
            let response = await manager.response(for: BasketEndpoint.add(product: 7, quantity: 1), as: Basket.self)
            switch response.result {
            case .success(let basket): print(basket.items, response.metrics?.firstByte ?? .zero)
            case .failure(let error): print(error.label, error, response.attempts.count)
            }
            #expect(response.error?.app(BKError.self)?.message == "sold out")
            #expect(response.head?.status == .conflict)
            #expect(response.attempts.count == 1)
        }
    }

    struct Book: Decodable, Sendable {
        let title: String
    }

    struct Note: Encodable, Sendable {
        let text: String
    }

    @Test("The one-off call")
    func oneOff() async throws {
        let transport = FixtureTransport([
            Fixture(.get, "books/a%2Fb", body: #"{"title": "Tutunamayanlar"}"#), Fixture(.post, "books/a%2Fb/notes", status: 201),
        ])
        try await withChannel(.bk, transport: transport) {
            let manager = BasketInteractor().networkManager
            let id = "a/b"
            let book = try await manager.request(.get("books/\(segment: id)"), as: Book.self)
            try await manager.request(.post("books/\(segment: id)/notes", body: Note(text: "read twice")))
            #expect(book.title == "Tutunamayanlar")
        }
    }

    @Test("Test offline")
    func offline() async throws {
        try await withChannel(.dl, transport: .fixtures("orders-empty")) {
            let list = try await DLOrderListInteractor().orderList(page: 1)
            #expect(list.orders.isEmpty)
        }
    }

    @Test("shows a valid fixture")
    func fixture() throws {
        let block = try #require(try Documentation.text("README.md").matches(of: /```text\n(GET [\s\S]*?)```/).first?.output.1)
        let fixture = try Fixture(parsing: String(block), file: "README.md")
        #expect(fixture.delay == .milliseconds(20))
    }
}
