import ArgumentParser

/// `networker channels`
struct ChannelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channels",
        abstract: "List the channels: where they speak to, and whom they trust.",
        discussion: """
            One line for each environment of each channel. Authorities are those that may vouch for the server; pins, its public keys, \
            are checked besides. Nothing is sent.

            Ends with 1 when a channel has a problem that would fail its every call.

            EXAMPLES
              networker channels
              networker channels --json | jq -r '.[].baseURL'
            """)

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    func run() throws {
        let facts = ChannelRegistry.standard.entries.flatMap { entry in
            entry.places.map { ChannelFacts(entry, in: $0) }
        }
        Console.output.write(json ? try JSONOutput.text(facts) : facts.rendered(Console.output.palette))
        guard facts.allSatisfy(\.problems.isEmpty) else { throw ExitCode.failure }
    }
}
