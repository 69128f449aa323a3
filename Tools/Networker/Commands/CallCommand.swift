import ArgumentParser
import CoreAPI
import Foundation
import HTTPTypes

/// `networker call`
struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Send one request through a channel, and show its answer and timeline.",
        discussion: """
            The request passes the same stages as a feature's request: the channel's credentials, signatures, retries and \
            errors. name=value goes into the query; for POST, PUT, PATCH and similar methods into a JSON body. A repeated name \
            becomes a list.

            The default environment is the sandbox if the channel has one, else its first environment. Credentials for \
            production and staging come from the process's environment; a message names a missing variable.

            If the call fails, an error status included, the exit code is 1 and the error is on standard error. The exit code is \
            64 for an invalid command line.

            EXAMPLES, with 'networker sandbox' running in another terminal
              networker call TY GET discovery/v1/products/search q=çanta size=2
              networker call DL GET orders page=1 --verbose
              networker call ML GET restaurants lat=41.04 lon=29 --json | jq .body
              networker call ID POST baskets/b-1/checkout --data \\
                '{"addressId":"home","items":[{"productId":"p-simit","quantity":2}]}'
              networker call DL GET orders --curl --reveal-secrets
              networker call HTTPBin GET anything --host https://httpbin.org
            """)

    @OptionGroup var place: ChannelOptions

    @Argument(help: "The method, such as GET or POST.", transform: HTTPRequest.Method.init(argument:))
    var method: HTTPRequest.Method

    @Argument(help: "The path below the base URL; may contain a query: 'orders?page=1'.")
    var path: String

    @Argument(help: ArgumentHelp("Parameters.", valueName: "name=value"), transform: NamedValue.init)
    var values: [NamedValue] = []

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A header; overrides the channel's header of that name.", valueName: "name: value"),
        transform: HeaderLine.init)
    var header: [HeaderLine] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The body, or @ and the name of a file that contains it.", valueName: "text|@file"),
        transform: CallBody.init)
    var data: CallBody?

    @Option(help: ArgumentHelp("The time limit of the whole call.", valueName: "seconds"))
    var timeout: Double = 60

    @Flag(help: "Show the request as a cURL command, as the last attempt sent it; secrets redacted.")
    var curl = false

    @Flag(help: "With --curl: show secrets, so that the command can be run.")
    var revealSecrets = false

    @Flag(help: "Print JSON instead of text; times in milliseconds.")
    var json = false

    @Flag(name: .shortAndLong, help: "Show the head lines of every exchange, secrets redacted.")
    var verbose = false

    func validate() throws {
        try header.checkNamesAreDistinct()
        let channel = try place.target().channel()
        // The call reports a malformed base URL of the environment, because that is a problem of the channel.
        if let base = try? HTTPURL(channel.environment.baseURL) { try base.check(path: path) }
        if data != nil, !values.isEmpty, method.takesValuesInBody {
            throw ValidationError("with \(method.rawValue), name=value and --data would both be the body; expected one of them")
        }
        if revealSecrets, !curl { throw ValidationError("--reveal-secrets changes the cURL command; expected --curl as well") }
        guard timeout > 0, timeout <= 86_400 else { throw ValidationError("expected a --timeout from 0 to 86400 seconds") }
    }

    func run() async throws {
        let target = try place.target()
        var channel = target.channel()
        let recorder = CallRecorder()
        channel.listeners.append(recorder)
        let response = await CommonDispatcher(channel: channel).response(for: endpoint(of: channel), as: .data)
        await channel.close()

        let report = CallReport(response: response, calls: recorder.takeFinished(), extras: extras)
        Console.output.write(json ? try JSONOutput.text(report.record) : report.rendered(Console.output.palette))
        guard let error = response.error else { return }
        Console.error.write(failure: error.description)
        if let advice = target.advice(about: error) { Console.error.write(hint: advice) }
        throw ExitCode.failure
    }

    private func endpoint(of channel: Channel) -> AdHocEndpoint {
        // The same verification as a feature that decodes the answer.
        var headers: Headers = ["Accept": channel.coder.contentType]
        for line in header { headers[line.name] = line.value }
        return AdHocEndpoint(
            method: method, path: path, headers: headers, values: values, body: data, timeout: .seconds(timeout))
    }

    private var extras: CallReport.Extras {
        var extras: CallReport.Extras = []
        if verbose { extras.insert(.heads) }
        if curl { extras.insert(.cURL) }
        if revealSecrets { extras.insert(.secrets) }
        return extras
    }
}
