import ArgumentParser
import TestSupport

@testable import NetworkerCommand

@Suite("The registry of channels")
struct ChannelRegistryTests {
    private let registry = ChannelRegistry.standard

    @Test("makes channels without problems for every environment, under their listed names")
    func sound() {
        for entry in registry.entries {
            #expect(!entry.places.isEmpty)
            for place in entry.places {
                let channel = place.make()
                #expect(channel.name == entry.name && channel.environment.name == place.environment)
                #expect(channel.problems.isEmpty)
            }
        }
    }

    @Test("finds channels and environments in any case")
    func names() throws {
        let place = try #require(registry.entry("ty")).place("Production")
        #expect(place.make().environment.baseURL == "https://api.marketplace.example")
    }

    @Test("uses a simulated environment by default")
    func defaultPlace() throws {
        #expect(try #require(registry.entry("DL")).place(nil).environment == "sandbox")
        #expect(try #require(registry.entry("GIPHY")).place(nil).environment == "production")
    }

    @Test("lists the existing names for an unknown one")
    func unknown() throws {
        let three = ChannelRegistry(["TY", "DL", "ID"].map { Channel($0, hosts: [:]) })
        let channel = #expect(throws: ValidationError.self) {
            try CommandSetup.$current.withValue(CommandSetup(registry: three)) {
                try CallTarget("XX", environment: nil, host: nil, authority: nil)
            }
        }
        #expect(
            channel?.message
                == "unknown channel 'XX'; expected TY, DL, ID or an address such as https://example.com or :8080/path")
        let entry = try #require(registry.entry("ID"))
        let environment = #expect(throws: ValidationError.self) { try entry.place("moon") }
        #expect(environment?.message == "channel ID has no environment 'moon'; expected production, staging or sandbox")
    }

    @Test("shows no password of a base URL")
    func secrets() {
        let entry = ChannelEntry(Channel("BAD", hosts: ["nowhere": "https://user:s3cret@shop.example"]))
        let facts = entry.places.map { ChannelFacts(entry, in: $0) }
        #expect(facts.map(\.baseURL) == ["https://<redacted>@shop.example"])
        #expect(!"\(facts) \(facts.rendered())".contains("s3cret"))
    }

    @Test("lists a channel's problems below the table")
    func problems() {
        let entry = ChannelEntry(Channel("BAD", hosts: ["nowhere": "ftp://x"]))
        let facts = entry.places.map { ChannelFacts(entry, in: $0) }
        #expect(facts.rendered().hasSuffix("✗ BAD nowhere: expected an http or https URL, got the scheme 'ftp'"))
    }
}
