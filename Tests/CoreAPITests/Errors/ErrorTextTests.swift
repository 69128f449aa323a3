import TestSupport

@testable import CoreAPICore

@Suite("An error's text is short and contains no secret", .closing)
struct ErrorTextTests {
    private struct Login: Decodable, Sendable {
        var password: Date?
        var access_token: Int?
        var secretURL: URL?
        var token: [String: Int]?
    }

    private struct Count: Decodable, Sendable { var v: Int }

    private func error<Value: Decodable & Sendable>(_ type: Value.Type, of body: String) async throws -> APIClientError {
        let channel = Channel.test(RecordingTransport(body: body))
        return try #require(await channel.manager.response(for: TestEndpoint(), as: type).error)
    }

    @Test("An error contains no server text that controls a terminal or reorders text")
    func steering() {
        let text = "a\u{1B}[1m\u{7F}\u{9B}2J\u{202E}b\u{2066}ğü€\u{2028}"
        #expect(text.escapingControls == #"a\u{1B}[1m\u{7F}\u{009B}2J\u{202E}b\u{2066}ğü€\u{2028}"#)
        #expect("Ğüş — “€” 🙂\té".escapingControls == "Ğüş — “€” 🙂\té")
    }

    @Test("An HTTP answer that breaks HTTP's rules has such an error")
    func brokenRules() async throws {
        let server = try LoopbackServer.test { _ in
            [
                .sendHead(status: 200, headers: ["Content-Length": "3", "Content-Length": "5"]), .sendBody(Data("abc".utf8)),
                .closeConnection,
            ]
        }
        let response = await server.manager.response(for: TestEndpoint(), as: .nothing)
        let text = "\(try #require(response.error))"
        #expect(text.contains("the response breaks the protocol: expected one Content-Length, got 3 and 5"), "\(text)")
        #expect(!text.contains("something else"))
    }

    @Test("A password before a host is not shown")
    func userInformation() {
        for text in [
            "https://user:s3cret@example.com/a", "https://user:s3@cret@example.com", "user:s3cret@example.com",
            "https://user:s3/cret@example.com", "https://us$er:s3#cret@example.com", "https://user:99999/s3cret?@example.com",
            "https://user:1/s3cret\\@example.com", "https://user\n:s3cret@example.com",
        ] {
            let error = #expect(throws: RequestError.self) { try HTTPURL(text) }
            #expect(error?.localizedDescription.contains("…@example.com") == true)
            #expect(error?.localizedDescription.contains("cret") == false)
            let channel = Channel.test(text)
            #expect(channel.problems.joined().contains("…@example.com") && "\(channel)".contains("<redacted>@example.com"))
            #expect(!"\(channel.problems)\(channel)".contains("cret"), "\(channel.problems)\(channel)")
        }
    }

    private func texts(_ error: APIClientError) -> [String] {
        var dumped = ""
        dump(error, to: &dumped)
        return [
            String(describing: error), String(reflecting: error), error.localizedDescription, dumped,
            error.underlyingError.map { String(describing: $0) } ?? "",
        ]
    }

    @Test(
        "a value under a secret's name is never shown, for any expected type",
        arguments: [
            #"{"password":"hunter2"}"#, #"{"access_token":12345.75}"#, #"{"access_token":77712345678901234567890}"#,
            #"{"secretURL":"hunter2 is:"}"#, #"{"access_token":"hunter2"}"#,
            #"{"token":{"value":"hunter2"}}"#, #"{"token":{"value":["hunter2"]}}"#,
        ])
    func secrets(body: String) async throws {
        let error = try await error(Login.self, of: body)
        #expect(error.label == "decoding")
        for text in texts(error) { #expect(!text.contains("hunter2") && !text.contains("12345"), "\(text)") }
    }

    @Test(
        "An error about a card does not contain its number",
        arguments: [
            #"{"card":{"number":"4111 1111","month":1}}"#, #"{"card":{"number":"4111 1111","month":"x"}}"#,
            #"{"card":{"number":41111111,"month":"x"}}"#, #"{"card":{"number":"4111 1111"}}"#,
            #"{"card":[{"number":"4111 1111"}]}"#,
        ])
    func cards(body: String) async throws {
        struct Payment: Decodable, Sendable {
            struct Card: Decodable, Sendable {
                var number: Int
                var month: Int
            }
            var card: Card
        }
        let error = try await error(Payment.self, of: body)
        #expect(error.label == "decoding")
        for text in texts(error) { #expect(!text.contains("1111"), "\(text)") }
    }

    @Test("numbers, keys and texts of 100,000 bytes are shortened to their beginning")
    func length() async throws {
        let long = String(repeating: "9", count: 100_000)
        let errors = [
            try await error(Count.self, of: #"{"v":\#(long)}"#), try await error(Count.self, of: #"{"v":"\#(long)"}"#),
            try await error([String: Int].self, of: #"{"\#(long)":true}"#), try await error(Count.self, of: long),
            try await error(Double.self, of: long + "e999"),
        ]
        for error in errors {
            #expect(error.label == "decoding")
            for text in texts(error) { #expect(text.utf8.count < 4_000, "\(text.prefix(200))") }
        }
    }

    @Test("an error about a server's head has the beginning of the wrong part")
    func heads() async throws {
        let long = String(repeating: "x", count: 50_000)
        for fields in ["Content-Length: \(long)", "Transfer-Encoding: \(long)", "Location: ftp://\(long)"] {
            let server = try LoopbackServer.start { _ in
                [.send(Data("HTTP/1.1 302 Found\r\n\(fields)\r\n\r\nx".utf8)), .closeConnection]
            }
            let transport = CurlTransport()
            let response = try await Requests(transport).send(.get, server.url)
            #expect(response.error.map { "\($0)" }?.utf8.count ?? 9_999 < 4_000, "\(fields.prefix(40))")
            await transport.close()
        }
    }
}
