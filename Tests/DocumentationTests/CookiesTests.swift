import TestSupport

/// Keeps the `Cookie` header of the last exchange.
private struct CookieLine: Listener {
    let seen: Seen

    func notify(_ event: CallEvent) {
        guard case .queued(let attempt) = event else { return }
        let line = attempt.request.headers[.cookie] ?? "none"
        seen.change { $0 = line }
    }
}

@Suite("Cookies: the samples", .closing)
struct CookiesTests {
    @Test("a login, through fixtures, survives a restart until the logout")
    func restart() async throws {
        let file = temporaryFile("cookies.json")
        let seen = Seen()
        func start() -> (manager: NetworkManager<Never>, jar: CookieJar) {
            let lines: Headers = [
                "Set-Cookie": "session=planted; Path=/; Secure; HttpOnly; Max-Age=86400", "set-cookie": "tab=1; Path=/",
            ]
            let jar = jar(at: file)
            let fixtures = [Fixture(.post, "login", headers: lines, body: "{}"), Fixture(.get, "orders", body: "[]")]
            let channel = Channel.test(FixtureTransport(fixtures)) {
                ($0.cookies, $0.listeners) = (jar, [CookieLine(seen: seen)])
            }
            return (NetworkManager(channel: channel), jar)
        }
        let first = start()
        try await first.manager.request(.post("login"), as: .nothing)
        try await first.manager.request(.get("orders"), as: .nothing)
        #expect(seen.text == "session=planted; tab=1")
        try keep(first.jar, in: file)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)

        let second = start()
        try await second.manager.request(.get("orders"), as: .nothing)
        #expect(seen.text == "session=planted")
        try logOut(second.jar, file: file)

        try await start().manager.request(.get("orders"), as: .nothing)
        #expect(seen.text == "none")
    }

    @Test("a damaged file is an empty jar")
    func damaged() throws {
        let file = temporaryFile("cookies.json")
        try Data("{".utf8).write(to: file)
        #expect(jar(at: file).cookies.isEmpty)
    }

    @Test("a line goes into the jar, and comes out for its address")
    func line() throws {
        var channel = Channel.test()
        channel.cookies = CookieJar()
        let jar = try #require(channel.cookies)
        let url = try HTTPURL("https://api.shop.example/v2/")
        try jar.store("theme=dark; Path=/v2; Max-Age=86400", from: url)
        let names = jar.cookies(for: url).map(\.name)
        #expect(names == ["theme"])
    }
}
