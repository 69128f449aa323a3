import ArgumentParser
import CoreAPI

/// The authority of a command that connects to a server.
struct TrustOptions: ParsableArguments {
    @Option(
        name: [.long, .customLong("cacert")],
        help: ArgumentHelp(
            "The authorities to trust instead: a file of PEM certificates, or the word system.", valueName: "file.pem"),
        completion: .file(extensions: ["pem", "crt"]), transform: CallTarget.Authority.init)
    var authority: CallTarget.Authority?
}

/// The host and the authority of a command that takes a channel or an address.
struct ChannelOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The channel's environment, such as production, staging or sandbox.", valueName: "name"))
    var environment: String?

    @Option(
        help: ArgumentHelp("Another base URL of the channel; the environment's credentials and trust stay.", valueName: "url"),
        transform: HTTPURL.init(argument:))
    var host: HTTPURL?

    @OptionGroup var trust: TrustOptions

    @Option(
        help: ArgumentHelp(
            "Your certificate, for a server that asks for one, and its chain: a file of PEM.", valueName: "file.pem"),
        completion: .file(extensions: ["pem", "crt"]))
    var cert: String?

    @Option(
        help: ArgumentHelp("The private key of --cert, if that file has none: a file of PEM.", valueName: "file.pem"),
        completion: .file(extensions: ["pem", "key"]))
    var key: String?

    func validate() throws {
        if key != nil, cert == nil { throw ValidationError("--key belongs to --cert; expected --cert as well") }
    }

    /// - Parameters:
    ///   - word: a channel's name, or a plain address.
    ///   - commands: what the word may mean besides, for advice.
    /// - Throws: `ValidationError`.
    func target(_ word: String, orAny commands: [String] = []) throws -> CallTarget {
        var target = try CallTarget(word, environment: environment, host: host, authority: trust.authority, orAny: commands)
        target.identity = try cert.map { try CallTarget.Identity(certificates: $0, key: key) }
        return target
    }
}

/// The time limit of a command.
struct TimeLimit: Sendable, Hashable {
    let seconds: Double

    /// - Throws: `ValidationError` that states what was expected.
    init(_ text: String) throws {
        guard let seconds = Double(text), seconds > 0, seconds <= 86_400 else {
            throw ValidationError("expected more than 0 and at most 86400 seconds, got '\(text.escapingControls)'")
        }
        self.seconds = seconds
    }

    init(seconds: Double) {
        self.seconds = seconds
    }

    var duration: Duration { .seconds(seconds) }
}
