import ArgumentParser
import CoreAPI
import Foundation

/// `networker doctor`
struct DoctorCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "doctor",
            abstract: "Find problems between this machine and a server.",
            discussion: """
                Checks the channel itself, DNS, the connection, TLS, pins, the certificates' expiry and this machine's clock, \
                and gives advice. It sends a GET request without credentials, to the address or the channel's base URL, and \
                inspects the certificates. If a variable names a proxy, one row for the proxy replaces DNS and connection.

                The exit code is 1 if a problem fails calls.

                EXAMPLES
                  \(CommandSetup.current.name) doctor https://example.com/books
                  \(CommandSetup.current.name) doctor CHANNEL --environment production
                """)
    }

    @Argument(help: "A channel's name or an address.", completion: .list(CommandSetup.current.registry.names))
    var server: String

    @OptionGroup var options: ChannelOptions

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The time limit of a step.", valueName: "seconds"), transform: TimeLimit.init)
    var timeout = TimeLimit(seconds: 10)

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func validate() throws {
        _ = try options.target(server)
    }

    func run() async throws {
        let target = try options.target(server)
        let findings = await Examination(channel: target.channel(), path: target.path, timeout: timeout.duration).findings()
        if json {
            Console.output.write(try JSONOutput.text(findings))
        } else {
            var table = TextTable([.init("looked at"), .init("found")])
            for finding in findings {
                let (mark, tone): (String, Tone) =
                    switch finding.verdict {
                    case .good: ("✓", .good)
                    case .warning: ("!", .warning)
                    case .bad: ("✗", .bad)
                    }
                table.add([.init("\(mark) \(finding.subject)", tone), .init(finding.text)])
            }
            Console.output.write(table.rendered(Console.output.palette))
        }
        guard !findings.contains(where: { $0.verdict == .bad }) else { throw ExitCode.failure }
    }
}
