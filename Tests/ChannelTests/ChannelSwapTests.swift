import CoreAPI
import DLInteractors
import DLNetworker
import Foundation
import GIPHYNetworker
import HTTPBinNetworker
import IDNetworker
import MLNetworker
import Sandbox
import TYNetworker
import Testing

@Suite("Channels, swapped")
struct ChannelSwapTests {
    /// A channel, and a networker of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let channel: Channel
        let manager: @Sendable () -> NetworkManager<ProbeEndpoint>

        var testDescription: String { channel.name }

        func answering(_ text: String) -> Channel {
            var channel = channel
            channel.transport = StubTransport { _ in (200, text) }
            return channel
        }
    }

    static let cases = [
        Case(channel: .ty(.sandbox)) { TYNetworker<ProbeEndpoint>().networkManager },
        Case(channel: .dl(.sandbox)) { DLNetworker<ProbeEndpoint>().networkManager },
        Case(channel: .ml(.sandbox)) { MLNetworker<ProbeEndpoint>().networkManager },
        Case(channel: .id(.sandbox)) { IDNetworker<ProbeEndpoint>().networkManager },
        Case(channel: .httpBin(HTTPBinHost())) { HTTPBinNetworker<ProbeEndpoint>().networkManager },
        Case(channel: .giphy(apiKey: Credential("key", variable: "GIPHY_API_KEY"))) {
            GIPHYNetworker<ProbeEndpoint>().networkManager
        },
    ]

    @Test("a networker that is made inside speaks through the swapped channel, there and afterwards", arguments: cases)
    func inside(example: Case) async throws {
        let manager = try await ChannelOverride.with(example.answering("swapped")) {
            let manager = example.manager()
            let body = try await manager.request(endpoint: ProbeEndpoint("x"), type: Data.self)
            #expect(body == Data("swapped".utf8))
            return manager
        }
        #expect(try await manager.request(endpoint: ProbeEndpoint("x"), type: Data.self) == Data("swapped".utf8))
    }

    @Test("two swaps of one channel at once do not see each other", arguments: cases)
    func parallel(example: Case) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await ChannelOverride.with(example.answering("\(number)")) {
                        for _ in 0..<10 {
                            let body = try await example.manager().request(endpoint: ProbeEndpoint("x"), type: Data.self)
                            #expect(body == Data("\(number)".utf8))
                            await Task.yield()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a swap of one channel leaves the others alone", arguments: cases)
    func others(example: Case) async throws {
        for other in Self.cases where other.channel.name != example.channel.name {
            try await ChannelOverride.with(other.answering("the other")) {
                try await ChannelOverride.with(example.answering("swapped")) {
                    let body = try await other.manager().request(endpoint: ProbeEndpoint("x"), type: Data.self)
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
                    try await withSandbox(.dl(.sandbox)) { server in
                        for page in 1...3 {
                            let list = try await DLOrderListInteractor().orderList(path: "page=\(page)")
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

    @Test("a networker that is made outside does not speak through the swapped channel")
    func outside() async throws {
        let interactor = DLOrderListInteractor()
        try await withSandbox(.dl(.sandbox)) { server in
            // Production: there are no tokens for it here, and no such host.
            let error = await #expect(throws: APIClientError.self) { try await interactor.orderList(path: "") }
            #expect(error?.context.url?.hasPrefix(DLHost.production.baseURL) == true)
            #expect(server.connectionsAccepted == 0)
        }
    }

    @Test("every channel is sound at every host")
    func problems() {
        let channels =
            TYHost.allCases.map { Channel.ty($0) } + DLHost.allCases.map { Channel.dl($0) }
            + MLHost.allCases.map { Channel.ml($0) }
            + IDHost.allCases.map { Channel.id($0) } + [.httpBin, .giphy]
        for channel in channels {
            #expect(channel.problems.isEmpty, "\(channel.name)")
            #expect(
                channel.environment.type.isSimulated == channel.environment.baseURL.contains("://localhost:8443/")
                    || channel.name == "HTTPBin")
        }
        #expect(Set(channels.map(\.name)) == ["TY", "DL", "ML", "ID", "HTTPBin", "GIPHY"])
    }

    @Test(
        "what is secret in a channel is hidden by its redaction",
        arguments: [
            (Channel.ty(.sandbox), ["x-api-key"]), (Channel.dl(.sandbox), ["Authorization", "refreshToken", "accessToken"]),
            (Channel.ml(.sandbox), ["x-ml-signature"]), (Channel.id(.sandbox), ["x-session-id"]),
            (Channel.giphy(apiKey: Credential("key", variable: "GIPHY_API_KEY")), ["api_key"]),
            (Channel.httpBin, ["Authorization"]),
        ])
    func redaction(channel: Channel, secrets: [String]) {
        for secret in secrets { #expect(channel.redaction.hides(secret), "\(channel.name): \(secret)") }
    }
}
