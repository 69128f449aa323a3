import TestSupport

@Suite("Response: a body as text", .closing)
struct CharsetTests {
    private func response(_ bytes: [UInt8], _ types: [String]) async throws -> Response<Data> {
        let transport = RecordingTransport { request in
            var headers = HTTPFields()
            for type in types { headers.append(HTTPField(name: .contentType, value: type)) }
            return Response(
                request: request, head: ResponseHead(status: .ok, headers: headers), data: Data(bytes),
                result: .success(Data(bytes)))
        }
        return await Channel.test(transport).manager.response(for: TestEndpoint(), as: .data)
    }

    /// As a person reads the body, and as ``Response/exactText`` gives it; `nil` where that is an error.
    private func texts(_ bytes: [UInt8], _ types: [String]) async throws -> (shown: String, exact: String?) {
        let response = try await response(bytes, types)
        return (response.rawString, try? response.exactText)
    }

    @Test(
        "is read in the charset that the response declares",
        arguments: [
            ([0xC5, 0x9F, 0x69, 0xC5, 0x9F], "text/plain; charset=UTF-8", "şiş"),
            ([0xC5, 0x9F], nil, "ş"),
            ([0xC5, 0x9F], "application/json", "ş"),
            ([0xEF, 0xBB, 0xBF, 0x61], "text/plain; charset=utf8", "a"),
            ([0xFE, 0x69, 0xFE], "text/plain; charset=iso-8859-9", "şiş"),
            ([0xD0, 0xDD, 0xDE, 0xF0, 0xFD, 0xFE], "text/plain;charset=\"ISO-8859-9\"", "ĞİŞğış"),
            ([0xFE, 0x80], "text/plain; charset=windows-1254", "ş€"),
            ([0xFE, 0x80], "text/plain; charset=latin5", "ş€"),
            ([0xFE, 0xE9], "text/plain; charset=ISO-8859-1", "þé"),
            ([0x80, 0xE9], "text/plain; x=\"a;b\"; Charset=Windows-1252", "€é"),
            ([0x3D, 0xD8, 0x00, 0xDE], "text/plain; charset=UTF-16LE", "😀"),
            ([], "text/plain; charset=utf-8", ""),
        ] as [([UInt8], String?, String)])
    func declared(bytes: [UInt8], type: String?, expected: String) async throws {
        let texts = try await texts(bytes, type.map { [$0] } ?? [])
        #expect(texts == (expected, expected))
    }

    @Test(
        "labels mean what the WHATWG's table says: Latin-1 and ASCII are windows-1252, with its five undefined bytes as controls",
        arguments: [
            "iso-8859-1", "ISO8859-1", "iso_8859-1", "iso_8859-1:1987", "latin1", "l1", "ascii", "US-ASCII", "ANSI_X3.4-1968",
            "cp819", "ibm819", "iso-ir-100", "csISOLatin1", "windows-1252", "cp1252", "x-cp1252",
        ])
    func latin1(label: String) async throws {
        let texts = try await texts([0x80, 0x93, 0xE9, 0x81, 0x8D, 0x8F, 0x90, 0x9D, 0xFF], ["text/html; charset=\(label)"])
        let expected = "€“é\u{81}\u{8D}\u{8F}\u{90}\u{9D}ÿ"
        #expect(texts == (expected, expected))
    }

    @Test(
        "is read in every charset that Foundation has, under each of its names",
        arguments: [
            ("koi8-r", [0xF0, 0xD2, 0xC9], "При"), ("KOI8", [0xF0], "П"), ("koi8-u", [0xB4], "Є"),
            ("windows-1251", [0xCF, 0xF0], "Пр"), ("cp1251", [0xCF], "П"), ("iso-8859-5", [0xBF], "П"), ("cyrillic", [0xBF], "П"),
            ("ibm866", [0x8F], "П"), ("x-mac-cyrillic", [0x8F], "П"), ("iso-8859-2", [0xB3], "ł"), ("latin2", [0xB3], "ł"),
            ("windows-1250", [0xB3], "ł"), ("iso-8859-3", [0xBB], "ğ"), ("iso-8859-4", [0xB1], "ą"), ("iso-8859-6", [0xE3], "ك"),
            ("iso-8859-7", [0xE1], "α"), ("greek", [0xE1], "α"), ("windows-1253", [0xE1, 0x81, 0xD2], "α\u{81}\u{FFFD}"),
            ("iso-8859-8-i", [0xE0], "א"), ("windows-1255", [0xE0, 0xFF], "א\u{FFFD}"), ("iso-8859-10", [0xB1], "ą"),
            ("iso-8859-11", [0xA1], "ก"), ("tis-620", [0xA1], "ก"), ("windows-874", [0xA1, 0x80], "ก€"),
            ("iso-8859-13", [0xE0], "ą"), ("iso-8859-14", [0xA1], "Ḃ"), ("iso-8859-15", [0xA4], "€"),
            ("iso-8859-16", [0xA4], "€"), ("windows-1256", [0x80, 0x81], "€پ"), ("windows-1257", [0xE0], "ą"),
            ("windows-1258", [0xFE], "₫"), ("macintosh", [0x8E, 0xDB], "é€"),
            ("shift_jis", [0x93, 0xFA, 0x96, 0x7B, 0xB1], "日本ｱ"), ("Shift-JIS", [0x93, 0xFA], "日"), ("sjis", [0x93, 0xFA], "日"),
            ("windows-31j", [0x87, 0x40], "①"), ("gb2312", [0xC4, 0xE3], "你"), ("GBK", [0xBA, 0xC3], "好"),
            ("gb18030", [0x81, 0x30, 0x81, 0x30], "\u{80}"), ("big5", [0xA7, 0x41], "你"), ("Big5-HKSCS", [0xA6, 0x6E], "好"),
            ("euc-kr", [0xB0, 0xA1], "가"), ("ks_c_5601-1987", [0xB0, 0xA1], "가"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x61], "日a"),
        ] as [(String, [UInt8], String)])
    func labels(label: String, bytes: [UInt8], expected: String) async throws {
        #expect(try await texts([0x61] + bytes, ["text/plain; charset=\(label)"]).shown == "a" + expected)
    }

    @Test(
        "utf-16 is little-endian, and a byte order mark counts more than any label",
        arguments: [
            ([0x5F, 0x01], "utf-16", "ş"), ([0xFE, 0xFF, 0x01, 0x5F], "utf-16", "ş"), ([0xFF, 0xFE, 0x5F, 0x01], "utf-16", "ş"),
            ([0x01, 0x5F], "utf-16be", "ş"), ([0x5F, 0x01], "ucs-2", "ş"), ([0x5F, 0x01], "unicode", "ş"),
            ([0xFF, 0xFE, 0x5F, 0x01], "utf-16be", "ş"), ([0xEF, 0xBB, 0xBF, 0xC5, 0x9F], "utf-16", "ş"),
            ([0xEF, 0xBB, 0xBF, 0xC5, 0x9F], "iso-8859-1", "ş"), ([0xEF, 0xBB, 0xBF, 0xC5, 0x9F], "none", "ş"),
            ([0xFE, 0xFF, 0x01, 0x5F], "utf-8", "ş"), ([0xFF, 0xFE, 0x5F, 0x01], "windows-1251", "ş"),
        ] as [([UInt8], String, String)])
    func marks(bytes: [UInt8], label: String, expected: String) async throws {
        #expect(try await texts(bytes, ["text/plain; charset=\(label)"]).shown == expected)
    }

    @Test(
        "in an unknown or empty charset is UTF-8, and exact text in an unknown one is an error",
        arguments: [
            "none", "klingon", "\"\"", "''", "\" \"", "binary", "utf-9", "x-user-defined", "UTF-8;", "utf8mb4", "İSO-8859-9",
            "\"utf-8\\",
        ])
    func unknown(label: String) async throws {
        #expect(try await texts([0xC5, 0x9F, 0xFE, 0x61], ["text/plain; charset=\(label)"]).shown == "ş\u{FFFD}a")
        #expect(try await texts([0xC5, 0x9F, 0xFE, 0x61], ["text/plain; charset=\(label)"]).exact == nil)
        let response = try await response([0x61], ["text/plain; charset=Klingon"])
        #expect(throws: Charset.DecodingError.unknown("Klingon")) { try response.exactText }
    }

    @Test(
        "is found despite capitals, white space, either kind of quotes and a second charset",
        arguments: [
            "text/plain;charset=koi8-r", "text/plain ; CHARSET = KOI8-R ", "TEXT/PLAIN;\tcharset=\"koi8-r\"",
            "text/plain; charset='koi8-r'", "text/plain; charset=\" koi8-r \"", "text/plain; charset=koi8-r; charset=utf-8",
            "text/plain;; x; charset=koi8-r;", "text/plain; x=\"charset=utf-8;\"; charset=koi8-r",
            "text/plain; charset=\"koi8\\-r\"", "text/plain; charset=\"koi8-r", "text/plain; charset=\"koi8-r\" utf-8",
            "text/plain; charset=; charset=koi8-r",
        ])
    func spelling(type: String) async throws { #expect(try await texts([0xF0], [type]) == ("П", "П")) }

    @Test(
        "that is invalid in its charset is U+FFFD in text, and an error in exact text",
        arguments: [
            ([0x61, 0xFE], "utf-8", "a\u{FFFD}"), ([0x61, 0xC5], "utf-8", "a\u{FFFD}"),
            ([0xED, 0xA0, 0x80], "utf-8", "\u{FFFD}\u{FFFD}\u{FFFD}"), ([0x61, 0, 0x62], "utf-16", "a\u{FFFD}"),
            ([0xD8, 0, 0, 0x61], "utf-16be", "\u{FFFD}a"), ([0x61, 0xA5], "windows-1257", "a\u{FFFD}"),
            ([0x93, 0xFA, 0x96], "shift_jis", "日\u{FFFD}"), ([0xFF, 0x20, 0xB0, 0xA1], "euc-kr", "\u{FFFD} 가"),
            ([0xC4, 0xE3, 0xFF], "gbk", "你\u{FFFD}"), ([0xA7], "big5", "\u{FFFD}"),
        ] as [([UInt8], String, String)])
    func repaired(bytes: [UInt8], label: String, expected: String) async throws {
        #expect(try await texts(bytes, ["text/plain; charset=\(label)"]) == (expected, nil))
        let response = try await response(bytes, ["text/plain; charset=\(label)"])
        #expect(throws: Charset.DecodingError.malformed(label)) { try response.exactText }
    }

    @Test(
        "on the wire never fails for a charset's sake",
        arguments: [
            ("charset=none", [0x6F, 0x6B], "ok"), ("charset=", [0xC5, 0x9F], "ş"), ("charset=iso-8859-1", [0x4A, 0xE9], "Jé"),
            ("charset=euc-jp", [0x61, 0xC6], "a\u{FFFD}"), ("charset=utf-8", [0x4A, 0xE9], "J\u{FFFD}"),
        ] as [(String, [UInt8], String)])
    func onTheWire(charset: String, bytes: [UInt8], expected: String) async throws {
        let server = try LoopbackServer.start { _ in .ok(Data(bytes), headers: ["Content-Type": "text/plain; \(charset)"]) }
        #expect(try await server.manager.response(for: TestEndpoint(), as: .text).value == expected)
    }

    @Test(
        "has the last valid of several media types, and keeps the charset of an equal one",
        arguments: [
            (["text/plain; charset=koi8-r", "text/plain; charset=koi8-r"], "П"),
            (["text/plain; charset=koi8-r", "text/plain"], "П"), (["text/plain; charset=koi8-r, text/plain"], "П"),
            (["text/plain; charset=koi8-r", "nonsense"], "П"), (["text/plain; charset=koi8-r", "*/*"], "П"),
            (["text/plain; charset=koi8-r", ""], "П"), (["text/html; charset=utf-8", "text/plain; charset=koi8-r"], "П"),
            (["text/plain; charset=koi8-r", "text/html"], "\u{FFFD}"), (["text/plain; charset=\"koi8-r\"; x=\"a,b/c\""], "П"),
            (["text/plain; charset=utf-8, text/plain;charset=koi8-r"], "П"),
        ] as [([String], String)])
    func several(types: [String], expected: String) async throws { #expect(try await texts([0xF0], types).shown == expected) }

    @Test("a response is transformed without losing what it carries")
    func transforming() async throws {
        struct Odd: Error {}
        let response = await Channel.test(RecordingTransport(body: "7")).manager.response(for: TestEndpoint(), as: Int.self)
        #expect(try response.map { $0 + 1 }.value == 8)
        #expect(try response.flatMap { .success("\($0)") }.value == "7")
        let failed = response.map { _ -> Int in throw Odd() }
        #expect(failed.error?.app(Odd.self) != nil && failed.head?.status.code == 200)
        #expect(failed.data == Data("7".utf8) && failed.map { $0 }.error?.app(Odd.self) != nil)
    }
}
