import ArgumentParser
import CoreAPI
import Foundation
import HTTPTypes

/// `networker events`
struct EventsCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandSetup.current.name
        let channel = CommandSetup.current.registry.names.first ?? "CHANNEL"
        return CommandConfiguration(
            commandName: "events",
            abstract: "Show the events of a server as they arrive.",
            usage: """
                \(name) events [METHOD] <address> [items] [options]
                \(name) events <channel> [METHOD] <path> [items] [options]
                """,
            discussion: """
                Connects by the standard of server-sent events. After a lost connection it connects again, and continues behind \
                the last event. The server ends the events with the status 204.

                Items, a body and credentials are those of 'call'. Without a method, the request to an address is GET, or POST \
                if there is a body; that to a channel is GET. A POST is sent once.

                Standard output has a block for each event: its name, its id, and its data, indented. Standard error tells when \
                the connection opens and ends. If the events end by an error, the exit code is 1. The exit code is 64 for an \
                invalid command line.

                EXAMPLES
                  \(name) events https://example.com/news
                  \(name) events :8080/ticks --count 3 --json | jq -r .data
                  \(name) events \(channel) orders/1/events --last-event-id 17
                  \(name) events :8080/chat stream:=true prompt=Hi --json
                """)
    }

    @Argument(help: ArgumentHelp("An address, or a channel and a path; then items.", valueName: "word"))
    var words: [String] = []

    @OptionGroup var options: ChannelOptions

    @OptionGroup var request: RequestOptions

    @Option(help: ArgumentHelp("Continue after this event.", valueName: "id"))
    var lastEventID: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How many times in a row to connect again without receiving a line; 0 for never.", valueName: "n"))
    var reconnections = 10

    @Option(parsing: .unconditional, help: ArgumentHelp("End after this many events.", valueName: "n"))
    var count: Int?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("How long the server may be silent.", valueName: "seconds"),
        transform: TimeLimit.init)
    var idle = TimeLimit(seconds: 60)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The largest number of bytes of one event; k, M and G are thousands, millions and billions.", valueName: "bytes"),
        transform: { try ByteAmount($0, "bytes") })
    var eventSize: ByteAmount?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The data that ends the events, such as [DONE] of language models.", valueName: "text"))
    var sentinel: String?

    @Flag(help: "Print each event as a line of JSON.")
    var json = false

    func validate() throws {
        guard (0...1_000_000).contains(reconnections) else {
            throw ValidationError("expected --reconnections from 0 to 1000000, got \(reconnections)")
        }
        if let count, count < 1 { throw ValidationError("expected --count of at least 1, got \(count)") }
    }

    /// The request: a GET, as the standard requires, unless the words say otherwise.
    func plan() throws -> CallPlan {
        guard let first = words.first else {
            throw ValidationError("expected an address, or a channel and a path")
        }
        var words = words
        if CommandSetup.current.registry.entry(first) != nil {
            guard words.count > 1 else {
                throw ValidationError("expected a path after '\(first.escapingControls)', such as orders/1/events")
            }
            if words.count == 2 || !HTTPRequest.Method.isKnown(words[1]) { words.insert("GET", at: 1) }
        }
        return try request.plan(words, options)
    }

    func run() async throws {
        let plan = try plan()
        if plan.method.takesValuesInBody { try request.checkInput(plan) }
        var channel = plan.target.channel()
        try request.authenticate(&channel)
        do {
            try await follow(plan, through: channel)
            await channel.close()
        } catch {
            await channel.close()
            Console.error.write(bodyOf: error)
            Console.error.write(failure: plan.target.line(for: error))
            if let advice = advice(about: error, plan.target) { Console.error.write(hint: advice) }
            throw ExitCode.failure
        }
    }

    private func advice(about error: APIClientError, _ target: CallTarget) -> String? {
        switch error.untranslated {
        case .transport(.timedOut(.idle, _), _): return "--idle sets another limit, in seconds"
        // The limit of a response's head has no option.
        case .transport(.timedOut(.total, _), _): return nil
        case .decoding(let failure, _):
            guard let error = failure.underlying as? StreamError, case .eventTooLarge = error.reason else { return nil }
            return "--event-size sets another limit, in bytes"
        default: return target.advice(about: error, hasResponded: error.context.streamed != nil)
        }
    }

    private func follow(_ plan: CallPlan, through channel: Channel) async throws(APIClientError) {
        let endpoint = plan.endpoint(timeout: .seconds(60), accept: "text/event-stream")
        var options = EventOptions(lastEventID: lastEventID, reconnections: reconnections, idle: idle.duration)
        options.sentinel = sentinel
        if let eventSize { options.eventSize = eventSize.bytes }
        var left = count ?? .max
        var isOpen = false
        for try await update in CommonDispatcher(channel: channel).events(endpoint, options: options).updates {
            switch update {
            case .open(let head):
                isOpen = true
                Console.error.write(EventText.opened(head))
            case .reconnecting(let pause, let error):
                isOpen = false
                Console.error.write(EventText.ended(pause, error.map(plan.target.line)))
            case .event(let event):
                let text = json ? EventText.json(event) : EventText.block(event, Console.output.palette)
                // Without a reader, as after `| head -1`, no further event is of use.
                guard Console.output.write(text) else { return }
                left -= 1
                guard left == 0 else { continue }
                Console.error.write(EventText.counted(count ?? 0))
                return
            }
        }
        // The stream has no other end without an error.
        Console.error.write(isOpen ? EventText.ended(plan.method, sentinel) : EventText.noContent)
    }
}

/// The texts for events and connections. A server's text must not control the terminal.
enum EventText {
    private struct Record: Encodable {
        let data, id, name: String
    }

    static func block(_ event: ServerSentEvent<String>, _ palette: Palette) -> String {
        let id = event.id.isEmpty ? "" : " \(event.id.escapingControls)"
        let lines = event.data.split(separator: "\n", omittingEmptySubsequences: false).map { "  \(String($0).escapingControls)" }
        return ([palette.paint(event.name.escapingControls, .strong) + id] + lines).joined(separator: "\n")
    }

    static func json(_ event: ServerSentEvent<String>) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let record = Record(data: event.data, id: event.id, name: event.name)
        // Encoding three texts cannot fail.
        return String(decoding: (try? encoder.encode(record)) ?? Data(), as: UTF8.self).escapingControlsOfJSON
    }

    static func opened(_ head: ResponseHead) -> String { "connected, \(head.status.code)" }

    static let noContent = "no more events: the server answered with the status 204"

    static func ended(_ method: HTTPRequest.Method, _ sentinel: String?) -> String {
        if let sentinel { return "ended at '\(sentinel)'" }
        let reason = method.takesValuesInBody ? "a \(method.rawValue) is sent once" : "--reconnections allows no other connection"
        return "ended by the server; \(reason)"
    }

    static func counted(_ count: Int) -> String { "closed after \(count) event\(count == 1 ? "" : "s")" }

    static func ended(_ pause: Duration, _ failure: String?) -> String {
        let reason = failure.map { "lost: \($0)" } ?? "ended by the server"
        return "\(reason.escapingControls); connecting again in \(pause.readable)"
    }
}
