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

    @Test(
        "finds channels and environments in any case, and a simulated environment by default",
        arguments: [("ty", "Production", "production"), ("DL", nil, "sandbox"), ("GIPHY", nil, "production")]
            as [(String, String?, String)])
    func place(channel: String, environment: String?, found: String) throws {
        let place = try #require(registry.entry(channel)).place(environment)
        #expect(place.environment == found && place.make().environment.name == found)
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

    @Test("shows no password of a base URL, and lists a channel's problems below the table")
    func facts() {
        func facts(_ host: APIEnvironment) -> [ChannelFacts] {
            let entry = ChannelEntry(Channel("BAD", hosts: ["nowhere": host]))
            return entry.places.map { ChannelFacts(entry, in: $0) }
        }
        let secret = facts("https://user:s3cret@shop.example")
        #expect(secret.map(\.baseURL) == ["https://<redacted>@shop.example"])
        #expect(!"\(secret) \(secret.rendered())".contains("s3cret"))
        let scheme = "✗ BAD nowhere: expected an http or https URL, got the scheme 'ftp'"
        #expect(facts("ftp://x").rendered().hasSuffix(scheme))
    }
}
