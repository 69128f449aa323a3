public import ArgumentParser
public import CoreAPI
internal import CoreAPIHTTP
internal import Foundation
internal import Logging

/// A command line for the channels of a team: calls, diagnosis, pins, templates.
///
/// ```swift
/// import HTTPBinNetworker
/// import NetworkerCommand
/// import TYNetworker
///
/// @main enum Program {
///     static func main() async { await NetworkerCommand.main(channels: [.httpBin, .ty]) }
/// }
/// ```
///
/// `networker --help` describes the subcommands. Messages name the command as it was started: `swift run shop` in its package,
/// the path as it was typed elsewhere. A script that starts it may set another name, in the variable `NETWORKER_NAME`.
public enum NetworkerCommand {
    /// Runs the command with the arguments of the process, and ends the process if an argument is wrong or the command fails.
    ///
    /// The exit code is 0 for success, 1 for a failure such as a status of 400, and 64 for an invalid command line.
    ///
    /// - Parameters:
    ///   - channels: the channels that calls may name, in the order of the list.
    ///   - subcommands: further subcommands, listed first.
    public static func main(
        channels: @autoclosure () -> [Channel], subcommands: [any ParsableCommand.Type] = []
    ) async {
        let variable = "NETWORKER_LOG"
        let wanted = ProcessInfo.processInfo.environment[variable] ?? ""
        let level = Logger.Level(rawValue: wanted.lowercased())
        guard wanted.isEmpty || level != nil else {
            let levels = Logger.Level.allCases.map(\.rawValue).alternatives
            CommandSetup.$current.withValue(CommandSetup(name: CommandName.current)) {
                RootCommand.reject(ValidationError("expected \(variable) to be \(levels), got '\(wanted.escapingControls)'"))
            }
        }
        // Before the channels are made, because each makes its logger.
        LoggingSystem.bootstrap { label in
            guard let level else { return SwiftLogNoOpLogHandler() }
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let setup = CommandSetup(
            name: CommandName.current, registry: ChannelRegistry(channels()), subcommands: subcommands)
        await CommandSetup.$current.withValue(setup) { await RootCommand.start() }
    }
}

/// The name, the channels and the subcommands of the running command.
package struct CommandSetup: Sendable {
    package var name = "networker"
    package var registry = ChannelRegistry([])
    package var subcommands: [any ParsableCommand.Type] = []

    /// The command that starts the sandbox, for advice; a team's own command has none.
    static var sandbox: String {
        let has = current.subcommands.contains { $0.configuration.commandName == "sandbox" }
        return has ? "'\(current.name) sandbox'" : "'Scripts/networker sandbox' of the kit's repository"
    }

    /// ArgumentParser reads static properties, so the values cannot be passed along.
    @TaskLocal package static var current = CommandSetup()

    package init(
        name: String = "networker", registry: ChannelRegistry = ChannelRegistry([]),
        subcommands: [any ParsableCommand.Type] = []
    ) {
        self.name = name
        self.registry = registry
        self.subcommands = subcommands
    }
}

package struct RootCommand: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        let setup = CommandSetup.current
        let name = setup.name
        return CommandConfiguration(
            commandName: name,
            abstract: "Send requests through the channels of a team, and find out why one fails.",
            // An error of 'call' that was not named shows this line, too.
            usage: """
                \(CallCommand.usage)
                \(name) <subcommand> [--help]
                """,
            discussion: """
                A channel describes the backend of one business domain: hosts, trust, credentials, errors. Without a channel, \
                give a whole address. 'call' is the subcommand if none is named.

                EXAMPLES
                  \(name) https://example.com/books q==swift
                  \(name) POST :8080/books title=Swift pages:=300
                  \(name) call \(setup.registry.names.first ?? "CHANNEL") GET books --verbose
                  \(name) download https://example.com/books.csv --resume
                  \(name) upload film.mov PUT https://example.com/films/7
                  \(name) ws wss://example.com/chat
                  \(name) doctor https://example.com
                  \(name) pins example.com
                  \(name) new channel BK --kit ../NetworkerKit

                ENVIRONMENT
                  NO_COLOR=1              no colour, even on a terminal
                  NETWORKER_LOG=debug     the kit's log on standard error, from this level on
                  NETWORKER_NAME=books    the name of this command in its messages
                """,
            version: version,
            subcommands: setup.subcommands + [
                CallCommand.self, DownloadCommand.self, UploadCommand.self, EventsCommand.self, WebSocketCommand.self,
                ChannelsCommand.self, DoctorCommand.self, PinsCommand.self, PortCommand.self, NewCommand.self,
            ],
            defaultSubcommand: CallCommand.self)
    }

    package init() {}

    /// Runs the command as ArgumentParser's `main()` does. That shows errors in another form than the command's own, and the
    /// usage of the root for an error of a subcommand that runs.
    static func start() async {
        let command: any ParsableCommand
        do {
            command = try await asyncParseAsRoot(arguments(of: CommandLine.arguments))
        } catch {
            reject(error)
        }
        do {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch let error as ValidationError {
            reject(error, of: type(of: command))
        } catch {
            exit(withError: error)
        }
    }

    /// The arguments for ArgumentParser, which splits `--data=…` and `-d=…` at a `Character`, and so misses a `=` before a mark.
    static func arguments(of process: [String]) -> [String] {
        let words = process.dropFirst()
        let options = words.prefix { $0 != "--" }
        return options.flatMap { word -> [String] in
            guard word.after("-") != nil, let (name, value) = word.split(atFirst: "="), word.firstIndex(of: "=") != name.endIndex
            else { return [word] }
            return [String(name), String(value)]
        } + words.dropFirst(options.count)
    }

    /// Ends the process with the error of a command line. A request for help is not an error.
    fileprivate static func reject(_ error: any Error) -> Never {
        let text = hidingValues(in: fullMessage(for: error))
        guard !exitCode(for: error).isSuccess, text.hasPrefix("Error: ") else { exit(withError: error) }
        let lines = text.dropFirst("Error: ".count).split(separator: "\n", maxSplits: 1)
        let (failure, hint) = ForeignOptions.advised(lines.first.map(String.init) ?? "", to: CommandLine.arguments)
        Console.error.write(failure: failure)
        if let hint { Console.error.write(hint: hint) }
        if lines.count > 1 { Console.error.write(String(lines[1])) }
        exit(withError: exitCode(for: error))
    }

    /// Names an unknown option without the value that may stand behind it, as in `-uname:password`.
    private static func hidingValues(in text: String) -> String {
        guard text.hasPrefix("Error: Unknown option '") else { return text }
        return CommandLine.arguments.filter { $0.count > 2 && $0.after("-") != nil && $0.after("--") == nil }
            .reduce(text) { $0.replacingOctets(of: $1, with: $1.prefix(2) + "…") }
    }

    /// The same for an error that a running subcommand has found.
    private static func reject(_ error: ValidationError, of command: any ParsableCommand.Type) -> Never {
        let usage = usageString(for: command).split(separator: "\n").joined(separator: "\n       ")
        let name = [CommandSetup.current.name, command.configuration.commandName].compactMap(\.self).joined(separator: " ")
        Console.error.write(failure: error.message)
        Console.error.write("Usage: \(usage)\n  See '\(name) --help' for more information.")
        exit(withError: exitCode(for: error))
    }

    /// The subcommand that the arguments of a process name; 'call' if they name none.
    static func subcommand(of arguments: [String]) -> any ParsableCommand.Type {
        let named = arguments.dropFirst().first.flatMap { word in
            configuration.subcommands.first { $0.configuration.commandName == word }
        }
        return named ?? CallCommand.self
    }

    /// The names of the subcommands.
    static var names: [String] { configuration.subcommands.compactMap { $0.configuration.commandName } }

    /// The output of `--version`.
    static var version: String {
        let library = CurlTransport.capabilities
        return [
            "\(ProcessInfo.processInfo.processName) \(CurlTransport.kitVersion)", "libcurl \(CurlTransport.version)",
            library.tlsBackend ?? "no TLS", library.httpVersions.map { "HTTP/\($0)" }.joined(separator: " and "),
        ].joined(separator: ", ")
    }
}
