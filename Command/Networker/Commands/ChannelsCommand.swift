import ArgumentParser

/// `networker channels`
struct ChannelsCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "channels",
            abstract: "List the channels with their hosts and trusted authorities.",
            discussion: """
                One line for each environment of each channel. Authorities are the trusted ones; pins are public keys that are \
                checked in addition. The command sends no request.

                The exit code is 1 if a channel has a problem that fails all its calls.

                EXAMPLES
                  \(CommandSetup.current.name) channels
                  \(CommandSetup.current.name) channels --json | jq -r '.[].baseURL'
                """)
    }

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    func run() throws {
        let facts = CommandSetup.current.registry.entries.flatMap { entry in
            entry.places.map { ChannelFacts(entry, in: $0) }
        }
        Console.output.write(json ? try JSONOutput.text(facts) : facts.rendered(Console.output.palette))
        guard facts.allSatisfy(\.problems.isEmpty) else { throw ExitCode.failure }
    }
}
