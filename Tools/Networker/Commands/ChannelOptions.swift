import ArgumentParser
import CoreAPI

/// Which channel a command is about, and where and on whose word it speaks.
struct ChannelOptions: ParsableArguments {
    @Argument(help: "The channel's name; 'networker channels' lists them.", completion: .list(ChannelRegistry.standard.names))
    var channel: String

    @Option(help: ArgumentHelp("production, staging or sandbox.", valueName: "name"))
    var environment: String?

    @Option(
        help: ArgumentHelp("Another base URL; the environment's credentials and trust stay.", valueName: "url"),
        transform: HTTPURL.init(argument:))
    var host: HTTPURL?

    @Option(
        help: ArgumentHelp("Whom to trust instead: PEM certificates in a file, or the word system.", valueName: "file.pem"),
        completion: .file(extensions: ["pem", "crt"]), transform: CallTarget.Authority.init)
    var authority: CallTarget.Authority?

    func target() throws -> CallTarget {
        try CallTarget(
            place: ChannelRegistry.standard.entry(channel).place(environment), host: host, authority: authority)
    }
}
