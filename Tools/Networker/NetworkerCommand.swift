import ArgumentParser
import CoreAPI
import Foundation
import Logging

/// The command: one subcommand for each thing that can be tried without writing code.
struct NetworkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "networker",
        abstract: "Try NetworkerKit: run the demo, look at channels, send a single request.",
        discussion: """
            A channel is one business domain's way of speaking: hosts, trust, credentials, errors. Every request of this command goes \
            through a channel's own rules, over TLS and, where the server can, HTTP/2.

            EXAMPLES
              networker demo                   every feature of every channel with a tour
              networker channels               which there are, and whom they trust
              networker doctor TY              what is wrong between here and a channel's server
              networker pins example.com       the certificates of a server, and a pin set
              networker sandbox                a server to call, until Ctrl-C
              networker call DL GET orders     one request, from another terminal

            ENVIRONMENT
              NO_COLOR=1                       no colour, on terminals either
              NETWORKER_LOG=debug              the kit's own log, from that level on
            """,
        version: NetworkerVersion.text,
        subcommands: [
            DemoCommand.self, ChannelsCommand.self, CallCommand.self, DoctorCommand.self, PinsCommand.self, SandboxCommand.self,
        ])
}

/// What `--version` says.
enum NetworkerVersion {
    static var text: String {
        let library = CurlTransport.capabilities
        return [
            "networker \(CurlTransport.kitVersion)", "libcurl \(CurlTransport.version)", library.tlsBackend ?? "no TLS",
            library.httpVersions.map { "HTTP/\($0)" }.joined(separator: " and "),
        ].joined(separator: ", ")
    }
}

@main enum Program {
    static func main() async {
        let level = ProcessInfo.processInfo.environment["NETWORKER_LOG"].flatMap { Logger.Level(rawValue: $0.lowercased()) }
        // Before the first channel, because channels make their loggers when they are made.
        LoggingSystem.bootstrap { label in
            guard let level else { return SwiftLogNoOpLogHandler() }
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        await NetworkerCommand.main()
    }
}
