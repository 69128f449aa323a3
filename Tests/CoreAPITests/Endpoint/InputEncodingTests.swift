import TestSupport

@Suite("InputEncoding: parameters are encoded")
struct InputEncodingTests {
    private func sent(_ params: Parameters, _ encoding: InputEncoding, post: Bool = false) async throws -> Request {
        let transport = RecordingTransport()
        let manager = Channel.test(transport).manager
        try await manager.request(endpoint: TestEndpoint("s", post ? .post : .get, params: params, encoding: encoding))
        return try #require(transport.requests.first)
    }

    private struct Filter: Encodable { var price = ["min": 5]; var tags = [["a", "b"]]; var none: String? }
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(
        "in the query, in the order in which they are written",
        arguments: [
            // Reserved characters and Unicode are escaped (RFC 3986 §2).
            (["q": "a b+c&d=e#f/g", "ş": "çığ"], .standard, "q=a%20b%2Bc%26d%3De%23f%2Fg&%C5%9F=%C3%A7%C4%B1%C4%9F"),
            // nil is left out, and of a duplicate name in a literal the later value counts.
            (["z": 1, "a": Int?.none, "m": true, "b": 2.5], .standard, "z=1&m=true&b=2.5"),
            (["a": 1, "b": 2, "a": 3], .standard, "a=3&b=2"),
            (["id": [1, 2]], .standard, "id=1&id=2"),
            (["id": [1, 2]], .init(arrays: .brackets), "id%5B%5D=1&id%5B%5D=2"),
            (["id": [1, 2]], .init(arrays: .indexed), "id%5B0%5D=1&id%5B1%5D=2"),
            (["id": [1, 2]], .init(arrays: .commaSeparated), "id=1%2C2"),
            (["id": [1, nil, 3] as [Int?]], .standard, "id=1&id=3"),
            (["id": [] as [Int]], .standard, nil),
            // Names of nested values are in brackets.
            (["f": Parameters(Filter())], .standard, "f%5Bprice%5D%5Bmin%5D=5&f%5Btags%5D%5B0%5D=a&f%5Btags%5D%5B0%5D=b"),
            (["d": date], .standard, "d=2023-11-14T22%3A13%3A20Z"),
            (["d": date], .init(dates: .secondsSince1970), "d=1700000000"),
            (["d": date], .init(dates: .millisecondsSince1970), "d=1700000000000"),
            (["b": true, "c": false], .init(booleans: .digits), "b=1&c=0"),
            (["x": Data([255, 254])], .standard, "x=%2F%2F4%3D"),
            (["u": URL(string: "https://a.example/?x=1")], .standard, "u=https%3A%2F%2Fa.example%2F%3Fx%3D1"),
            (["p": Decimal(string: "19.90")], .standard, "p=19.9"),
            (["big": UInt64.max], .standard, "big=18446744073709551615"),
        ] as [(Parameters, Parameters.QueryStyle, String?)])
    func query(params: Parameters, style: Parameters.QueryStyle, expected: String?) async throws {
        #expect(try await sent(params, .query(style)).url.query == expected)
    }

    @Test("as a form, spaces as plus signs")
    func form() async throws {
        let request = try await sent(["custname": "Ayşe K", "q": "a+b&c"], .form, post: true)
        #expect(request.bodyText == "custname=Ay%C5%9Fe+K&q=a%2Bb%26c")
        #expect(request.headers[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test("as a JSON body, keys sorted")
    func json() async throws {
        let request = try await sent(["b": [1, 2], "a": Parameters(["x": "/ç"])], .body, post: true)
        #expect(request.bodyText == #"{"a":{"x":"/ç"},"b":[1,2]}"#)
        #expect(request.headers[.contentType] == "application/json")
        #expect(try await sent([3, nil, 5], .json, post: true).bodyText == "[3,null,5]")
    }

    @Test("thousands of values in a time that grows with their number")
    func many() async throws {
        let start = ContinuousClock.now
        _ = try await sent(["id": Array(0..<50_000)], .form, post: true)
        _ = try await sent(Parameters(Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("k\($0)", $0) })), .form, post: true)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test(
        "and a value that cannot be encoded is a typed error, not a trap",
        arguments: [
            (["x": Double.nan] as Parameters, "finite"),
            (["x": Date(timeIntervalSince1970: .infinity)] as Parameters, "finite"),
            (Parameters(42), "names and values"),
            ([1, 2] as Parameters, "names and values"),
            (Parameters(Rejecting()), "rejected"),
        ])
    func failures(params: Parameters, reason: String) async throws {
        let manager = Channel.test(RecordingTransport()).manager
        let error = await #expect(throws: APIClientError.self) {
            try await manager.request(endpoint: TestEndpoint("s", params: params))
        }
        #expect(error?.label == "request.encodingFailed" && error?.description.contains(reason) == true)
    }

    struct Rejecting: Encodable, Sendable {
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "rejected"))
        }
    }

    @Test("a custom encoding writes the request itself, and its error has the encoding's name")
    func own() async throws {
        struct Rejected: Error {}
        let lines = InputEncoding("lines") { parameters, request in
            guard let text = parameters.value as? [String] else { throw Rejected() }
            request.body = .bytes(Data(text.joined(separator: "\n").utf8))
            try request.setHeader("Content-Type", "text/plain")
        }
        let transport = RecordingTransport()
        let manager = Channel.test(transport).manager
        try await manager.request(endpoint: TestEndpoint("a", .post, params: Parameters(["x", "y"]), encoding: lines))
        #expect(transport.requests.first?.bodyText == "x\ny")
        #expect(transport.requests.first?.headers[.contentType] == "text/plain")
        let error = await manager.response(for: TestEndpoint("a", .post, params: ["a": 1], encoding: lines), as: .nothing)
            .error
        #expect(error?.label == "request.encodingFailed" && error?.description.contains("lines") == true)
    }
}
