import TestSupport

@Suite("InputEncoding: parameters are encoded")
struct InputEncodingTests {
    private func sent(_ params: Parameters, _ encoding: InputEncoding, post: Bool = false) async throws -> Request {
        let transport = RecordingTransport()
        let manager = Channel.test(transport).manager
        try await manager.request(endpoint: TestEndpoint("s", post ? .post : .get, params: params, encoding: encoding))
        return try #require(transport.requests.first)
    }

    private func query(_ params: Parameters, _ style: Parameters.QueryStyle = .standard) async throws -> String? {
        try await sent(params, .query(style)).url.query
    }

    @Test("in the query, reserved characters and Unicode escaped (RFC 3986 §2)")
    func escaping() async throws {
        #expect(try await query(["q": "a b+c&d=e#f/g", "ş": "çığ"]) == "q=a%20b%2Bc%26d%3De%23f%2Fg&%C5%9F=%C3%A7%C4%B1%C4%9F")
    }

    @Test("in the order in which they are written, nil left out")
    func orderAndNil() async throws {
        let none: Int? = nil
        #expect(try await query(["z": 1, "a": none, "m": true, "b": 2.5]) == "z=1&m=true&b=2.5")
    }

    @Test("arrays in four styles")
    func arrays() async throws {
        let params: Parameters = ["id": [1, 2]]
        #expect(try await query(params) == "id=1&id=2")
        #expect(try await query(params, Parameters.QueryStyle(arrays: .brackets)) == "id%5B%5D=1&id%5B%5D=2")
        #expect(try await query(params, Parameters.QueryStyle(arrays: .indexed)) == "id%5B0%5D=1&id%5B1%5D=2")
        #expect(try await query(params, Parameters.QueryStyle(arrays: .commaSeparated)) == "id=1%2C2")
        #expect(try await query(["id": [1, nil, 3] as [Int?]]) == "id=1&id=3")
        #expect(try await query(["id": [] as [Int]]) == nil)
    }

    @Test("nested values with their names in brackets")
    func nesting() async throws {
        struct Filter: Encodable { var price = ["min": 5]; var tags = [["a", "b"]]; var none: String? }
        #expect(
            try await query(["f": Parameters(Filter())]) == "f%5Bprice%5D%5Bmin%5D=5&f%5Btags%5D%5B0%5D=a&f%5Btags%5D%5B0%5D=b")
    }

    @Test("booleans, dates, data, URLs and decimals")
    func scalars() async throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(try await query(["d": date]) == "d=2023-11-14T22%3A13%3A20Z")
        #expect(try await query(["d": date], Parameters.QueryStyle(dates: .secondsSince1970)) == "d=1700000000")
        #expect(try await query(["d": date], Parameters.QueryStyle(dates: .millisecondsSince1970)) == "d=1700000000000")
        #expect(try await query(["b": true, "c": false], Parameters.QueryStyle(booleans: .digits)) == "b=1&c=0")
        #expect(try await query(["x": Data([255, 254])]) == "x=%2F%2F4%3D")
        #expect(try await query(["u": URL(string: "https://a.example/?x=1")]) == "u=https%3A%2F%2Fa.example%2F%3Fx%3D1")
        #expect(try await query(["p": Decimal(string: "19.90")]) == "p=19.9")
        #expect(try await query(["big": UInt64.max]) == "big=18446744073709551615")
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

    @Test("a duplicate name in a literal keeps its later value")
    func duplicates() async throws { #expect(try await query(["a": 1, "b": 2, "a": 3]) == "a=3&b=2") }

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
