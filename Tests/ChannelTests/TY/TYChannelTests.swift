import TYInteractors
import TYNetworker
import TestSupport

@Suite("TY: the channel")
struct TYChannelTests {
    @Test("a wrong API key")
    func wrongKey() async throws {
        #expect(try await failure(of: .ty.at(.sandbox, credentials: ["TY_API_KEY": "wrong"])).code == "invalid-api-key")
    }

    @Test(
        "a missing locale and a missing culture", arguments: [("x-locale", "missing-locale"), ("x-culture", "missing-culture")])
    func missingHeader(header: String, code: String) async throws {
        var channel = Channel.ty.at(.sandbox)
        channel.environment.commonHeaders[header] = nil
        let failure = try await failure(of: channel)
        #expect(failure.code == code)
        #expect(failure.statusCode == 400 && failure.httpStatus == 400)
    }

    private func failure(of channel: Channel) async throws -> TYError {
        let error = await #expect(throws: APIClientError.self) {
            try await withSandbox(channel) { _ in try await TYProductSearchInteractor().search("") }
        }
        return try #require(error?.app(TYError.self))
    }

    @Test("sends key, locale and culture in the marketplace's forms")
    func headers() async throws {
        let transport = RecordingTransport(StubTransport { _ in (200, #"{"isSuccess":true,"result":{}}"#) })
        var channel = Channel.ty.at(.sandbox).tyLocale(Locale(identifier: "en_GB"))
        channel.transport = transport
        try await ChannelOverride.with(channel) {
            try await TYNetworker<Never>().networkManager.request(.get("x"))
        }
        let request = try #require(transport.requests.first)
        #expect(request.header("x-api-key") == "ty-sandbox-key")
        #expect(request.header("x-locale") == "en_GB")
        #expect(request.header("x-culture") == "en-GB")
    }

    @Test("without a key no request is sent, and the error names the variable", arguments: [[:], ["TY_API_KEY": ""]])
    func noKey(variables: [String: String]) async throws {
        let transport = RecordingTransport(StubTransport { _ in (200, "") })
        var channel = Channel.ty.at(.staging, credentials: Channel.Credentials(variables))
        channel.transport = transport
        let error = await #expect(throws: APIClientError.self) {
            try await ChannelOverride.with(channel) { try await TYProductSearchInteractor().search("") }
        }
        #expect((error?.underlyingError as? Credential.Missing)?.variable == "TY_API_KEY")
        #expect(error?.description.contains("TY_API_KEY") == true)
        #expect(error?.description.contains("<redacted>") == false)
        #expect(error?.description.contains("/discovery/v1/products/search") == true)
        #expect(transport.requests.isEmpty)
    }

    @Test("reads the key from the variable")
    func variable() async throws {
        let transport = RecordingTransport(StubTransport { _ in (200, #"{"isSuccess":true}"#) })
        var channel = Channel.ty.at(.production, credentials: ["TY_API_KEY": "from-variable"])
        channel.transport = transport
        try await ChannelOverride.with(channel) {
            try await TYNetworker<Never>().networkManager.request(.get("x"))
        }
        #expect(transport.requests.first?.header("x-api-key") == "from-variable")
    }
}
