import CoreAPIJSON
import TestSupport

@Suite("Strategies, as JSONDecoder has them")
struct StrategyTests {
    private struct Stamp: Decodable, Equatable {
        var a: Date?
        var b: [Date]?
        var c: Nested?
        struct Nested: Decodable, Equatable { let date: Date }
    }

    private static let dateTexts = [
        "2024-02-29T23:59:59Z", "2023-02-29T00:00:00Z", "2024-02-29T23:59:60Z", "2024-02-29T24:00:00Z", "2024-12-31T23:59:59Z",
        "1970-01-01T00:00:00Z", "2001-01-01T00:00:00Z", "1600-01-01T00:00:00Z", "1600-02-29T12:00:00Z", "1599-12-31T23:59:59Z",
        "1582-10-10T00:00:00Z", "0001-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1900-02-29T00:00:00Z",
        "2000-02-29T00:00:00Z", "2100-02-28T00:00:00Z", "2024-00-10T00:00:00Z", "2024-13-10T00:00:00Z", "2024-01-00T00:00:00Z",
        "2024-01-32T00:00:00Z", "2024-04-31T00:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:61Z", "2024-01-01T00:00:00",
        "2024-01-01T00:00:00z", "2024-01-01t00:00:00Z", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00+00:00",
        "2024-01-01T00:00:00+01:00", "2024-01-01T00:00:00-05:30", "2024-01-01T00:00:00+0100", "2024-01-01T00:00:00+01",
        "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00+14:59", "2024-01-01T00:00:00+01:60",
        "2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00.000Z", "2024-01-01", "20240101T000000Z", "2024-1-1T00:00:00Z",
        "2024-01-01T0:00:00Z", "", "Z", "a", " 2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z ", "+2024-01-01T00:00:00Z",
        "2024-01-01T00:00:00ZZ", "２０24-01-01T00:00:00Z", "2024-06-30T23:59:60Z", "2024-W01-1T00:00:00Z", "2024-001T00:00:00Z",
        #"2024-01-01T00:00:00\u005a"#, "2024-01-01T00:00:00+1:00", "2024-01-01T00:00:00 +01:00", "2024-01-01T00:00:00+01:0a",
        "2024-01-01T00:00:00+99:99", "2024-01-01T00:00:00-14:00",
    ]

    @Test("dates in ISO 8601", arguments: dateTexts)
    func iso8601(text: String) {
        let decoders = Decoders(.iso8601)
        for document in ["{\"a\":\"\(text)\"}", "{\"b\":[\"\(text)\"]}", "{\"c\":{\"date\":\"\(text)\"}}"] {
            let (ours, foundation) = decoders.both(Stamp.self, document)
            #expect(ours == foundation)
        }
        decoders.same(Date.self, "\"\(text)\"")
    }

    @Test("every day of 450 years, and every second of a few hours, in ISO 8601")
    func calendar() throws {
        var decoder = JSONBodyDecoder()
        decoder.dateDecodingStrategy = .iso8601
        for day in stride(from: -12_000, to: 150_000, by: 7) {
            let date = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400 + Double((day * 7_919) % 86_400).magnitude)
            #expect(try decoder.decode(Date.self, from: Data("\"\(date.formatted(.iso8601))\"".utf8)) == date)
        }
    }

    @Test(
        "dates as numbers, in the default form and by a closure",
        arguments: [
            "{\"a\":0}", "{\"a\":1700000000}", "{\"a\":1.5}", "{\"a\":-1}", "{\"a\":\"2024\"}", "{\"a\":null}", "{\"b\":[1,2]}",
            "{\"b\":[null]}",
            "{\"b\":[true]}", "{\"c\":{\"date\":5}}", "{\"c\":{\"date\":null}}", "{\"c\":{}}", "{\"a\":1e400}",
        ])
    func numbers(document: String) {
        let closure = JSONDecoder.DateDecodingStrategy.custom { decoder in
            let number = try decoder.singleValueContainer().decode(Int.self)
            guard number >= 0 else {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "expected no past"))
            }
            return Date(timeIntervalSince1970: Double(number * 60))
        }
        for strategy in [JSONDecoder.DateDecodingStrategy.deferredToDate, .secondsSince1970, .millisecondsSince1970, closure] {
            Decoders(strategy).same(Stamp.self, document)
        }
    }

    private struct Bytes: Decodable, Equatable {
        var a: Data?
        var b: [Data]?
    }

    @Test(
        "bytes",
        arguments: [
            #""aGk=""#, #""aGk""#, #""""#, #""a Gk=""#, #""aGk=\n""#, #""aG\u006b=""#, #""aG-_""#, #""====""#, "null", "5",
            "[104,105]", "[256]",
            "[null]", "{}", "true", #""é""#, #""aGVsbG8gd29ybGQsIGhlbGxvIHdvcmxk""#,
        ])
    func bytes(value: String) {
        let closure = JSONDecoder.DataDecodingStrategy.custom { Data(try $0.singleValueContainer().decode(String.self).utf8) }
        for strategy in [JSONDecoder.DataDecodingStrategy.base64, .deferredToData, closure] {
            for document in ["{\"a\":\(value)}", "{\"b\":[\(value)]}"] {
                let (ours, foundation) = Decoders(strategy).both(Bytes.self, document)
                #expect(ours == foundation)
            }
            Decoders(strategy).same(Data.self, value)
        }
    }

    @Test(
        "NaN and infinities",
        arguments: [
            #""inf""#, #""-inf""#, #""nan""#, #""Inf""#, #""in\u0066""#, #""""#, #""1""#, "null", "1.5", #""é""#, #""∞""#,
        ])
    func nonConforming(value: String) {
        let named = JSONDecoder.NonConformingFloatDecodingStrategy.convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let odd = JSONDecoder.NonConformingFloatDecodingStrategy.convertFromString(
            positiveInfinity: "∞", negativeInfinity: "", nan: "é")
        for strategy in [.throw, named, odd] {
            let decoders = Decoders(strategy)
            decoders.same([Bits].self, "[\(value)]")
            decoders.same(FloatBits.self, value)
        }
    }

    @Test(
        "keys in snake case",
        arguments: [
            "user_id", "userId", "user__id", "_user_id", "__user_id__", "user_id_", "USER_ID", "user_ID", "User_Id", "user_i_d",
            "_", "__", "", "a", "_a", "a_", "user id", "user_é", "é_a", "user_1", "1_user", "user_id_2x", "ß_ß", "uSER_iD",
            "a_b_c_d_e_f", "user.id_x", "ŉ_ŉ", "user-id_ab-cd", "x_o'neil", "x_ab.cd", "x_ab cd",
        ])
    func snakeCase(name: String) {
        struct Names: Decodable, Equatable {
            let names: [String]
            init(from decoder: any Decoder) throws {
                names = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
            }
        }
        let decoders = Decoders(JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase)
        decoders.same(Names.self, "{\"\(name)\":1}")
        decoders.same([String: [Flat]].self, "{\"\(name)\":[{\"is_active\":true,\"id\":1,\"name\":2}]}")
    }

    @Test("keys converted by a closure, which gets the path")
    func customKeys() {
        struct Outer: Decodable, Equatable { let aOuter: [Inner] }
        struct Inner: Decodable, Equatable { let bOuterIndex: Int }
        let decoders = Decoders(
            JSONDecoder.KeyDecodingStrategy.custom { path in
                AnyKey(stringValue: path.last.map { "\($0.stringValue)\(path.count > 1 ? "OuterIndex" : "Outer")" } ?? "")
            })
        for document in ["{\"a\":[{\"b\":1}]}", "{\"a\":[{\"b\":\"\"}]}", "{\"a\":[{\"b\":1,\"b\":2}]}", "{\"a\":[{}]}"] {
            decoders.same(Outer.self, document)
        }
        #expect(decoders.both(Outer.self, "{\"a\":[{\"b\":1}]}").ours == .value(Outer(aOuter: [Inner(bOuterIndex: 1)])))
    }

    @Test("of keys that become equal the first wins")
    func convertedDuplicates() {
        let decoders = Decoders(JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase)
        for document in ["{\"a_b\":true,\"aB\":false}", "{\"aB\":false,\"a_b\":true}", "{\"a_b\":1,\"aB\":false}"] {
            decoders.same(Snake.self, document)
        }
    }

    @Test("a numeric key of a dictionary is a number in paths too", arguments: ["1", "+1", "01", "a", "9223372036854775808"])
    func numbersAsKeys(key: String) {
        Decoders().same([String: Int].self, #"{"\#(key)":"x"}"#)
        Decoders().same([String: [String: Flat]].self, #"{"\#(key)":{"\#(key)":{"id":1}}}"#)
    }
}
