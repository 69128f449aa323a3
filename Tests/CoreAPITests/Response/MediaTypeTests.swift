import TestSupport

@testable import CoreAPICore

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
        #expect(type.essence == "text/plain")
        #expect(type.parameters["charset"] == charset)
    }

    @Test("needs two halves", arguments: ["", "text", "text/", "/plain", "a/b/c", "te xt/plain"])
    func none(text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test(
        "of a message is the last valid one of its lines and lists (Fetch, \"extract a MIME type\")",
        arguments: [
            (["text/plain"], "text/plain", nil), (["a/b", "a/b"], "a/b", nil), (["a/b", "c/d"], "c/d", nil),
            (["a/b, c/d"], "c/d", nil),
            (["a/b", "nonsense"], "a/b", nil), (["a/b", "*/*"], "a/b", nil), (["a/b", ""], "a/b", nil),
            (["", "a/b"], "a/b", nil),
            (["a/b;charset=x", "A/B"], "a/b", "x"), (["a/b;charset=x", "a/b;charset=y"], "a/b", "y"),
            (["a/b;charset=x", "c/d"], "c/d", nil), (["a/b;charset=x", "c/d", "a/b"], "a/b", nil),
            (["a/b;charset=x, nonsense, a/b;q=1"], "a/b", "x"), (["a/b; x=\"c/d, e/f\""], "a/b", nil), ([",a/b,"], "a/b", nil),
            (["text/html;\";charset=gbk"], "text/html", "gbk"),
        ] as [([String], String, String?)])
    func several(lines: [String], essence: String, charset: String?) throws {
        let type = try #require(MediaType(fields(lines)))
        #expect(type.essence == essence)
        #expect(type.parameters["charset"] == charset)
    }

    @Test("of a message without a valid line is nil", arguments: [[], [""], ["*/*"], ["nonsense", "text"], [","]])
    func noneOfSeveral(lines: [String]) {
        #expect(MediaType(fields(lines)) == nil)
    }

    private func fields(_ lines: [String]) -> HTTPFields {
        HTTPFields(lines.map { HTTPField(name: .contentType, value: $0) })
    }
}
