import ArgumentParser
import CoreAPI
import Foundation

/// `networker new`
struct NewCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "new",
            abstract: "Write the files of a channel or of a feature into the package in this folder.",
            discussion: """
                A channel is a backend; a feature is one of its requests, with models, interactor, fixture and test. Both \
                commands work in the kit's repository and in a package of your own. Existing files stay as they are.

                EXAMPLES
                  \(CommandSetup.current.name) new channel BK --host books.example --kit ../NetworkerKit
                  \(CommandSetup.current.name) new feature BK OrderList --path orders
                  \(CommandSetup.current.name) new feature BK Book --path 'books/{id}'
                """,
            subcommands: [NewChannelCommand.self, NewFeatureCommand.self, NewOtherCommand.self],
            defaultSubcommand: NewOtherCommand.self)
    }
}

/// What is neither a channel nor a feature. ArgumentParser would call each word unexpected, and not say what it expects.
struct NewOtherCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "other", shouldDisplay: false)
    }

    @Argument(parsing: .allUnrecognized)
    var words: [String] = []

    func run() throws {
        let kinds = ["channel", "feature"]
        let got = words.first.map { ", got '\($0)'" } ?? ""
        let meant = words.first.flatMap(kinds.nearest).map { "write \($0)" }
        let name = CommandSetup.current.name
        throw Rejection("expected \(kinds.alternatives) after 'new'\(got)", do: meant ?? "'\(name) new --help' shows both").show()
    }
}

/// `networker new channel`
struct NewChannelCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "channel",
            abstract: "Write a channel: its networker, a test, a fixture, and its lines in Package.swift.",
            discussion: """
                In a package of your own Package.swift gets the kit, two libraries and their tests. If SwiftPM cannot read the \
                result, the file is restored.

                The exit code is 64 if nothing was written.
                """)
    }

    @Argument(help: "A short name in capitals: BK.")
    var name: String

    @Option(help: ArgumentHelp("The channel's name for people.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("The base URL; by default a placeholder.", valueName: "address"))
    var host: String?

    @Option(help: ArgumentHelp("The kit's folder or URL, if Package.swift does not have it yet.", valueName: "path|URL"))
    var kit: String?

    @Flag(help: "Also write an executable: a command for this channel, to which you can add others.")
    var withCommand = false

    func run() async throws {
        do {
            let template = try ChannelTemplate(ChannelName(name), title: title, host: host)
            let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
            let new = NewChannel(folder: try PackageFolder(here), template: template, kit: kit, hasCommand: withCommand)
            try await new.write().show()
        } catch let rejection as Rejection {
            throw rejection.show()
        }
    }
}

/// `networker new feature`
struct NewFeatureCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "feature",
            abstract: "Write a feature of a channel: its endpoint, models, interactor, a test and a fixture.",
            discussion: """
                The models are a guess. Replace them and the fixture with those of the real server. A name in braces, as in \
                --path 'books/{id}', becomes a value of the endpoint's case. It is encoded as one segment of the path.

                The exit code is 64 if nothing was written.
                """)
    }

    @Argument(help: "The channel's name: BK.")
    var channel: String

    @Argument(help: "The feature's name: OrderList.")
    var name: String

    @Option(
        help: ArgumentHelp("The path below the host; by default the name, as in order-list. {id} is a value.", valueName: "path"))
    var path: String?

    @Option(help: ArgumentHelp("The method; POST, PUT and PATCH get a body.", valueName: "method"))
    var method = "GET"

    func run() throws {
        do {
            let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
            let new = try NewFeature(
                in: PackageFolder(here), channel: channel, name: name, path: path, method: method)
            try new.write().show()
        } catch let rejection as Rejection {
            throw rejection.show()
        }
    }
}
