import HTTPBinInteractors
import HTTPBinNetworker
import TestSupport

/// Runs against a real httpbin at `NETWORKERKIT_HTTPBIN_URL`.
@Suite("HTTPBin")
struct HTTPBinTests {
    private let interactor = HTTPBinInteractor()

    init() throws {
        guard let url = ProcessInfo.processInfo.environment[Channel.httpBinVariable], !url.isEmpty else { throw NoServer() }
    }

    /// A suite that cannot run fails; skipping would look like a success.
    private struct NoServer: Error, CustomStringConvertible {
        let description =
            "expected the base URL of a running httpbin in \(Channel.httpBinVariable), such as http://127.0.0.1:8080"
    }

    @Test("returns the client's address")
    func ip() async throws {
        #expect(try await !interactor.ip().isEmpty)
    }

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
        #expect(answer.json == note)
        #expect(answer.headers["Content-Type"] == "application/json")
    }

    private struct Note: Codable, Hashable {
        let text: String
        let count: Int
    }

    @Test("the pizza form is a page, and the server decodes its order field by field")
    func pizza() async throws {
        let page = String(decoding: try await interactor.pizzaForm(), as: UTF8.self)
        #expect(page.contains("custname") && page.contains("/post"))
        let receipt = try await interactor.orderPizza(
            HTTPBinPizza(
                customer: "Ayşe Öz", size: .large, toppings: [.cheese, .onion], telephone: "+90 216", comments: "soğansız & ılık")
        )
        #expect(receipt.form["custname"]?.all == ["Ayşe Öz"])
        #expect(receipt.form["custtel"]?.all == ["+90 216"])
        #expect(receipt.form["size"]?.all == ["large"])
        #expect(receipt.form["topping"]?.all == ["cheese", "onion"])
        #expect(receipt.form["comments"]?.all == ["soğansız & ılık"])
        #expect(receipt.form["custemail"] == nil)
        #expect(receipt.url.hasSuffix("/post"))
    }

    @Test("a status is an error unless it is 2xx", arguments: [404, 418, 500, 503])
    func status(code: Int) async throws {
        try await interactor.status(204)
        let error = await #expect(throws: APIClientError.self) { try await interactor.status(code) }
        guard case .verification(.unacceptableStatus(let found, _), let context)? = error else {
            Issue.record("expected a verification error, got \(String(describing: error))")
            return
        }
        #expect(found == code && context.head?.status.code == code && context.endpoint == "status")
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
        #expect(seen["X-Networker"] == "kit")
        #expect(seen["Accept"] == "application/json")
    }

    @Test("decodes a compressed body")
    func gzip() async throws {
        let answer = try await interactor.gzip()
        #expect(answer.gzipped && answer.method == "GET")
    }

    @Test("decodes a stream line by line")
    func stream() async throws {
        #expect(try await interactor.stream(lines: 7).map(\.id) == Array(0..<7))
    }

    @Test("signs in with name and password")
    func basicAuth() async throws {
        let answer = try await interactor.basicAuth(user: "ayse", password: "1234")
        #expect(answer.authenticated && answer.user == "ayse")
    }
}
