import TestSupport

@Suite("Fixtures", .closing)
struct FixtureTransportTests {
    struct Page: Codable, Equatable, Sendable { var page: Int }

    private func channel(_ fixtures: Fixture...) -> Channel {
        .test("https://h.example/v1", transport: FixtureTransport(fixtures))
    }

    private func page(_ channel: Channel, _ path: String, _ method: HTTPRequest.Method = .get) async -> Response<Page> {
        await channel.manager.response(for: TestEndpoint(path, method), as: Page.self)
    }

    @Test("answer by method, path and their query items, the most specific first")
    func matching() async throws {
        let channel = channel(
            Fixture(.get, "orders", body: #"{"page":0}"#), Fixture(.get, "orders?page=1", body: #"{"page":1}"#),
            Fixture(.get, "orders?page=*&sort=new", body: #"{"page":2}"#),
            Fixture(.post, "orders", status: 201, body: #"{"page":3}"#))
        #expect(try await page(channel, "orders").value.page == 0)
        #expect(try await page(channel, "/orders?page=1").value.page == 1)
        #expect(try await page(channel, "orders?page=9&sort=new").value.page == 2)
        #expect(try await page(channel, "orders?other=1").value.page == 0)
        let created = await page(channel, "orders", .post)
        #expect(try created.value.page == 3)
        #expect(created.head?.status.code == 201 && created.head?.headers[.contentType] == "application/json")
    }

    @Test("compare query items by their bytes, even if Unicode considers them equal")
    func equivalentItems() async throws {
        let channel = channel(
            Fixture(.get, "x?e\u{301}=1", body: #"{"page":1}"#), Fixture(.get, "x?\u{E9}=1", body: #"{"page":2}"#),
            Fixture(.get, "x?q=e\u{301}", body: #"{"page":3}"#), Fixture(.get, "x?q=%C3%A9", body: #"{"page":4}"#),
            Fixture(.get, "x?\u{212A}=*", body: #"{"page":5}"#))
        for (item, number) in [
            (QueryItem("e\u{301}", "1"), 1), (QueryItem("\u{E9}", "1"), 2), (QueryItem("q", "e\u{301}"), 3),
            (QueryItem("q", "\u{E9}"), 4), (QueryItem("\u{212A}", "7"), 5),
        ] {
            let response = await channel.manager.response(for: TestEndpoint("x", modifiers: [item]), as: Page.self)
            #expect(try response.value.page == number)
        }
        let other = await channel.manager.response(for: TestEndpoint("x", modifiers: [QueryItem("K", "7")]), as: Page.self)
        #expect(other.error?.label == "transport.fixture")
    }

    @Test("have a path without a leading slash, even before a combining character")
    func leadingSlash() {
        #expect(Fixture(.get, "//orders").path == "orders")
        #expect(Fixture(.get, "/\u{5AB}x").path == "%D6%ABx")
    }

    @Test("that do not match fail, with the available ones and the nearest")
    func unmatched() async {
        let response = await page(channel(Fixture(.get, "orders/list"), Fixture(.post, "basket")), "order/list?token=s3cret")
        let text = response.error?.description ?? ""
        #expect(response.error?.label == "transport.fixture")
        #expect(text.contains("the nearest is GET orders/list") && text.contains("POST basket"))
        #expect(!text.contains("s3cret"))
    }

    @Test("can fail, wait and be cancelled while they wait")
    func failureAndDelay() async {
        let channel = channel(
            Fixture(.get, "lost", failure: .connectionLost(reason: "pulled", mayHaveBeenProcessed: false)),
            Fixture(.get, "slow", delay: .milliseconds(50)), Fixture(.get, "never", delay: .seconds(3_600)))
        #expect(await page(channel, "lost").error?.label == "transport.connectionLost")
        let start = ContinuousClock.now
        _ = await page(channel, "slow")
        #expect(ContinuousClock.now - start >= .milliseconds(50))
        let task = Task { await page(channel, "never") }
        task.cancel()
        #expect(await task.value.error?.isCancelled == true)
    }

    @Test("are read from plain files")
    func parsing() throws {
        let text = """
            # What the order screen shows first.
            GET orders?page=1
            200
            content-type: application/json; charset=utf-8
            set-cookie: a=1
            set-cookie: b=2
            @delay 1.5s

            {"page":

            1}

            """
        let fixture = try Fixture(parsing: text, file: "/x/orders.http")
        #expect(fixture.method == .get && fixture.path == "orders" && fixture.status == 200)
        #expect(fixture.delay == .milliseconds(1_500))
        #expect(fixture.headers.elements.map(\.value) == ["application/json; charset=utf-8", "a=1", "b=2"])
        #expect(String(decoding: fixture.body, as: UTF8.self) == "{\"page\":\n\n1}")
        let failing = try Fixture(parsing: "POST basket\n@failure timeout\n", file: "x.http")
        #expect(failing.failure?.label.hasPrefix("timedOut") == true, "\(failing)")
    }

    @Test("have fields that are split at octets: a value may begin with a combining mark")
    func octets() throws {
        let fixture = try Fixture(parsing: "GET x\n200\nname:\u{301}a\n", file: "x.http")
        #expect(fixture.headers.elements.map { Array($0.value.utf8) } == [Array("\u{301}a".utf8)])
    }

    @Test("have a path and a query that are split at octets, too", arguments: ["\u{301}a", "\u{93F}", "\u{20E3}"])
    func octetsOfTargets(mark: String) async throws {
        let fixture = try Fixture(parsing: "GET \(mark)/x?\(mark)=\(mark)&a=1&\(mark)b=2\n200\n\n{\"page\":1}", file: "x.http")
        let items = [QueryItem(mark, mark), QueryItem("a", "1"), QueryItem("\(mark)b", "2")]
        let response: Response<Page> = await channel(fixture).manager.response(for: TestEndpoint("\(mark)/x", modifiers: items))
        #expect(try response.value.page == 1)
    }

    @Test(
        "that cannot be read give the line and the reason",
        arguments: [
            ("", 1, "request line"),
            ("GET", 1, "a method and a path"),
            ("G@T x\n200", 1, "a method and a path"),
            ("GET x", 1, "expected a status"),
            ("GET x\n20", 2, "three digits"),
            ("GET x\n200\nnonsense", 3, "expected a status, 'name: value' or '@directive'"),
            ("GET x\n200\na b: c", 3, "token"),
            ("GET x\n200\n@delay soon", 3, "expected a delay"),
            ("GET x\n200\n@delay infs", 3, "expected a delay"),
            ("GET x\n@failure gremlins", 2, "expected one of"),
            ("GET x\n200\n@frobnicate", 3, "unknown directive"),
            ("GET x\n200\n@body missing.json", 3, "missing"),
            ("GET x\n200\n201", 3, "second status"),
        ])
    func unreadable(text: String, line: Int, reason: String) {
        #expect {
            try Fixture(parsing: text, file: "/nowhere/x.http")
        } throws: { error in
            guard case .unreadable("/nowhere/x.http", line, _)? = error as? FixtureError else { return false }
            return error.localizedDescription.contains(reason)
        }
    }

    @Test("of a missing folder fail every request and list the existing ones")
    func missingFolder() async {
        let text = await page(Channel.test(.fixtures("no-such-folder")), "x").error?.description ?? ""
        #expect(text.contains("no-such-folder") && text.contains("orders-empty"))
    }

    @Test("of a folder with an unreadable file fail every request with the file and line")
    func invalidFile() async throws {
        let folder = try temporaryFolder("fixtures")
        try Data("GET x\n200".utf8).write(to: folder.appendingPathComponent("misnamed.txt"))
        let misnamed = Channel.test(FixtureTransport(directory: folder.path))
        let reason = await page(misnamed, "x").error?.description ?? ""
        #expect(reason.contains("*.http") && reason.contains("misnamed.txt"), "\(reason)")
        try Data("GET x\nnonsense".utf8).write(to: folder.appendingPathComponent("bad.http"))
        let text = await page(Channel.test(FixtureTransport(directory: folder.path)), "x").error?.description ?? ""
        #expect(text.contains("bad.http, line 2"))
    }

    @Test("with an invalid status, or with too many fields, fail and do not trap")
    func invalid() async {
        var headers = Headers()
        for _ in 0..<70_000 { headers.append("Set-Cookie", "a=b") }
        for fixture in [0, -1, 99, 1_000].map({ Fixture(.get, "x", status: $0) }) + [Fixture(.get, "x", headers: headers)] {
            #expect(await page(channel(fixture), "x").error?.label == "transport.malformedResponse")
        }
    }
}
