import TestSupport

@Suite("InputEncoding: the same parameters make the same request", .closing)
struct FieldNamesTests {
    struct Filter: Encodable, Sendable {
        var zoom = 1
        var tags = ["b": 1, "a": 2, "c": 3]
        var area = 2
    }

    /// Query and form as a server receives them, not decoded further.
    private func sent(_ params: Parameters, _ style: Parameters.QueryStyle = .standard) async throws -> (
        query: String, form: String
    ) {
        let server = try LoopbackServer.test { _ in .ok() }
        let manager = server.manager
        try await manager.request(endpoint: TestEndpoint("q", params: params, encoding: .query(style)))
        try await manager.request(endpoint: TestEndpoint("f", .post, params: params, encoding: .form(style)))
        let target = try #require(server.requests.first?.target)
        return (String(target.drop { $0 != "?" }.dropFirst()), try #require(server.requests.last?.bodyText))
    }

    private static let composed = "%C3%A9"
    private static let decomposed = "e%CC%81"

    @Test(
        "canonically equivalent names are two names, and keys without an order are sorted, in query and form",
        arguments: [
            (["e\u{301}": 1, "\u{E9}": 2] as Parameters, "\(decomposed)=1&\(composed)=2"),
            (["\u{E9}": 1, "e\u{301}": 2, "\u{E9}": 3] as Parameters, "\(composed)=3&\(decomposed)=2"),
            (["a": ["e\u{301}": 1, "\u{E9}": 2] as Parameters] as Parameters, "a%5B\(decomposed)%5D=1&a%5B\(composed)%5D=2"),
            (["k": 1, "\u{212A}": 2, "K": 3] as Parameters, "k=1&%E2%84%AA=2&K=3"),
            (["\u{AC00}": 1, "\u{1100}\u{1161}": 2] as Parameters, "%EA%B0%80=1&%E1%84%80%E1%85%A1=2"),
            (Parameters(Twins()), "\(decomposed)=1&\(composed)=2"),
            // A dictionary at any level has its keys sorted by bytes; structs and literals keep their order.
            (Parameters(["b": 1, "a": 2, "C": 3, "\u{E9}": 4, "z": 5]), "C=3&a=2&b=1&z=5&%C3%A9=4"),
            (Parameters(["b": "x", "a": nil, "c": "y"] as [String: String?]), "b=x&c=y"),
            (["z": ["b": 1, "a": 2, "c": 3] as [String: Int], "y": 1] as Parameters, "z%5Ba%5D=2&z%5Bb%5D=1&z%5Bc%5D=3&y=1"),
            (Parameters(Filter()), "zoom=1&tags%5Ba%5D=2&tags%5Bb%5D=1&tags%5Bc%5D=3&area=2"),
            (
                ["l": [["b": 1, "a": 2], ["d": 1, "c": 2]]] as Parameters,
                "l%5B0%5D%5Ba%5D=2&l%5B0%5D%5Bb%5D=1&l%5B1%5D%5Bc%5D=2&l%5B1%5D%5Bd%5D=1"
            ),
            (Parameters(["b": ["d": 1, "c": 2], "a": ["f": 3, "e": 4]]), "a%5Be%5D=4&a%5Bf%5D=3&b%5Bc%5D=2&b%5Bd%5D=1"),
            (Parameters([10: "x", 9: "y", 2: "z"]), "10=x&2=z&9=y"),
            (Parameters(["b": 1, "a": 2] as [String: Int]?), "a=2&b=1"),
            (["o": ["b": 1, "a": 2] as [String: Int]?] as Parameters, "o%5Ba%5D=2&o%5Bb%5D=1"),
            (Parameters(Wrapped(values: ["b": 1, "a": 2])), "a=2&b=1"), (Parameters(Direct()), "a=4&b=3&c=2&d=1"),
            (Parameters(JSONValue.object(["b": 1, "a": ["d": 1, "c": 2]])), "a%5Bc%5D=2&a%5Bd%5D=1&b=1"),
        ])
    func names(params: Parameters, expected: String) async throws {
        let sent = try await sent(params)
        #expect(sent.query == expected && sent.form == expected)
    }

    @Test("query items of modifiers with canonically equivalent names are two, also beside parameters of such names")
    func modifiers() async throws {
        let transport = RecordingTransport()
        let modifiers = [QueryItem("e\u{301}", "1"), QueryItem("\u{E9}", "2")]
        let endpoint = TestEndpoint("q", params: ["\u{E9}": 3, "e\u{301}": 4], modifiers: modifiers)
        try await Channel.test(transport).manager.request(endpoint: endpoint)
        let query = try #require(transport.requests.first?.url.query)
        let names = query.split(separator: "&").sorted()
        #expect(names == ["\(Self.composed)=2", "\(Self.composed)=3", "\(Self.decomposed)=1", "\(Self.decomposed)=4"])
    }

    struct Twins: Encodable, Sendable {
        enum CodingKeys: String, CodingKey {
            case first = "e\u{301}"
            case second = "\u{E9}"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(1, forKey: .first)
            try container.encode(2, forKey: .second)
        }
    }

    /// Encodes its dictionary through a single-value container, as custom wrappers do.
    struct Wrapped: Encodable, Sendable {
        let values: [String: Int]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(values)
        }
    }

    struct Direct: Encodable, Sendable {
        let values = ["d": 1, "c": 2, "b": 3, "a": 4]
        func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
    }

    struct Pair: Encodable, Hashable, Sendable { var a: Int; var b: String }
    enum Shade: String, Encodable, CaseIterable, Sendable { case blue, amber, dark, cyan }

    @Test("values without an order are sorted by their texts: sets, and dictionaries with keys that are not names")
    func sets() async throws {
        let pairs = Set((1...4).map { Pair(a: $0, b: "x") })
        #expect(
            try await sent(["p": pairs]).query.removingPercentEncoding
                == (0...3).map { "p[\($0)][a]=\($0 + 1)&p[\($0)][b]=x" }.joined(separator: "&"))
        let shades = Dictionary(uniqueKeysWithValues: Shade.allCases.enumerated().map { ($1, $0) })
        #expect(
            try await sent(["s": shades], Parameters.QueryStyle(arrays: .commaSeparated)).query
                == "s=amber%2C1%2Cblue%2C0%2Ccyan%2C3%2Cdark%2C2")
        #expect(try await sent(["a": Set(["d", "b", "c", "a"]), "z": 1]).query == "a=a&a=b&a=c&a=d&z=1")
        #expect(try await sent(["a": Set([5, 3, 4])], Parameters.QueryStyle(arrays: .commaSeparated)).query == "a=3%2C4%2C5")
    }

    @Test(
        "arrays are numbered after nil is left out",
        arguments: [
            (Parameters.QueryStyle.Arrays.indexed, [1, nil, 3] as [Int?], "a[0]=1&a[1]=3"), (.indexed, [nil, nil, 3], "a[0]=3"),
            (.indexed, [nil], ""), (.brackets, [1, nil, 3], "a[]=1&a[]=3"), (.repeated, [nil, 1, 3], "a=1&a=3"),
            (.commaSeparated, [1, nil, 3], "a=1,3"), (.commaSeparated, [nil], ""),
        ])
    func numbered(arrays: Parameters.QueryStyle.Arrays, items: [Int?], expected: String) async throws {
        let sent = try await sent(["a": items, "z": 1], Parameters.QueryStyle(arrays: arrays))
        let wanted = expected.isEmpty ? "z=1" : expected + "&z=1"
        #expect(sent.query.removingPercentEncoding == wanted && sent.form.removingPercentEncoding == wanted)
    }

    @Test(
        "nested arrays and arrays of objects are numbered after nil is left out",
        arguments: [Parameters.QueryStyle.Arrays.indexed, .repeated, .brackets])
    func nested(arrays: Parameters.QueryStyle.Arrays) async throws {
        let style = Parameters.QueryStyle(arrays: arrays)
        let objects: [[String: Int?]?] = [["b": 1], nil, ["b": 2, "a": nil]]
        #expect(try await sent(["a": objects], style).query.removingPercentEncoding == "a[0][b]=1&a[1][b]=2")
        let inner =
            switch arrays {
            case .indexed: ["[0]", "[1]"]
            case .brackets: ["[]", "[]"]
            default: ["", ""]
            }
        let lists: [[Int?]?] = [nil, [1, nil, 2], nil, [3]]
        let expected = "a[0]\(inner[0])=1&a[0]\(inner[1])=2&a[1]\(inner[0])=3"
        #expect(try await sent(["a": lists], style).query.removingPercentEncoding == expected)
    }
}
