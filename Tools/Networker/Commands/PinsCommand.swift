import ArgumentParser
import CoreAPI
import Foundation

/// `networker pins`
struct PinsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins",
        abstract: "Show a server's verified certificates, with their pins and a ready pin set.",
        discussion: """
            Connects, verifies the server as every channel does, and lists the chain from the server's own certificate to the \
            root. If verification fails, the command fails with the reason. --authority replaces the system's authorities.

            EXAMPLES
              networker pins example.com
              networker pins localhost:8443 --authority sandbox-authority.pem
            """)

    @Argument(help: ArgumentHelp("The server, with a port if it is not 443.", valueName: "host"))
    var host: String

    @Option(help: ArgumentHelp("A PEM file with the only authorities to trust.", valueName: "file"))
    var authority: String?

    @Option(help: ArgumentHelp("The time limit.", valueName: "seconds"))
    var timeout: Double = 20

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func validate() throws {
        _ = try address()
        if let authority, !FileManager.default.isReadableFile(atPath: authority) {
            throw ValidationError("expected a readable file after --authority, got '\(authority)'")
        }
        guard timeout > 0, timeout <= 86_400 else { throw ValidationError("expected a --timeout from 0 to 86400 seconds") }
    }

    private func address() throws -> HTTPURL {
        guard !host.contains("/"), let address = try? HTTPURL("https://\(host)") else {
            throw ValidationError("expected a host such as example.com or localhost:8443, got '\(host)'")
        }
        return address
    }

    func run() async throws {
        let address = try address()
        do {
            let trust = ServerTrustManager(authorities: authority.map { .file($0) } ?? .system)
            let probe = ChainProbe(address: address, trust: trust, timeout: .seconds(timeout))
            let report = PinReport(host: address.host, try await probe.certificates())
            Console.output.write(json ? try JSONOutput.text(report) : report.rendered(Console.output.palette))
        } catch let error as APIClientError {
            Console.error.write(failure: error.description)
            throw ExitCode.failure
        }
    }
}
