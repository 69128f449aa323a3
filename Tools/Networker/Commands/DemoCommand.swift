import ArgumentParser
import CoreAPI

/// `networker demo`
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Use every feature of every channel with a tour, and show what each exchange cost.",
        discussion: """
            Starts a server on a free port of this machine, with a certificate authority of its own, and runs the interactors of TY, DL, \
            ML and ID against it: real sockets, TLS, HTTP/2. On the way an access token expires and is renewed, and an order is \
            repeated without being placed twice.

            A row is one exchange. DNS, TCP and TLS are those of a new connection; bytes are those of the body before decompression.

            Ends with 1 and the reasons on standard error when a feature fails or something promised was not seen, after a minute at \
            the latest.

            EXAMPLES
              networker demo
              networker demo --verbose           with the head lines of all exchanges
              networker demo --json | jq '.features[].exchanges[].totalMs'
            """)

    @Flag(help: "Print JSON instead of text; times in milliseconds.")
    var json = false

    @Flag(name: .shortAndLong, help: "Show the head lines of every exchange, secrets redacted.")
    var verbose = false

    /// No part of the demo takes longer than a few seconds on a slow machine.
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
