import ArgumentParser
import CoreAPI
import NetworkerCommand

/// `networker demo`
struct DemoCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "demo",
            abstract: "Use every feature of every channel with a tour, and show the times and sizes of each exchange.",
            discussion: """
                Starts a server on a free port of this machine, with its own certificate authority, and runs the interactors of \
                TY, DL, ML and ID against it: real sockets, TLS, HTTP/2. During the demo an access token expires and is \
                renewed, and a repeated checkout places only one order.

                A row is one exchange. DNS, TCP and TLS are the times of a new connection; bytes count the body before \
                decompression.

                If a feature or a promised check fails, the exit code is 1 and the reasons are on standard error. The demo \
                takes at most a minute.

                EXAMPLES
                  \(CommandSetup.current.name) demo
                  \(CommandSetup.current.name) demo --verbose           with the head lines of all exchanges
                  \(CommandSetup.current.name) demo --json | jq '.features[].exchanges[].totalMs'
                """)
    }

    @Flag(help: "Print JSON instead of text; times in milliseconds.")
    var json = false

    @Flag(name: .shortAndLong, help: "Show the head lines of every exchange, secrets redacted.")
    var verbose = false

    /// On a slow machine the demo takes a few seconds.
    private static let deadline = Deadline(limit: .seconds(60))

    func run() async throws {
        let report: DemoReport
        do {
            report = try await Self.deadline.run { try await DemoRun().report() }
        } catch {
            Console.error.write(failure: "the demo could not be run: \(error.readableDescription)")
            throw ExitCode.failure
        }
        Console.output.write(
            json ? try JSONOutput.text(report.record) : report.rendered(isVerbose: verbose, Console.output.palette))
        guard report.failures.isEmpty else {
            for failure in report.failures { Console.error.write(failure: failure) }
            throw ExitCode.failure
        }
    }
}
