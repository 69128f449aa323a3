import TestSupport

@Suite("A channel's query style")
struct QueryStyleTests {
    private struct Filter: Encodable {
        struct Range: Encodable { var from = 1; var to: Int? }
        var ids = [3, 4]
        var isOpen = true
        var since = Date(timeIntervalSinceReferenceDate: 700_000_000.5)
        var ranges = [Range(), Range(to: 2)]
        var grid = [[1], [2]]
        var none: String?
    }

    private func sent(_ style: Parameters.QueryStyle?, _ method: HTTPRequest.Method, encoding: InputEncoding) async throws
        -> String
    {
        let transport = RecordingTransport()
        var channel = Channel.test(transport)
        if let style { channel.query = style }
        try await channel.manager.request(endpoint: TestEndpoint("s", method, params: Parameters(Filter()), encoding: encoding))
        let request = try #require(transport.requests.first)
        return (request.bodyText ?? request.url.query ?? "").removingPercentEncoding ?? ""
    }

    @Test(
        "applies to queries and forms without their own style, as in Alamofire",
        arguments: [(HTTPRequest.Method.get, InputEncoding.query), (.delete, .query), (.post, .form), (.put, .form)])
    func alamofire(method: HTTPRequest.Method, encoding: InputEncoding) async throws {
        let text = try await sent(.alamofire, method, encoding: encoding)
        #expect(
            text
                == "ids[]=3&ids[]=4&isOpen=1&since=700000000.5&ranges[][from]=1&ranges[][from]=1&ranges[][to]=2"
                + "&grid[][]=1&grid[][]=2"
        )
    }

    @Test("is overridden by an endpoint's own, and is the standard one by default")
    func own() async throws {
        let standard =
            "ids=3&ids=4&isOpen=true&since=2023-03-08T20:26:40Z&ranges[0][from]=1&ranges[1][from]=1&ranges[1][to]=2"
            + "&grid[0]=1&grid[1]=2"
        #expect(try await sent(nil, .get, encoding: .query) == standard)
        #expect(try await sent(.alamofire, .get, encoding: .query(.standard)) == standard)
        #expect(try await sent(.alamofire, .post, encoding: .form(.standard)) == standard)
    }
}
