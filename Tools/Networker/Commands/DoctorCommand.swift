import ArgumentParser
import CoreAPI
import Foundation

/// `networker doctor`
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems between this machine and a channel's server.",
        discussion: """
            Checks the channel itself, DNS, the connection, TLS, pins, the certificates' expiry and this machine's clock, and \
            gives advice. It sends a GET request without credentials and inspects the certificates.

            The exit code is 1 if a problem fails calls.

            EXAMPLES
              networker doctor TY --environment production
              networker doctor DL --host https://localhost:8443/dl
            """)

    @OptionGroup var place: ChannelOptions

    @Option(help: ArgumentHelp("The time limit of a step.", valueName: "seconds"))
    var timeout: Double = 10

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func validate() throws {
        _ = try place.target()
        guard timeout > 0, timeout <= 86_400 else { throw ValidationError("expected a --timeout from 0 to 86400 seconds") }
    }

    func run() async throws {
        let findings = await Examination(channel: try place.target().channel(), timeout: .seconds(timeout)).findings()
        if json {
            Console.output.write(try JSONOutput.text(findings))
        } else {
            var table = TextTable([.init("looked at"), .init("found")])
            for finding in findings {
                let tone: Tone =
                    switch finding.verdict {
                    case .good: .good
                    case .warning: .warning
                    case .bad: .bad
                    }
                table.add([.init(finding.subject, tone), .init(finding.text)])
            }
            Console.output.write(table.rendered(Console.output.palette))
        }
        guard !findings.contains(where: { $0.verdict == .bad }) else { throw ExitCode.failure }
    }
}
