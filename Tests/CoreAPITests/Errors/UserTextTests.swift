import TestSupport

@Suite("An error has a sentence for the user and a text for the developer")
struct UserTextTests {
    private static func context(_ status: Int? = nil) -> APIClientError.Context {
        let request = Request(
            call: Call(channel: .test("https://h.example", name: "SHOP"), endpoint: "orderList", id: "f00dcafe1234"),
            method: .get,
            url: try! HTTPURL("https://h.example/orders?token=s3cret"))
        return APIClientError.Context(request, head: status.map { ResponseHead(status: .init(code: $0)) })
    }

    private struct Silent: Error { var code: Int }
    private struct Speaking: LocalizedError { var errorDescription: String? { "Stok tükendi." } }
    private struct Described: Error, CustomStringConvertible { var description: String { "The basket is full." } }

    static let errors: [APIClientError] =
        [
            .channel(problems: ["the channel has no name"], context()),
            .request(.malformedURL("https://u:s3cret@h", reason: "r"), context()),
            .request(.insecureConnection(host: "h.example"), context()), .enhancing(Silent(code: 1), context()),
            .deenhancing(Silent(code: 1), context()), .adapting(Silent(code: 1), context()), .cancelled(context()),
            .unknown(Silent(code: 1), context()), .app(Silent(code: 1), context()), .app(Silent(code: 1), context(404)),
            .app(Silent(code: 1), context(503)), .app(Speaking(), context(409)), .app(Described(), context(409)),
            .app(ErrorFilter.LocalizedMessage("Bulunamadı."), context(404)),
            .verification(.emptyBody(status: 200, expected: "Item"), context(200)),
            .verification(.unacceptableContentType("text/html", expected: ["application/json"]), context(200)),
            .verification(.custom(Silent(code: 1)), context(200)),
        ]
        + [302, 400, 401, 403, 404, 408, 409, 410, 422, 429, 500, 502, 503, 504].map {
            .verification(.unacceptableStatus($0, expected: "200…299"), context($0))
        }
        + ([
            .cannotResolveHost("h.example"), .cannotConnect(host: "h.example", reason: "rejected"),
            .tls(host: "h.example", reason: "r"), .pinMismatch(host: "h.example", reason: "r"),
            .timedOut(.connect, after: .seconds(1)), .timedOut(.idle, after: .seconds(1)),
            .timedOut(.total, after: .seconds(1)), .connectionLost(reason: "r", mayHaveBeenProcessed: true),
            .truncated(received: 1, expected: 2), .responseTooLarge(limit: 1), .headTooLarge(limit: 1),
            .tooManyHeadLines(limit: 1), .addressRejected(host: "h.example"), .malformedResponse(reason: "r"),
            .tooManyRedirects(limit: 1), .redirectRejected(to: "ftp://h.example", reason: "r"), .queueFull(limit: 1),
            .unsupported(capability: "c"), .bodyUnreadable(Silent(code: 1)), .closed, .other(code: 1, message: "m"),
        ] as [TransportError]).map { .transport($0, context()) }

    @Test("What a user reads is one sentence without ids, channels, hosts, addresses and secrets", arguments: errors)
    func sentence(error: APIClientError) {
        let text = error.localizedDescription
        #expect(text == error.errorDescription)
        #expect(text.hasSuffix(".") && text.first?.isUppercase == true && text.utf8.count <= 120, "\(text)")
        for part in ["[", "SHOP", "f00dcafe1234", "orderList", "h.example", "://", "attempt", "s3cret", "Silent", "\n"] {
            #expect(!text.contains(part), "\(text)")
        }
        #expect(text.matches(of: /[.!?](?: |$)/).count == 1, "\(text)")
    }

    @Test("What a developer reads has the channel, the endpoint, the address and the call", arguments: errors)
    func developer(error: APIClientError) {
        for text in [error.description, "\(error)", String(reflecting: error), "\([error])"] {
            for part in ["[channel SHOP, endpoint orderList, GET https://h.example/orders?token=<redacted>", "call f00dcafe1234"]
            { #expect(text.contains(part), "\(text)") }
            #expect(!text.contains("s3cret"), "\(text)")
        }
    }

    @Test("A user reads the meaning of a status, the cause of a lost connection, and the app's own text")
    func words() {
        for (error, text) in [
            (
                APIClientError.verification(.unacceptableStatus(503, expected: "200…299"), Self.context(503)),
                "The server answered with an error; please try again later (503)."
            ),
            (.transport(.cannotResolveHost("h"), Self.context()), "The server could not be reached."),
            (.cancelled(Self.context()), "The request was cancelled."), (.app(Speaking(), Self.context(409)), "Stok tükendi."),
            // A description is for developers.
            (.app(Described(), Self.context(404)), "The server could not find this (404)."),
            (.app(Silent(code: 1), Self.context(404)), "The server could not find this (404)."),
        ] { #expect(error.localizedDescription == text) }
    }

    @Test("An error within an error has its developer's text")
    func nested() {
        let inner = APIClientError.transport(.cannotResolveHost("auth.example"), Self.context())
        #expect("\(APIClientError.adapting(inner, Self.context()))".contains("the host 'auth.example' is not known to DNS"))
    }

    private struct Labelled: APIClientError.Labelled { var label: String }

    @Test(
        "The label of an app's error is its own, else that of the original error, else the status",
        arguments: [
            (APIClientError.app(Labelled(label: "OUT_OF_STOCK"), context(409)), "app.OUT_OF_STOCK"),
            (.app(Labelled(label: "a b\n\"ş/:€"), context(409)), "app.a_b______"),
            (.app(Labelled(label: ""), context()), "app.unnamed"),
            (.app(Labelled(label: String(repeating: "x", count: 99)), context()), "app." + String(repeating: "x", count: 64)),
            (.app(Silent(code: 1), context(404)), "app.404"), (.app(Silent(code: 1), context(503)), "app.503"),
            (.app(Silent(code: 1), context()), "app"),
        ])
    func label(error: APIClientError, label: String) { #expect(error.label == label) }

    @Test("A filter's translation keeps the label of what it translated, unless it has its own")
    func translated() async {
        func label(_ error: any Error) async -> String? {
            await Channel.test(RecordingTransport(status: 503)) { $0.errorFilter = ErrorFilter.none.translating { _ in error } }
                .error()?.label
        }
        #expect(await label(Silent(code: 1)) == "app.verification.unacceptableStatus.503")
        #expect(await label(Labelled(label: "busy")) == "app.busy")
    }
}
