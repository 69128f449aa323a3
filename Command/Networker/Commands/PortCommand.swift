import ArgumentParser
import Foundation

/// `networker port`
struct PortCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "port",
            abstract: "List what in your sources another client names or does otherwise.",
            discussion: """
                Reads the Swift files of a folder, and finds types, members, labels and calls of Alamofire, Moya, Fetcher and \
                hand-written clients. Each finding has its file and line, the form here, and what behaves otherwise. It changes \
                no file, and compiles nothing: a name of your own that is like another client's is a finding, too.

                The exit code is 1 if there are findings.

                EXAMPLES
                  \(CommandSetup.current.name) port Sources/Networking
                  \(CommandSetup.current.name) port Sources --json | jq -r '.[].file'
                """)
    }

    @Argument(help: ArgumentHelp("A folder with Swift files, or one file.", valueName: "folder"), completion: .directory)
    var folder: String?

    @Flag(help: "Print JSON instead of text.")
    var json = false

    /// For `Scripts/pages`: prints the table and the list of a page in its place.
    @Option(help: .hidden)
    var page: String?

    func run() throws {
        if let page {
            Console.output.write(try PortingPage(client(page)).text)
            return
        }
        guard let folder else { throw ValidationError("expected a folder with Swift files") }
        let report = try PortingReport(of: folder)
        Console.output.write(json ? try JSONOutput.text(report.records) : report.rendered(Console.output.palette))
        guard report.records.isEmpty else { throw ExitCode.failure }
    }

    private func client(_ name: String) throws -> PortingRow.Client {
        guard let client = PortingRow.Client(rawValue: name) else {
            throw ValidationError("expected \(PortingRow.Client.allCases.map(\.rawValue).alternatives), got '\(name)'")
        }
        return client
    }
}
