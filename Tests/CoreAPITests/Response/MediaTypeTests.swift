import Testing

@testable import CoreAPI

@Suite("A media type")
struct MediaTypeTests {
    @Test(
        "is read scalar by scalar, so that no mark before or behind a quote changes what is quoted",
        arguments: [
            ("text/plain; charset=\"utf-8\"", "utf-8"), ("Text/Plain;CHARSET=utf-8 ; x=1", "utf-8"),
            ("text/plain; charset=\"a;b\\\"c\"", "a;b\"c"), ("text/plain; charset=\"\u{600}\"", "\u{600}"),
            ("text/plain; charset=\"\u{301}\"; x=\"y\"", "\u{301}"), ("text/plain; charset=a; charset=b", "a"),
            ("text/plain; charset=\"", "\""), ("text/plain; charset=\"\"", ""),
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
}
