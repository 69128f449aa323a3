import HTTPBinInteractors
import HTTPBinNetworker
import TestSupport

/// Runs against a real httpbin at `NETWORKERKIT_HTTPBIN_URL`.
@Suite("HTTPBin")
struct HTTPBinTests {
    private let interactor = HTTPBinInteractor()

    /// A suite that cannot run fails; skipping would look like a success.
    init() throws {
        let variable = Channel.httpBinVariable
        let url = ProcessInfo.processInfo.environment[variable] ?? ""
        try #require(!url.isEmpty, "expected the base URL of a running httpbin in \(variable), such as http://127.0.0.1:8080")
    }

    @Test("returns the client's address")
    func ip() async throws { #expect(try await !interactor.ip().isEmpty) }

    @Test("decodes a query")
    func get() async throws {
        let answer = try await interactor.get(["q": "kırmızı çanta & şapka", "size": [36, 38], "none": String?.none])
        #expect(answer.args["q"]?.first == "kırmızı çanta & şapka")
        #expect(answer.args["size"]?.all == ["36", "38"])
        #expect(answer.args.count == 2)
    }

    @Test("decodes a JSON body")
    func post() async throws {
        let note = Note(text: "İğne \"oyası\"\n", count: 3)
        let answer = try await interactor.post(note)
        #expect(answer.json == note && answer.headers["Content-Type"] == "application/json")
    }

    private struct Note: Codable, Hashable {
        let text: String
        let count: Int
    }

    @Test("the pizza form is a page, and the server decodes its order field by field")
    func pizza() async throws {
        let page = String(decoding: try await interactor.pizzaForm(), as: UTF8.self)
        #expect(page.contains("custname") && page.contains("/post"))
        let pizza = HTTPBinPizza(
            customer: "Ayşe Öz", size: .large, toppings: [.cheese, .onion], telephone: "+90 216", comments: "soğansız & ılık")
        let receipt = try await interactor.orderPizza(pizza)
        let form = [
            "custname": ["Ayşe Öz"], "custtel": ["+90 216"], "size": ["large"], "topping": ["cheese", "onion"],
            "comments": ["soğansız & ılık"],
        ]
        for (name, values) in form { #expect(receipt.form[name]?.all == values) }
        #expect(receipt.form["custemail"] == nil && receipt.url.hasSuffix("/post"))
    }

    @Test("a status is an error unless it is 2xx", arguments: [404, 418, 500, 503])
    func status(code: Int) async throws {
        try await interactor.status(204)
        let error = await failure { try await interactor.status(code) }
        #expect(error?.label == "verification.unacceptableStatus.\(code)")
        #expect(error?.context.head?.status.code == code && error?.context.endpoint == "status")
    }

    @Test("waits for a delayed answer")
    func delay() async throws {
        let start = ContinuousClock.now
        _ = try await interactor.delay(seconds: 1)
        #expect(start.duration(to: .now) >= .seconds(1))
    }

    @Test("sends the headers of an endpoint")
    func headers() async throws {
        let seen = try await interactor.headers(["X-Networker": "kit"])
        #expect(seen["X-Networker"] == "kit" && seen["Accept"] == "application/json")
    }

    @Test("decodes a compressed body")
    func gzip() async throws {
        let answer = try await interactor.gzip()
        #expect(answer.gzipped && answer.method == "GET")
    }

    @Test("decodes a stream line by line")
    func stream() async throws { #expect(try await interactor.stream(lines: 7).map(\.id) == Array(0..<7)) }

    @Test("signs in with name and password")
    func basicAuth() async throws {
        let answer = try await interactor.basicAuth(user: "ayse", password: "1234")
        #expect(answer.authenticated && answer.user == "ayse")
    }
}
