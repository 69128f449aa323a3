import TestSupport

extension Header {
    /// A custom header, in one line.
    fileprivate static func experiment(_ name: String) -> Header { Header("X-Experiment", name) }
}

@Suite("Headers")
struct StandardHeadersTests {
    @Test("the standard ones have names, and a custom one is one line")
    func names() async throws {
        let transport = RecordingTransport()
        let modifiers: [any RequestModifier] = [
            Header.accept("application/json", "text/*;q=0.5"), Header.acceptEncoding("gzip"),
            Header.acceptLanguage("tr", "en;q=0.5"), Header.acceptCharset("utf-8"), Header.charset("utf-8"),
            Header.authorization(.bearer("abc")), Header.cacheControl("no-cache", "no-store"),
            Header.contentType("text/plain", charset: "utf-8"), Header.ifMatch("\"1\""), Header.ifNoneMatch("\"2\"", "\"3\""),
            Header.origin("https://a.example"), Header.referer("https://b.example/"), Header.userAgent("app/1"),
            Header.experiment("b"),
        ]
        try await Channel.test(transport).manager.request(endpoint: TestEndpoint(modifiers: modifiers))
        let lines = try #require(transport.requests.first).headers.map { "\($0.name.rawName): \($0.value)" }
        #expect(
            lines == [
                "Accept: application/json, text/*;q=0.5", "Accept-Encoding: gzip", "Accept-Language: tr, en;q=0.5",
                "Accept-Charset: utf-8", "Charset: utf-8", "Authorization: Bearer abc", "Cache-Control: no-cache, no-store",
                "Content-Type: text/plain; charset=utf-8", "If-Match: \"1\"", "If-None-Match: \"2\", \"3\"",
                "Origin: https://a.example", "Referer: https://b.example/", "User-Agent: app/1", "X-Experiment: b",
            ])
    }

    @Test("credentials of the Basic scheme (RFC 7617), which never print themselves")
    func basic() throws {
        let credentials = try Authorization.basic(user: "Aladdin", password: "open:sesame")
        #expect(Header.authorization(credentials).value == "Basic QWxhZGRpbjpvcGVuOnNlc2FtZQ==")
        #expect("\(credentials) \(Header.authorization(credentials))" == "Basic <redacted> Authorization: <redacted>")
        #expect(throws: RequestError.self) { try Authorization.basic(user: "a:b", password: "c") }
    }
}
