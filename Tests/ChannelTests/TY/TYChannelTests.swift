import TYInteractors
import TYNetworker
import TestSupport

@Suite("TY: the channel")
struct TYChannelTests {
    @Test("a wrong API key")
    func wrongKey() async throws {
        #expect(try await failure(of: .ty.at(.sandbox, credentials: ["TY_API_KEY": "wrong"])).code == "invalid-api-key")
    }

    @Test("a missing locale, a missing culture", arguments: [("x-locale", "missing-locale"), ("x-culture", "missing-culture")])
    func missingHeader(header: String, code: String) async throws {
        let failure = try await failure(of: .ty.at(.sandbox).with { $0.environment.commonHeaders[header] = nil })
        #expect(failure.code == code && failure.statusCode == 400 && failure.httpStatus == 400)
    }

    private func failure(of channel: Channel) async throws -> TYError {
        try await rejection(TYError.self, on: channel) { try await TYProductSearchInteractor().search("") }
    }

    @Test("sends key, locale and culture in the marketplace's forms")
    func headers() async throws {
        let transport = RecordingTransport(status: 200, body: #"{"isSuccess":true,"result":{}}"#)
        let channel = Channel.ty.at(.sandbox).tyLocale(Locale(identifier: "en_GB")).with { $0.transport = transport }
        try await ChannelOverride.with(channel) { try await TYNetworker<Never>().networkManager.request(.get("x")) }
        let request = try #require(transport.requests.first)
        #expect(request.header("x-api-key") == "ty-sandbox-key" && request.header("x-locale") == "en_GB")
        #expect(request.header("x-culture") == "en-GB")
    }

    @Test("reads the key from the variable")
    func variable() async throws {
        let transport = RecordingTransport(status: 200, body: #"{"isSuccess":true}"#)
        let channel = Channel.ty.at(.production, credentials: ["TY_API_KEY": "from-variable"]).with { $0.transport = transport }
        try await ChannelOverride.with(channel) { try await TYNetworker<Never>().networkManager.request(.get("x")) }
        #expect(transport.requests.first?.header("x-api-key") == "from-variable")
    }
}
