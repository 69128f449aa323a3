import ArgumentParser
import CoreAPI

/// The channel, host and authority of a command.
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
        help: ArgumentHelp(
            "The authorities to trust instead: a file of PEM certificates, or the word system.", valueName: "file.pem"),
        completion: .file(extensions: ["pem", "crt"]), transform: CallTarget.Authority.init)
    var authority: CallTarget.Authority?

    func target() throws -> CallTarget {
        try CallTarget(
            place: ChannelRegistry.standard.entry(channel).place(environment), host: host, authority: authority)
    }
}
