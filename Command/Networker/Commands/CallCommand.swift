import ArgumentParser
import CoreAPI
import Foundation
import HTTPTypes

/// `networker call`
struct CallCommand: AsyncParsableCommand {
    /// How a request is written, in two lines.
    static var usage: String {
        let name = CommandSetup.current.name
        return """
            \(name) [call] [METHOD] <address> [items] [options]
            \(name) [call] <channel> METHOD <path> [items] [options]
            """
    }

    static var configuration: CommandConfiguration {
        let name = CommandSetup.current.name
        let channel = CommandSetup.current.registry.names.first ?? "CHANNEL"
        return CommandConfiguration(
            commandName: "call",
            abstract: "Send one request, and show its response and timeline.",
            usage: usage,
            discussion: """
                An address is https://example.com/books, example.com/books, localhost:8080 or :8080/books. Without a scheme it \
                is http for this machine and https for all others. Without a method it is GET, or POST if there is a body.

                A request to a channel passes the same stages as a feature's request: the channel's credentials, signatures, \
                retries and errors. The default environment is the sandbox if the channel has one, else its first one. \
                A message names a missing credential.

                ITEMS
                  name=value       a field of the JSON body, as text; in the query of
                                   a GET, HEAD, OPTIONS, TRACE or DELETE
                  name:=3          a field of the JSON body, as JSON
                  name==value      in the query
                  Name:value       a header; 'Name;' is one without a value
                  name@file        a file of a form; ';type=image/png' after it sets the type
                A value of @file is read from the file: note=@note.txt. In a header and in the query, a line end at the \
                file's end is left out. A backslash before a separator makes it a part of the name: a\\=b=c. A repeated name \
                becomes a list.

                OUTPUT
                On a terminal: status, body and timeline. Otherwise standard output has the body, byte for byte, and standard \
                error has the rest. If the call fails, an error status included, the exit code is 1 and the error is on standard \
                error. The exit code is 64 for an invalid command line.

                EXAMPLES
                  \(name) https://example.com/books q==swift
                  \(name) POST :8080/books title=Swift pages:=300 | jq .id
                  \(name) PUT :8080/books/1 --data @book.json --auth ege:secret
                  \(name) POST :8080/books/1/cover --form cover@cover.jpg
                  \(name) \(channel) GET orders page==1 --verbose
                  \(name) :8080/books --repeat 200 --at-a-time 8
                """)
    }

    @Argument(help: ArgumentHelp("An address, or a channel, a method and a path; then items.", valueName: "word"))
    var words: [String] = []

    @OptionGroup var options: ChannelOptions

    @OptionGroup var request: RequestOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write the body of a successful response to a file instead.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The time limit of the whole call.", valueName: "seconds"),
        transform: TimeLimit.init)
    var timeout = TimeLimit(seconds: 60)

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Send the request this many times, and show percentiles.", valueName: "n"))
    var `repeat`: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("With --repeat: how many calls run at the same time.", valueName: "m"))
    var atATime: Int?

    @Flag(help: "Print the request that would be sent, secrets redacted, and send nothing.")
    var offline = false

    @Flag(help: "Show the request as a cURL command, as the last attempt sent it; secrets redacted.")
    var curl = false

    @Flag(help: "With --curl: show secrets, so that the command can be run.")
    var revealSecrets = false

    @Option(
        help: ArgumentHelp(
            "Show the value under this name, although it is taken for a secret; may be given more than once.",
            valueName: "name"))
    var show: [String] = []

    @Flag(help: "Print JSON instead of text; times in milliseconds.")
    var json = false

    @Flag(
        name: .shortAndLong,
        help: "Show each request with its headers and its body, and each head that arrived, redirects included.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Print the body only.")
    var body = false

    @Flag(
        name: [.customShort("S"), .long],
        help: "Show the body while it arrives, over HTTP/1.1; the default for an http address in front of a pipe.")
    var stream = false

    func validate() throws {
        if revealSecrets, !curl { throw ValidationError("--reveal-secrets changes the cURL command; expected --curl as well") }
        if show.contains("") { throw ValidationError("expected --show and a name, got no name") }
        if let count = self.repeat, !(1...1_000_000).contains(count) {
            throw ValidationError("expected --repeat from 1 to 1000000, got \(count)")
        }
        if let count = atATime {
            guard self.repeat != nil else { throw ValidationError("--at-a-time changes --repeat; expected --repeat as well") }
            guard (1...10_000).contains(count) else {
                throw ValidationError("expected --at-a-time from 1 to 10000, got \(count)")
            }
        }
        for (name, isGiven) in [
            ("--output", output != nil), ("--offline", offline), ("--curl", curl), ("--body", body), ("--verbose", verbose),
            ("--stream", stream),
        ]
        where isGiven && self.repeat != nil {
            throw ValidationError("--repeat shows percentiles only; expected no \(name)")
        }
        // Options of which one would be ignored.
        let others = [
            ("--body", body), ("--output", output != nil), ("--verbose", verbose), ("--curl", curl), ("--offline", offline),
            ("--json", json),
        ]
        let clashes: [(String, Bool, [String])] = [
            ("--json", json, ["--body", "--output", "--verbose", "--offline"]),
            ("--body", body, ["--verbose", "--curl", "--offline"]),
            ("--offline", offline, ["--output"]),
            ("--stream", stream, ["--output", "--offline", "--json"]),
        ]
        for (name, isGiven, excluded) in clashes where isGiven {
            for (other, isOther) in others where isOther && excluded.contains(other) {
                throw ValidationError("\(name) and \(other) exclude each other; expected one of them")
            }
        }
        if let output { try OutputFile(path: output).check() }
    }

    func run() async throws {
        let plan = try plan()
        try request.checkInput(plan)
        defer { request.noteInput(plan) }
        var channel = plan.target.channel()
        channel.redaction = channel.redaction.showing(show)
        try request.authenticate(&channel)
        let endpoint = plan.endpoint(timeout: timeout.duration, accept: accept(of: plan, channel))
        if let count = self.repeat {
            try await repeated(endpoint, through: channel, count, plan.target)
            return
        }
        let recorder = CallRecorder()
        channel.listeners.append(recorder)
        if offline { channel.transport = OfflineTransport() }
        let dispatcher = CommonDispatcher(channel: channel)
        let (response, streamed) =
            isStreamed(plan)
            ? await dispatcher.stream(endpoint).written(to: Console.output, within: timeout.duration)
            : (await dispatcher.response(for: endpoint, as: .data), nil)
        await channel.close()
        let report = CallReport(
            response: response, calls: recorder.takeFinished(), extras: extras, identity: plan.target.identity, streamed: streamed
        )
        if offline { try show(offline: report, plan.target) } else { try show(report, plan.target) }
    }

    func plan() throws -> CallPlan { try request.plan(words, options) }

    /// Whether the body is written while it arrives. Without `--stream` that is so where it changes nothing else: clear text is
    /// HTTP/1.1 in any case, and an address has no retries.
    private func isStreamed(_ plan: CallPlan) -> Bool {
        if stream { return true }
        let isClearText = plan.target.place.word.utf8.starts(with: "http://".utf8)
        return plan.target.isAddress && isClearText && !Console.output.isTerminal && output == nil && !json && !offline
    }

    /// The same verification as a feature that decodes the response; a plain address promises no type.
    private func accept(of plan: CallPlan, _ channel: Channel) -> String {
        plan.target.isAddress ? "application/json, */*;q=0.5" : channel.coder.contentType
    }

    private var extras: CallReport.Extras {
        var extras: CallReport.Extras = []
        if verbose { extras.insert(.heads) }
        if curl { extras.insert(.cURL) }
        if revealSecrets { extras.insert(.secrets) }
        return extras
    }

    // MARK: - Output

    private func show(_ report: CallReport, _ target: CallTarget) throws {
        let isFailed = report.response.error != nil
        let isTerminal = Console.output.isTerminal
        if json {
            Console.output.write(try JSONOutput.text(report.record))
        } else if let output, !isFailed {
            let place: String
            do {
                place = try OutputFile(path: output).write(report.response.data)
            } catch {
                // The request was sent, so its response is shown instead of lost.
                Console.report.write(report.rendered(Console.report.palette))
                Console.error.write(failure: "cannot write the body to '\(output)': \(error.systemReason)")
                throw ExitCode.failure
            }
            if !body { Console.report.write(report.rendered(Console.report.palette, body: .written(place))) }
        } else if report.streamed != nil {
            if !body { Console.report.write(report.rendered(Console.report.palette, body: .left)) }
        } else if isTerminal {
            Console.output.write(
                body ? report.response.data.bodyText ?? report.notShown : report.rendered(Console.output.palette, body: .shown))
        } else {
            if output == nil { Console.output.write(bytes: report.response.data) }
            if !body { Console.error.write(report.rendered(Console.error.palette, body: output == nil ? .left : .shown)) }
        }
        guard let error = report.response.error else { return }
        Console.error.write(failure: target.line(for: error))
        if let advice = target.advice(about: error, hasResponded: report.hasResponse) { Console.error.write(hint: advice) }
        throw ExitCode.failure
    }

    private func show(offline report: CallReport, _ target: CallTarget) throws {
        let requests = report.exchanges.map { exchange in
            var exchange = exchange
            exchange.head = nil
            exchange.error = nil
            return exchange
        }
        // The response is not the server's, so only an error before it counts.
        guard !requests.isEmpty else {
            Console.error.write(failure: report.response.error.map(target.line) ?? "no request was built")
            throw ExitCode.failure
        }
        let cURL = report.cURL.map { "\n\n" + $0 } ?? ""
        Console.output.write(
            requests.map { HeaderListing(exchange: $0).rendered(Console.output.palette) }.joined(separator: "\n\n") + cURL)
    }

    private func repeated(_ endpoint: any Endpoint, through channel: Channel, _ count: Int, _ target: CallTarget) async throws {
        let repetition = await Repetition.run(
            endpoint, through: CommonDispatcher(channel: channel), count, atATime: atATime ?? 1)
        await channel.close()
        Console.output.write(
            json ? try JSONOutput.text(repetition.record) : repetition.rendered(Console.output.palette))
        guard let error = repetition.firstError else { return }
        Console.error.write(
            failure: "\(repetition.failures) of \(count) calls failed, one of them with: \(target.line(for: error))")
        if let advice = target.advice(about: error) { Console.error.write(hint: advice) }
        throw ExitCode.failure
    }
}
