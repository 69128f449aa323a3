import HTTPTypes
import TestSupport

@testable import CoreAPICore

@Suite("Planted secrets", .closing)
struct PlantedSecretsTests {
    enum Carrier: CaseIterable, Sendable { case header, query, form, json, xml, redirect }

    struct Planted: Sendable, CustomTestStringConvertible {
        let name: String
        let value: String
        let carriers: Set<Carrier>
        var testDescription: String { name }

        init(_ name: String, _ value: String = canary, in carriers: Set<Carrier> = Set(Carrier.allCases)) {
            (self.name, self.value, self.carriers) = (name, value, carriers)
        }
    }

    private static let canary = "c4n4ry"
    private static let inAddresses: Set<Carrier> = [.query, .form, .redirect]
    private static let webToken = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c4n4ry-c4n4ry"

    static let secrets =
        [
            "Authorization", "Proxy-Authorization", "X-Auth-Key", "X-Auth-Token", "X-Api-Key", "api_key", "apikey",
            "access_token", "accessToken", "accesstoken", "refresh_token", "id_token", "client_secret", "client_assertion",
            "code_verifier", "device_code", "user_code", "logout_token", "oauth_signature", "SAMLResponse", "SAMLRequest",
            "SAMLart", "RelayState", "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "X-Goog-Signature", "sig",
            "password", "newPassword", "passwd", "passphrase", "pin", "otp", "cardNumber", "cvv", "JSESSIONID", "PHPSESSID",
            "session_id", "sid", "csrf_token", "X-XSRF-TOKEN", "X-Hub-Signature-256", "private_key", "Ocp-Apim-Subscription-Key",
            "x-functions-key", "AWSAccessKeyId", "jwt", "credentials", "iban", "accountNumber", "bank_account",
        ].map { Planted($0) } + ["code", "state", "key", "appid", "app_id"].map { Planted($0, in: inAddresses) }
        + [
            Planted("card[number]", in: inAddresses), Planted("title", webToken), Planted("title", "Bearer \(canary)-\(canary)"),
            Planted("title", "https://user:\(canary)@h.example/"), Planted("title", "https://h.example/cb?code=\(canary)"),
            Planted("title", "-----BEGIN PRIVATE KEY----- \(canary) -----END PRIVATE KEY-----"),
        ]

    static let harmless =
        [
            "nextPageToken", "page_token", "continuationToken", "next_token", "syncToken", "cursor", "max_tokens",
            "prompt_tokens", "total_tokens", "token_type", "token_endpoint", "tokenCount", "passwordPolicy", "passwordLength",
            "cookieConsent", "cookiePolicy", "sessionTimeout", "signatureAlgorithm", "authType", "authorizationUrl",
            "expires_in", "scope", "statusCode", "countryCode", "postalCode", "errorCode", "barcode", "Idempotency-Key",
            "publicKey", "primaryKey", "sortKey", "keyword", "keyboard", "monkey", "author", "authority", "pinned", "spinner",
            "compass", "passenger", "ETag", "Last-Event-ID",
        ].map { Planted($0) } + [
            Planted("Access-Control-Allow-Credentials", in: [.header]), Planted("Access-Control-Allow-Headers", in: [.header]),
            Planted("code", in: [.json, .xml]), Planted("key", in: [.json, .xml]), Planted("state", in: [.json, .xml]),
        ]

    private struct Shape: Decodable, Sendable { var inner: [Int] }
    private struct Rejection: Error, Decodable { var message: String }

    @Test(
        "a request's own secret stays hidden where the server repeats it",
        arguments: [("x-api-key", "c4n4ry"), ("Authorization", "Token c4n4ry"), ("Authorization", "Bearer c4n4ry")])
    func repeated(name: String, value: String) async throws {
        let server = try LoopbackServer.test { request in
            // With a combining mark after it, the secret is no part of the text by characters.
            let secret = (request.headers[name]?.split(separator: " ").last ?? "") + "\u{301}"
            let fields: HeaderLines = ["X-Debug": "got \(secret)"]
            return switch request.path {
            case "/away": .redirect(to: "ftp://h.example/\(secret)", headers: fields)
            case "/rejected": .json(#"{"message":"no such key \#(secret)"}"#, status: 422, headers: fields)
            default: .json(#"{"x":"\#(secret)"}"#, headers: fields)
            }
        }
        let lines = Shared<[String]>([])
        var channel = Channel.test(server.url)
        channel.logger = CoreNetworkLogger(options: .all) { line in lines.change { $0.append(line) } }
        channel.environment.commonHeaders[name] = value
        channel.errorFilter = .rejection(Rejection.self)
        for path in ["away", "rejected", "json"] {
            let response = await channel.manager.response(for: TestEndpoint(path), as: Shape.self)
            let error = try #require(response.error)
            let text = "\(response) \(error) \(error.context) \(error.localizedDescription) \(error.debugDescription)"
            #expect(text.utf8.ranges(of: "c4n4ry".utf8) == [], "\(text)")
        }
        await channel.close()
        #expect(lines.current.count >= 6)
        for line in lines.current { #expect(line.utf8.ranges(of: "c4n4ry".utf8) == [], "\(line)") }
    }

    /// All output of the kit about calls with a name and its value.
    private func printed(_ planted: Planted) async throws -> String {
        let escape = { (text: String) in PercentEncoding.component(text) }
        let (name, value) = (planted.name, planted.value)
        let item = "\(escape(name))=\(escape(value))"
        let quoted = value.replacing("\"", with: "\\\"")
        let has = planted.carriers.contains
        let server = try LoopbackServer.test { request in
            let type = ["/form": "application/x-www-form-urlencoded", "/xml": "application/xml"][request.path]
            var fields: HeaderLines = ["Set-Cookie": "plant=\(value)"]
            if has(.header) { fields.append(name, value) }
            if let type { fields.append("Content-Type", type) }
            switch request.path {
            case "/leave": return .redirect(to: has(.redirect) ? "/redirected?\(item)" : "/redirected", headers: fields)
            case "/away": return .redirect(to: "ftp://h.example/?\(has(.redirect) ? item : "")", headers: fields)
            case "/xml": return .ok("<a><\(name)>\(value)</\(name)><page>1</page></a>", headers: fields)
            case "/form": return .ok("page=1&\(item)", headers: fields)
            case "/other": return .ok("page=1 \(name): \(value)", headers: fields)
            case "/rejected": return .json(#"{"message":"no","\#(name)":"\#(quoted)"}"#, status: 422, headers: fields)
            default:
                return has(.json) ? .json(#"{"page":1,"\#(name)":"\#(quoted)"}"#, headers: fields) : .json("{}", headers: fields)
            }
        }
        let lines = Shared<[String]>([])
        var channel = Channel.test(server.url)
        channel.logger = CoreNetworkLogger(options: .all) { line in lines.change { $0.append(line) } }
        channel.modifiers = [RequestLogging.all]
        channel.cookies = CookieJar()
        if has(.header) { channel.environment.commonHeaders[name] = value }
        var text = ""
        func note(_ thing: Any) {
            text += "\(thing) \(String(reflecting: thing))\n"
            dump(thing, to: &text)
        }
        let modifiers: [any RequestModifier] =
            (has(.query) ? [QueryItem(name, value)] : []) + (has(.header) ? [Header(name, value)] : [])
        let params = Parameters([name: value])
        let endpoints =
            ["leave", "away", "other"].map { TestEndpoint($0, modifiers: modifiers) }
            + (has(.json) ? [TestEndpoint("json", .post, params: params, encoding: .body), TestEndpoint("rejected")] : [])
            + (has(.form) ? [TestEndpoint("form", .post, params: params, encoding: .form)] : [])
            + (has(.xml) ? [TestEndpoint("xml", modifiers: modifiers)] : [])
        note(modifiers)
        note(params)
        for endpoint in endpoints {
            let response = await channel.manager.response(for: endpoint, as: Shape.self)
            let request = try #require(response.request)
            let error = try #require(response.error)
            let things: [Any] = [
                response, request, request.body, request.call, response.attempts, response.metrics as Any, response.head as Any,
                CallEvent.finished(response.with(.success(()))), error, error.context, error.underlyingError as Any,
            ]
            for thing in things { note(thing) }
            text += request.cURLDescription() + "\n"
            text += "\(error.localizedDescription) \(error.debugDescription) \(error.label)\n"
        }
        for thing in [channel, channel.environment, channel.cookies?.cookies as Any] { note(thing) }
        text += "\(Channel.test("http://127.0.0.1:1").differences(from: channel))"
        if has(.query) {
            note(#expect(throws: RequestError.self) { try HTTPURL("https://h.example:x/?\(item)") } as Any)
            note(#expect(throws: RequestError.self) { try HTTPURL("nothing?\(item)") } as Any)
        }
        await channel.close()
        #expect(lines.current.count >= 2 * endpoints.count)
        return text + lines.current.joined(separator: "\n")
    }

    @Test(
        "No text that the kit prints contains a secret of a header, query, form, JSON, XML, redirect or cookie",
        arguments: secrets)
    func hidden(planted: Planted) async throws { expectNoLeak(in: try await printed(planted)) { $0.contains(Self.canary) } }

    private func expectNoLeak(in text: String, _ isLeak: (Substring) -> Bool) {
        let leaks = text.split(separator: "\n").filter(isLeak)
        #expect(leaks.isEmpty, "\(Set(leaks.map { String($0.prefix(300)) }).sorted().prefix(8).joined(separator: "\n"))")
        #expect(text.contains(Redaction.mask) && text.contains("page"))
    }

    @Test(
        "No text that the kit prints contains a bank account, whatever its name",
        arguments: ["DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "GB29 NWBK 6016 1331 9268 19"])
    func bankAccount(number: String) async throws {
        let end = number.replacing(" ", with: "").suffix(8)
        expectNoLeak(in: try await printed(Planted("to", number))) {
            $0.replacing(" ", with: "").replacing("%20", with: "").replacing("+", with: "").contains(end)
        }
    }

    @Test(
        "A name that only resembles a secret's is shown in headers, queries, forms, JSON and redirects; a logged body of XML is not",
        arguments: harmless)
    func shown(planted: Planted) async throws {
        let text = try await printed(planted)
        let (name, value) = (planted.name, planted.value)
        let forms: [Carrier: [String]] = [
            .header: ["\(name): \(value)"], .query: ["?\(name)=\(value)"],
            .form: ["request.body=\(name)=\(value)", "&\(name)=\(value)"],
            .json: [#"request.body={"\#(name)":"\#(value)"}"#, #","\#(name)":"\#(value)"}"#],
            .xml: ["bytes of application/xml>"], .redirect: ["redirected?\(name)=\(value)"],
        ]
        for carrier in planted.carriers { for form in forms[carrier] ?? [] { #expect(text.contains(form), "\(form)") } }
        #expect(!text.contains("plant=\(value)"), "a cookie's value is hidden")
        #expect(text.contains("bytes of text/plain>"))
    }
}
