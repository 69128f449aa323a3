import ArgumentParser
import CoreAPI
import Foundation

/// `networker pins`
struct PinsCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "pins",
            abstract: "Show a server's verified certificates, with their pins and a ready pin set.",
            discussion: """
                Connects, verifies the server as every channel does, and lists the chain from the server's own certificate to \
                the root. If verification fails, the command fails with the reason. --authority replaces the system's authorities.

                EXAMPLES
                  \(CommandSetup.current.name) pins example.com
                  \(CommandSetup.current.name) pins localhost:8443 --authority sandbox-authority.pem
                """)
    }

    @Argument(help: ArgumentHelp("The server, with a port if it is not 443.", valueName: "host"))
    var host: String

    @OptionGroup var options: TrustOptions

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The time limit.", valueName: "seconds"), transform: TimeLimit.init)
    var timeout = TimeLimit(seconds: 20)

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func validate() throws {
        _ = try address()
    }

    private func address() throws -> HTTPURL {
        guard !host.containsOctets(of: "/"), let address = try? HTTPURL("https://\(host)") else {
            throw ValidationError("expected a host such as example.com or localhost:8443, got '\(host)'")
        }
        return address
    }

    func run() async throws {
        let address = try address()
        do {
            let trust = ServerTrustManager(authorities: options.authority?.trusted ?? .system)
            let probe = ChainProbe(address: address, trust: trust, timeout: timeout.duration)
            let report = PinReport(host: address.host, try await probe.certificates())
            Console.output.write(json ? try JSONOutput.text(report) : report.rendered(Console.output.palette))
        } catch {
            // Channel and endpoint are the probe's, which mean nothing to a reader.
            let cause = (error as? APIClientError)?.underlyingError ?? error
            Console.error.write(failure: cause.readableDescription)
            if case .tls(_, let reason) = cause as? TransportError {
                Console.error.write(
                    hint: reason.contains("wrong version number")
                        ? "\(address.host):\(address.effectivePort) speaks clear text, which has no certificate to pin"
                        : "--authority names the server's authority, if this system does not know it; "
                            + "'\(CommandSetup.current.name) doctor \(address.string.trimmingSlashes)' checks each step")
            }
            throw ExitCode.failure
        }
    }
}
