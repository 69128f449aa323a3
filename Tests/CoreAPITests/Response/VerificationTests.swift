import TestSupport

@testable import CoreAPICore

@Suite("Verification", .closing)
struct VerificationTests {
    @Test("verifiers: the nearest for status, the first failure of all")
    func verifiers() async {
        func label(_ status: Int, _ type: String?, _ modifiers: [any RequestModifier]) async -> String? {
            let headers: HTTPFields = type.map { [.contentType: $0] } ?? [:]
            let channel = Channel.test(RecordingTransport(status: status, headers: headers)) {
                $0.modifiers = [StatusCodeResponseVerifier(418)]
            }
            return await channel.error(TestEndpoint(modifiers: modifiers))?.label
        }
        let json: [any RequestModifier] = [
            StatusCodeResponseVerifier([200, 201]), ContentTypeResponseVerifier("application/json", "text/*"),
        ]
        #expect(await label(418, nil, []) == nil)
        #expect(await label(200, nil, []) == "verification.unacceptableStatus.200")
        #expect(await label(200, nil, [StatusCodeResponseVerifier(200...204)]) == nil)
        #expect(await label(205, nil, [StatusCodeResponseVerifier(200...204)]) == "verification.unacceptableStatus.205")
        for type in [nil, "application/xml"] { #expect(await label(200, type, json) == "verification.unacceptableContentType") }
        for type in ["application/json; charset=utf-8", "TEXT/Plain"] { #expect(await label(200, type, json) == nil) }
    }

    @Test(
        "of several media types the verifier asks for the last valid one, on lines of their own or in a list",
        arguments: [
            (["application/json; charset=utf-8", "application/json"], true), (["text/html, application/json"], true),
            (["application/json", "nonsense"], true), (["application/json", "text/html"], false),
            (["application/json, text/html"], false), (["nonsense"], false), ([], false),
        ] as [([String], Bool)])
    func severalTypes(lines: [String], isAccepted: Bool) async throws {
        let server = try LoopbackServer.start { _ in
            var headers = HeaderLines()
            for line in lines { headers.append("Content-Type", line) }
            return .ok("{}", headers: headers)
        }
        let endpoint = TestEndpoint(modifiers: [ContentTypeResponseVerifier("application/json")])
        let error = await server.manager.response(for: endpoint, as: .nothing).error
        #expect(error?.label == (isAccepted ? nil : "verification.unacceptableContentType"))
    }

    private struct Nothing: Decodable, Sendable {}
    private final class NothingAtAll: Decodable, Sendable {}
    private struct AllOptional: Decodable, Sendable { var id: Int? }

    @Test("an optional output of an empty answer is nil, with any status", arguments: [200, 201, 202, 204, 205])
    func emptyOptional(status: Int) async throws {
        let manager = Channel.test(RecordingTransport(status: status, body: "")).manager
        #expect(try await manager.request(endpoint: TestEndpoint(), type: Item?.self) == nil)
        #expect(try await manager.request(endpoint: TestEndpoint(), type: Data?.self) == nil)
        #expect(try await manager.request(endpoint: TestEndpoint(), type: [Item]?.self) == nil)
    }

    @Test(
        "only a type without properties is decoded from an empty answer, if the status allows one",
        arguments: [(204, true), (205, true), (202, false), (200, false)])
    func emptyBody(status: Int, isMade: Bool) async {
        let manager = Channel.test(RecordingTransport(status: status, body: "")).manager
        let declared = TestEndpoint(modifiers: [StatusCodeResponseVerifier(200..<300, mayBeEmpty: [status])])
        for endpoint in [TestEndpoint(), declared] {
            let isMade = isMade || !endpoint.modifiers.isEmpty
            let expected = isMade ? nil : "verification.emptyBody"
            #expect(await manager.response(for: endpoint, as: Nothing.self).error?.label == expected)
            #expect(await manager.response(for: endpoint, as: NothingAtAll.self).error?.label == expected)
            #expect(await manager.response(for: endpoint, as: Item.self).error?.label == "verification.emptyBody")
            #expect(await manager.response(for: endpoint, as: AllOptional.self).error?.label == "verification.emptyBody")
            #expect(await manager.response(for: endpoint, as: [Item].self).error?.label == "verification.emptyBody")
            #expect(await manager.response(for: endpoint, as: Int.self).error?.label == "verification.emptyBody")
        }
        #expect(await manager.response(for: TestEndpoint(), as: .nothing).error == nil)
    }

    @Test("of several status verifiers the nearest applies, together with those that always apply", arguments: [200, 201, 404])
    func severalStatuses(status: Int) async {
        var channel = Channel.test(RecordingTransport(status: status))
        func isAccepted(_ verifiers: any RequestModifier...) async -> Bool {
            channel.modifiers = [verifiers[0]]
            return await channel.error(TestEndpoint(modifiers: [verifiers[1]])) == nil
        }
        let one = StatusCodeResponseVerifier(200)
        #expect(await isAccepted(one, StatusCodeResponseVerifier(200, 404)) == (status != 201))
        #expect(await isAccepted(one.always, StatusCodeResponseVerifier(200, 404)) == (status == 200))
        let any = StatusCodeResponseVerifier(200..<300).always
        #expect(await isAccepted(any, StatusCodeResponseVerifier(201).always) == (status == 201))
    }

    @Test("of several custom verifiers the first failure wins, farthest first")
    func firstFailure() async throws {
        struct Needs: ResponseVerifier {
            let name: HTTPField.Name
            func verify(_ response: Response<Data>) throws {
                if response.head?.headers[name] == nil { throw Trouble(code: name.rawName.count) }
            }
        }
        var channel = Channel.test(RecordingTransport(headers: [.eTag: "1"]))
        channel.modifiers = [Needs(name: .eTag), Needs(name: .age)]
        #expect(await channel.error(TestEndpoint(modifiers: [Needs(name: .location)]))?.rejection as? Trouble == Trouble(code: 3))
    }
}

@Suite("A media type")
struct MediaTypeTests {
    @Test(
        "is read scalar by scalar, so a mark before or after a quote does not change the quoted text",
        arguments: [
            ("text/plain; charset=\"utf-8\"", "utf-8"), ("Text/Plain;CHARSET=utf-8 ; x=1", "utf-8"),
            ("text/plain; charset=\"a;b\\\"c\"", "a;b\"c"), ("text/plain; charset=\"\u{600}\"", "\u{600}"),
            ("text/plain; charset=\"\u{301}\"; x=\"y\"", "\u{301}"), ("text/plain; charset=a; charset=b", "a"),
            ("text/plain; charset=\"", ""), ("text/plain; charset=\"\"", ""), ("text/plain; charset=\"a", "a"),
            ("text/plain; charset=\"a\"b", "a"), ("text/plain; charset=; charset=a", "a"), ("text/plain; charset = a", "a"),
            ("text/plain;\";charset=a", "a"), ("text/plain;\"=x;charset=a", "a"), ("text/plain;x=a\"b;charset=a", "a"),
            ("text/plain;\"x\";charset=a", "a"), ("text/plain;;charset=\"\\a\\b\\\"", "ab\""),
            ("text/plain;x=\"a;b\\\";c\";charset=a", "a"),
            ("text/plain;a/b=x;charset=a", "a"), ("text/plain;charset=\"a\\", "a\\"),
        ])
    func parameter(text: String, charset: String) throws {
        let type = try #require(MediaType(text))
        #expect(type.essence == "text/plain" && type.parameters["charset"] == charset)
    }

    @Test("needs two halves", arguments: ["", "text", "text/", "/plain", "a/b/c", "te xt/plain"])
    func none(text: String) { #expect(MediaType(text) == nil) }

    @Test(
        "of a message is the last valid one of its lines and lists (Fetch, \"extract a MIME type\")",
        arguments: [
            (["text/plain"], "text/plain", nil), (["a/b", "a/b"], "a/b", nil), (["a/b", "c/d"], "c/d", nil),
            (["a/b, c/d"], "c/d", nil), (["a/b", "nonsense"], "a/b", nil), (["a/b", "*/*"], "a/b", nil),
            (["a/b", ""], "a/b", nil), (["", "a/b"], "a/b", nil), (["a/b;charset=x", "A/B"], "a/b", "x"),
            (["a/b;charset=x", "a/b;charset=y"], "a/b", "y"), (["a/b;charset=x", "c/d"], "c/d", nil),
            (["a/b;charset=x", "c/d", "a/b"], "a/b", nil), (["a/b;charset=x, nonsense, a/b;q=1"], "a/b", "x"),
            (["a/b; x=\"c/d, e/f\""], "a/b", nil), ([",a/b,"], "a/b", nil), (["text/html;\";charset=gbk"], "text/html", "gbk"),
        ] as [([String], String, String?)])
    func several(lines: [String], essence: String, charset: String?) throws {
        let type = try #require(MediaType(fields(lines)))
        #expect(type.essence == essence && type.parameters["charset"] == charset)
    }

    @Test("of a message without a valid line is nil", arguments: [[], [""], ["*/*"], ["nonsense", "text"], [","]])
    func noneOfSeveral(lines: [String]) { #expect(MediaType(fields(lines)) == nil) }

    private func fields(_ lines: [String]) -> HTTPFields { HTTPFields(lines.map { HTTPField(name: .contentType, value: $0) }) }
}

@Suite("Dates of header fields (RFC 9110 §5.6.7)")
struct HTTPDateTests {
    @Test("Leap days and leap seconds are dates")
    func leaps() {
        #expect(HTTPDate.date("Thu, 29 Feb 2024 00:00:00 GMT") == Date(timeIntervalSince1970: 1_709_164_800))
        #expect(HTTPDate.date("Sat, 31 Dec 2016 23:59:60 GMT") == Date(timeIntervalSince1970: 1_483_228_800))
    }

    @Test(
        "Three forms say the same, and what is clear is read: any case, no weekday, Greenwich by another name, white space",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "sun, 06 nov 1994 08:49:37 gmt", "SUN, 06 NOV 1994 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 UT", "Sun, 06 Nov 1994 08:49:37 Z",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 -0000", "Sun, 06 Nov 1994 08:49:37 +00:00",
            "Sun,  06 Nov 1994  08:49:37  GMT ", "sunday, 06-nov-94 08:49:37 utc", "Sun, 06-Nov-1994 08:49:37 GMT",
            "Sun Nov 06 08:49:37 1994", "sun nov  6 08:49:37 UTC 1994", "Mon, 06 Nov 1994 08:49:37 GMT",
        ])
    func clear(text: String) { #expect(HTTPDate.date(text) == Date(timeIntervalSince1970: 784_111_777)) }

    @Test(
        "What is not clear is no date, nor is a number with a sign, nor a day that its month does not have",
        arguments: [
            "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:+37 GMT", "Sun, 31 Feb 2026 08:49:37 GMT",
            "Sun, 30 Feb 2024 08:49:37 GMT", "Sun, 29 Feb 2025 08:49:37 GMT", "Sun, 31 Apr 2026 08:49:37 GMT",
            "Sun, 00 Jan 2026 08:49:37 GMT", "", " ", "soon", "Sun", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37 +0100", "Sun, 06 Nov 1994 08:49:37 -0500",
            "06/11/1994 08:49:37 GMT", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
            "Sun, 06 Now 1994 08:49:37 GMT", "784111777", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT GMT",
        ])
    func unclear(text: String) { #expect(HTTPDate.date(text) == nil) }
}

@Suite("JSON manually", .timeLimit(.minutes(1)))
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
            ("1e3", 1_000), (#"{"a":1,"a":2,"\u0061":3}"#, ["a": 1]), ("1e200", .double(1e200)), ("1e-200", .double(1e-200)),
            // A literal is the number that parsing it gives.
            ("1.5", 1.5), ("0.1", 0.1), ("0.07", 0.07), ("-2.25", -2.25), ("19.90", 19.90), ("1.0", 1.0), ("1", 1.0),
            ("0", 0.0), ("1e3", 1e3), ("123456789.125", 123456789.125), ("1e-7", 1e-7), ("1e200", 1e200), ("1e-200", 1e-200),
            ("1e21", 1e21), (#"{"a":[1.5,{"b":0.1}]}"#, ["a": [1.5, ["b": 0.1]]]),
        ] as [(String, JSONValue)])
    func sound(text: String, value: JSONValue) throws { #expect(try parse(text) == value) }

    @Test(
        "rejects what is not",
        arguments: [
            "", " ", "[", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "01", "1.", ".1", "+1", "1e", "-",
            "NaN", "tru", "'a'", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"",
            "1 2", "1e400", "[1]]",
        ])
    func malformed(text: String) { #expect(throws: DecodingError.self) { try parse(text) } }

    @Test("rejects bytes that are not UTF-8")
    func bytes() { #expect(throws: DecodingError.self) { try JSONValue(parsing: Data([0x22, 0xFF, 0x22])) } }

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
        #expect(try JSONDecoder().decode(Holder.self, from: Data("{\"any\":\(text)}".utf8)).any == (try parse(text)))
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
        "what no number of JSON is, as a literal is still no trap",
        arguments: [Double.infinity, -.infinity, .nan, .greatestFiniteMagnitude])
    func unusualLiterals(value: Double) {
        let made = JSONValue(floatLiteral: value)
        #expect(made.double == value || value.isNaN)
    }
}
