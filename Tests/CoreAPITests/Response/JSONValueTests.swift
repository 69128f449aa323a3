import TestSupport

@Suite("JSON values", .timeLimit(.minutes(1)))
struct JSONValueTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: Data(text.utf8)) }

    @Test("takes time that grows with its size, for every shape")
    func deep() throws {
        let one = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        let many = "[" + Array(repeating: one, count: 100).joined(separator: ",") + "]"
        let strings =
            String(repeating: "[", count: 400) + Array(repeating: "\"a\"", count: 100_000).joined(separator: ",")
            + String(repeating: "]", count: 400)
        let start = ContinuousClock.now
        #expect(try parse(many).array?.count == 100)
        _ = try parse(strings)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("is bounded in its depth")
    func depth() throws {
        #expect(throws: Never.self) { try parse(String(repeating: "[", count: 512) + String(repeating: "]", count: 512)) }
        for count in [513, 1_000_000] {
            #expect(throws: DecodingError.self) { try parse(String(repeating: "[", count: count)) }
            #expect(throws: DecodingError.self) { try parse(String(repeating: "{\"a\":", count: count)) }
        }
    }

    @Test(
        "reads what is JSON",
        arguments: [
            (" null ", .null), ("true", true), ("[]", []), ("{}", [:]), (#"{"a":[1,{"b":null}]}"#, ["a": [1, ["b": nil]]]),
            (#""\u00e7\ud83d\ude00\n\/""#, "ç😀\n/"), ("\u{FEFF}1", 1), ("-0", 0),
            ("0.07", .decimal(Decimal(string: "0.07") ?? 0)),
            ("1e3", 1_000), (#"{"a":1,"a":2}"#, ["a": 1]), ("1e200", .double(1e200)), ("1e-200", .double(1e-200)),
        ] as [(String, JSONValue)])
    func sound(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(
        "rejects what is not",
        arguments: [
            "", " ", "[", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "01", "1.", ".1", "+1", "1e", "-", "NaN",
            "tru",
            "'a'", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"", "1 2", "1e400",
            "[1]]",
        ])
    func malformed(text: String) {
        #expect(throws: DecodingError.self) { try parse(text) }
    }

    @Test("rejects bytes that are not UTF-8")
    func bytes() {
        #expect(throws: DecodingError.self) { try JSONValue(parsing: Data([0x22, 0xFF, 0x22])) }
    }

    @Test("numbers are exact, and the nearest Double")
    func numbers() throws {
        for cent in 0..<10_000 {
            let text = "\(cent / 100).\(cent % 100 < 10 ? "0" : "")\(cent % 100)"
            #expect(try parse(text).double == Double(text))
            #expect(try parse(text).decimal == Decimal(string: text))
        }
    }

    @Test("is the same inside of other types")
    func nested() throws {
        struct Holder: Decodable { let any: JSONValue }
        let text = #"{"a":[1,"x",true,null,{"b":0.07}]}"#
        let holder = try JSONDecoder().decode(Holder.self, from: Data("{\"any\":\(text)}".utf8))
        #expect(holder.any == (try parse(text)))
    }

    @Test("of equal keys the first counts, as it does for a type")
    func duplicates() throws {
        #expect(try parse(#"{"a":1,"a":2,"\u0061":3}"#)["a"]?.int == 1)
    }

    /// The standard library would sort the marks, in time that grows with the square of their number: half an hour for this one.
    @Test("a key of endless combining marks is rejected, at once")
    func endlessKey() throws {
        let marks = String(repeating: "\u{301}\u{323}", count: 100_000)
        let start = ContinuousClock.now
        #expect(throws: DecodingError.self) { try parse("{\"a\(marks)\":1}") }
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test(
        "a number with a point in a literal is the number that parsing it gives",
        arguments: [
            ("1.5", 1.5), ("0.1", 0.1), ("0.07", 0.07), ("-2.25", -2.25), ("19.90", 19.90), ("1.0", 1.0), ("1", 1.0), ("0", 0.0),
            ("1e3", 1e3),
            ("123456789.125", 123456789.125), ("1e-7", 1e-7), ("1e200", 1e200), ("1e-200", 1e-200), ("1e21", 1e21),
            (#"{"a":[1.5,{"b":0.1}]}"#, ["a": [1.5, ["b": 0.1]]]),
        ] as [(String, JSONValue)])
    func literals(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(
        "what no number of JSON is, as a literal is still no trap",
        arguments: [Double.infinity, -.infinity, .nan, .greatestFiniteMagnitude])
    func unusualLiterals(value: Double) {
        let made = JSONValue(floatLiteral: value)
        #expect(made.double == value || value.isNaN)
    }
}
