import CoreAPITransfers
import HTTPTypes
import TestSupport

@Suite("Secrets are never printed by accident")
struct PrintingTests {
    @Test("no request, response or event prints a secret by accident")
    func printing() async throws {
        let transport = RecordingTransport(headers: [.setCookie: "a=s3cret"])
        let modifiers: [any RequestModifier] = [Header("Authorization", "Bearer s3cret"), QueryItem("api_key", "s3cret")]
        let manager = Channel.test(transport).manager
        let endpoint = TestEndpoint(headers: ["Cookie": "s3cret"], params: ["password": "s3cret"], modifiers: modifiers)
        let response = await manager.response(for: endpoint, as: .data)
        let request = try #require(response.request)
        let credential = Channel.Credentials(["V": "s3cret"])
        var bearing = request.call.channel
        bearing.modifiers = modifiers
        bearing.environment.commonHeaders = ["Authorization": "Bearer s3cret"]
        bearing.attemptMiddleware = [BearerAuthentication(token: "s3cret") { _ in "s3cret" }]
        bearing.cookies = CookieJar()
        try bearing.cookies?.store("session=s3cret", from: HTTPURL("https://h.example"))
        let secret = Data("s3cret".utf8)
        var text = ""
        // In all views that a debugger or a failed expectation would use.
        for value in [
            request, response, modifiers, CallEvent.started(Attempt(request)), CallEvent.finished(response.with(.success(()))),
            credential, bearing, request.wire, RawResponse(Attempt(request), head: response.head, body: .bytes(secret)),
            Attempt(request), Body.bytes(secret), try Authorization.basic(user: "u", password: "s3cret"),
            APIClientError.Context(request, head: response.head, body: secret),
            APIClientError.transport(.closed, APIClientError.Context(request, head: response.head)),
        ] as [Any] {
            text += "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
        }
        let basic = Data("u:s3cret".utf8).base64EncodedString()
        #expect(!text.contains(basic) && !text.filter { !$0.isWhitespace }.contains("-115-51-99-114"), "\(text)")
        #expect(!text.contains("s3cret"), "\(text)")
        #expect(text.contains("thing"))
    }

    @Test("every value that a channel is made of prints in a few words, also with a base URL that is rejected")
    func channels() async throws {
        let base = "https://admin:s3cret@h.example/v1?api_key=s3cret"
        let fields: Headers = ["Authorization": "Bearer s3cret"]
        var environment = APIEnvironment("staging", baseURL: base)
        environment.commonHeaders = fields
        environment.specificHeaders = ["group": fields]
        let pem = String(repeating: "s3cret", count: 1_000)
        let identity = ClientIdentity.pem(certificates: pem, key: Secret(pem), passphrase: "s3cret")
        environment.serverTrustManager = ServerTrustManager(authorities: .systemAndPEM(pem), identity: identity)
        let hosts: KeyValuePairs<Channel.HostName, APIEnvironment> = [
            .production: APIEnvironment(baseURL: base, serverTrustManager: environment.serverTrustManager),
            .staging: APIEnvironment(baseURL: base, isSimulated: true),
        ]
        var channel = Channel("Shop", "sells s3cret", hosts: hosts)
            .credential(.header("x-api-key", .environment("SHOP_API_KEY", sandbox: "s3cret")))
        channel.environment = environment
        channel.credentials = ["SHOP_API_KEY": "s3cret"]
        channel.modifiers = [BaseURL(base), fields]
        channel.redaction = Redaction(["s3cret"], showing: ["s3cret"])
        let fixture = Fixture(.get, "a?api_key=s3cret", headers: fields, body: "s3cret")
        let adHoc = TypedEndpoint.post("a?api_key=s3cret", body: ["password": "s3cret"], headers: fields)
        let typed = POST<[String: String], Void>("a?api_key=s3cret", headers: fields, name: "place")
        let form = MultipartForm([.text("password", "s3cret")])
        let state = Data(#"{"url": "\#(base)", "dialect": "tus", "offset": 1, "source": "x"}"#.utf8)
        let upload = try JSONDecoder().decode(ResumableUpload.State.self, from: state)
        let values: [Any] = [
            form, upload, ResumableUpload(.tus, continuing: upload), channel, environment, hosts, hosts[0], hosts[1],
            channel.redaction, channel.credentials as Any, channel.modifiers,
            Credential.environment("SHOP_API_KEY", sandbox: "s3cret"), channel.interceptors, APIEnvironment.Switch(environment),
            CredentialInterceptor.query("key", .environment("SHOP_API_KEY", sandbox: "s3cret")), fields.elements, adHoc, typed,
            APIRequest(adHoc, environment: environment, as: String.self), CommonDispatcher(channel: channel),
            NetworkManager<Never>(channel: channel), ChannelNetworker<Never>(channel), channel.limits, channel.coder, fixture,
            APIClient(transport: channel.transport), FixtureTransport([fixture]),
            FixturesType.scenarios(["": [fixture]], scenario: ""),
            environment.serverTrustManager, environment.serverTrustManager.authorities, identity, Timeout(), channel.errorFilter,
            channel.query, channel.stages[0], Fixture.Scenario("a"),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for (text, limit) in [("\(value)", 700), (String(reflecting: value), 700), (dumped, 2_000)] {
                #expect(
                    !text.contains("s3cret") && text.count < limit, "\(type(of: value)), \(text.count): \(text.prefix(2_000))")
            }
        }
        #expect(
            "\(channel)" == "channel Shop, environment staging at https://<redacted>@h.example/v1?api_key=<redacted>",
            "\(channel)")
        #expect(channel.problems.allSatisfy { !$0.contains("s3cret") })
        #expect("\(hosts[1].value)".hasSuffix(", simulated") && "\(identity)" == "client certificate in PEM")
    }

    @Test("a channel that rotates its environment prints the present one")
    func rotated() {
        var channel = Channel.test("https://h.example")
        let place = APIEnvironment.Switch(channel.environment)
        channel.environmentSwitch = place
        place.environment.baseURL = "https://other.example"
        #expect("\(channel)".contains("https://other.example"))
        channel.environment.baseURL = ""
        channel.environmentSwitch = nil
        #expect("\(channel)".contains("without a base URL"))
    }
}
