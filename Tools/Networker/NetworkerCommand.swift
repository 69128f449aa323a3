import ArgumentParser
import CoreAPI
import Foundation
import Logging

/// The command, with one subcommand for each thing to try without code.
struct NetworkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "networker",
        abstract: "Try NetworkerKit: run the demo, look at channels, send a single request.",
        discussion: """
            A channel describes the backend of one business domain: hosts, trust, credentials, errors. Every request of this \
            command uses a channel, TLS and, if the server supports it, HTTP/2.

            EXAMPLES
              networker demo                   every feature that a tour covers
              networker channels               the channels, their hosts and authorities
              networker doctor TY              problems between here and a channel's server
              networker pins example.com       the certificates of a server, and a pin set
              networker sandbox                a server to call, until Ctrl-C
              networker call DL GET orders     one request, from another terminal

            ENVIRONMENT
              NO_COLOR=1                       no colour, even on a terminal
              NETWORKER_LOG=debug              the kit's own log, at this level and above
            """,
        version: NetworkerVersion.text,
        subcommands: [
            DemoCommand.self, ChannelsCommand.self, CallCommand.self, DoctorCommand.self, PinsCommand.self, SandboxCommand.self,
        ])
}

/// The output of `--version`.
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
        // Before the first channel, because a channel makes its logger when it is created.
        LoggingSystem.bootstrap { label in
            guard let level else { return SwiftLogNoOpLogHandler() }
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        await NetworkerCommand.main()
    }
}
