import DLInteractors
import DLNetworker
import GIPHYInteractors
import GIPHYNetworker
import IDInteractors
import IDNetworker
import MLInteractors
import MLNetworker
import NetworkerKitChannels
import NetworkerKitSandbox
import TYInteractors
import TYNetworker
import TestSupport

@Suite("Channels, swapped")
struct ChannelSwapTests {
    /// A channel with its credentials, and its networker.
    struct Case: Sendable, CustomTestStringConvertible {
        let channel: Channel
        let manager: @Sendable () -> NetworkManager<Never>
        var testDescription: String { channel.name }
        func answering(_ text: String) -> Channel { channel.with { $0.transport = RecordingTransport(body: text) } }
    }

    static let cases = zip(everyChannel, everyNetworker).map { channel, make in
        var channel = channel
        channel.environment.isSimulated = true
        return Case(channel: channel) { make().networkManager }
    }

    @Test("a networker made inside uses the swapped channel, inside and afterwards", arguments: cases)
    func inside(example: Case) async throws {
        let manager = try await ChannelOverride.with(example.answering("swapped")) {
            let manager = example.manager()
            let body = try await manager.request(.get("x"), as: Data.self)
            #expect(body == Data("swapped".utf8))
            return manager
        }
        #expect(try await manager.request(.get("x"), as: Data.self) == Data("swapped".utf8))
    }

    @Test("two swaps of one channel at once do not see each other", arguments: cases)
    func parallel(example: Case) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await ChannelOverride.with(example.answering("\(number)")) {
                        for _ in 0..<10 {
                            let body = try await example.manager().request(.get("x"), as: Data.self)
                            #expect(body == Data("\(number)".utf8))
                            await Task.yield()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a swap of one channel does not change the others", arguments: cases)
    func others(example: Case) async throws {
        for other in Self.cases where other.channel.name != example.channel.name {
            try await ChannelOverride.with(other.answering("the other")) {
                try await ChannelOverride.with(example.answering("swapped")) {
                    let body = try await other.manager().request(.get("x"), as: Data.self)
                    #expect(body == Data("the other".utf8))
                }
            }
        }
    }

    @Test("two sandboxes of one channel at once each get their own calls and their own refresh")
    func sandboxes() async throws {
        try await withThrowingTaskGroup(of: (tokens: Int, connections: Int).self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await withSandbox(.dl.at(.sandbox)) { server in
                        for page in 1...3 {
                            let list = try await DLOrderListInteractor().orderList(page: page)
                            #expect(list.page == page)
                        }
                        return (server.tokensIssued, server.connectionsAccepted)
                    }
                }
            }
            for try await (tokens, connections) in group {
                #expect(tokens == 1)
                #expect(connections >= 1)
            }
        }
    }

    @Test("a networker made outside does not use the swapped channel")
    func outside() async throws {
        let interactor = DLOrderListInteractor()
        try await withSandbox(.dl.at(.sandbox)) { server in
            // Production: it has no tokens here, and its host does not exist.
            let error = await failure { try await interactor.orderList() }
            #expect(error?.context.url?.hasPrefix("https://api.secondhand.example") == true)
            #expect(server.connectionsAccepted == 0)
        }
    }

    /// A channel without a credential, and a call that needs it.
    struct Keyless: Sendable, CustomTestStringConvertible {
        let channel: Channel
        let variable: String
        let call: @Sendable () async throws -> Void

        var testDescription: String { variable }

        init(
            _ channel: Channel, _ credentials: Channel.Credentials, lacks variable: String,
            _ call: @escaping @Sendable () async throws -> Void
        ) {
            self.channel = channel.with { $0.credentials = credentials }
            (self.variable, self.call) = (variable, call)
        }

        static let all = [
            Keyless(.dl.at(.production), [:], lacks: "DL_REFRESH_TOKEN") { _ = try await DLOrderListInteractor().orderList() },
            Keyless(.giphy, [:], lacks: "GIPHY_API_KEY") { _ = try await GIPHYGifsInteractor().trending() },
            Keyless(.giphy, ["GIPHY_API_KEY": ""], lacks: "GIPHY_API_KEY") { _ = try await GIPHYGifsInteractor().trending() },
            Keyless(.id.at(.production), [:], lacks: "ID_SESSION_ID") {
                _ = try await IDStoresInteractor().stores(latitude: 41.04, longitude: 29.00)
            },
            Keyless(.ml.at(.production), [:], lacks: "ML_KEY_ID") { _ = try await MLMenuInteractor().menu(restaurantID: "ml-1") },
            Keyless(.ml.at(.production), ["ML_KEY_ID": "k"], lacks: "ML_SECRET") {
                _ = try await MLMenuInteractor().menu(restaurantID: "ml-1")
            },
            Keyless(.ty.at(.staging), [:], lacks: "TY_API_KEY") { _ = try await TYProductSearchInteractor().search("") },
            Keyless(.ty.at(.staging), ["TY_API_KEY": ""], lacks: "TY_API_KEY") {
                _ = try await TYProductSearchInteractor().search("")
            },
        ]
    }

    @Test("without a key no request is sent, and the error names the variable and the address", arguments: Keyless.all)
    func noKey(example: Keyless) async throws {
        let transport = RecordingTransport()
        let error = await failure {
            try await ChannelOverride.with(example.channel.with { $0.transport = transport }, operation: example.call)
        }
        #expect((error?.underlyingError as? Credential.Missing)?.variable == example.variable)
        let text = try #require(error).description
        #expect(text.contains(example.variable) && !text.contains("<redacted>"))
        #expect(text.contains(example.channel.environment.baseURL), "\(text)")
        #expect(transport.requests.isEmpty)
    }

    @Test("every channel is sound at every host", arguments: everyChannel.map(\.name))
    func problems(name: String) throws {
        let channel = try #require(everyChannel.first { $0.name == name })
        #expect(!channel.hosts.isEmpty && !channel.summary.isEmpty)
        for (host, environment) in channel.hosts {
            let there = channel.at(host)
            #expect(there.problems.isEmpty, "\(channel.name) at \(host.rawValue)")
            #expect(there.environment.name == host.rawValue && there.environment.baseURL == environment.baseURL)
            let isLocal = there.environment.baseURL.contains("://localhost:8443/") || channel.name == "HTTPBin"
            #expect(there.environment.isSimulated == isLocal)
        }
    }

    @Test(
        "a channel's redaction hides the channel's secrets",
        arguments: [
            ("TY", ["x-api-key"]), ("DL", ["Authorization", "refreshToken", "accessToken"]), ("ML", ["x-ml-signature"]),
            ("ID", ["x-session-id"]), ("GIPHY", ["api_key"]), ("HTTPBin", ["Authorization"]),
        ])
    func redaction(name: String, secrets: [String]) throws {
        let channel = try #require(everyChannel.first { $0.name == name })
        for secret in secrets { #expect(channel.redaction.hides(secret), "\(channel.name): \(secret)") }
    }
}
