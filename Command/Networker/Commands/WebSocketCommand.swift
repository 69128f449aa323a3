import ArgumentParser
import CoreAPI
import CoreAPIHTTP
import CoreAPIWebSocket
import Foundation

/// `networker ws`
struct WebSocketCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandSetup.current.name
        let channel = CommandSetup.current.registry.names.first ?? "CHANNEL"
        return CommandConfiguration(
            commandName: "ws",
            abstract: "Open a WebSocket: send each line of standard input as a message, and print the messages.",
            usage: """
                \(name) ws <address> [options]
                \(name) ws <channel> <path> [options]
                """,
            discussion: """
                Each line is sent as a text, as it is; a server may want JSON. Standard output has the messages only: a text \
                and a line end, or the bytes of a binary message as they are. \
                Standard error says how the socket ended.

                At the end of the input the socket stays open for --wait seconds after the last message, and is then closed \
                with 1000. The exit code is 0 if it was closed with 1000, 1001 or no code, 1 after any other end, and 64 for an \
                invalid command line.

                EXAMPLES
                  \(name) ws wss://example.com/chat
                  \(name) ws :8080/feed --subprotocol v2 < /dev/null --wait 3600
                  \(name) ws \(channel) orders/7/courier --verbose
                """)
    }

    @Argument(help: ArgumentHelp("An address, or a channel.", valueName: "address|channel"))
    var word: String

    @Argument(help: ArgumentHelp("The path, after a channel.", valueName: "path"))
    var path: String?

    @OptionGroup var options: ChannelOptions

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A header; overrides the channel's header of that name.", valueName: "name: value"),
        transform: HeaderLine.init)
    var header: [HeaderLine] = []

    @Option(help: ArgumentHelp("A subprotocol to offer; repeat for several, best first.", valueName: "name"))
    var subprotocol: [String] = []

    @Flag(help: "Offer no compression.")
    var uncompressed = false

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The time limit until the socket is open.", valueName: "seconds"),
        transform: TimeLimit.init)
    var timeout = TimeLimit(seconds: 60)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long to wait for another message after the end of the input.", valueName: "seconds"),
        transform: TimeLimit.init)
    var wait = TimeLimit(seconds: 1)

    @Flag(name: .shortAndLong, help: "Print the result of the handshake on standard error.")
    var verbose = false

    func validate() throws { _ = try plan() }

    func run() async throws {
        let (target, endpoint) = try plan()
        let channel = target.channel()
        var isOpen = false
        do {
            let socket = try await CommonDispatcher(channel: channel).webSocket(endpoint, socketOptions)
            isOpen = true
            if verbose { Console.error.write(handshake(of: socket)) }
            try await talk(over: socket)
            await channel.close()
        } catch {
            await channel.close()
            let failure = error as? APIClientError
            if let failure { Console.error.write(bodyOf: failure) }
            Console.error.write(failure: failure.map(target.line) ?? error.readableDescription)
            if let failure, let advice = advice(about: failure, target, isOpen: isOpen) { Console.error.write(hint: advice) }
            throw ExitCode.failure
        }
    }

    private func advice(about error: APIClientError, _ target: CallTarget, isOpen: Bool) -> String? {
        guard case .verification(.unacceptableStatus(let status, _), _) = error.untranslated, status < 300 || status >= 400 else {
            return target.advice(about: error, hasResponded: isOpen)?.replacing("https://", with: "wss://").replacing(
                "http://", with: "ws://")
        }
        return "the server answered as for a page; check that this path is a WebSocket's, and what its server requires"
    }

    private var socketOptions: WebSocket.Options {
        var options = WebSocket.Options()
        options.subprotocols = subprotocol
        if uncompressed { options.compression = nil }
        return options
    }

    private func handshake(of socket: WebSocket) -> String {
        "open, subprotocol \(socket.subprotocol?.escapingControls ?? "none"), \(socket.isCompressed ? "" : "not ")compressed"
    }

    // MARK: - The command line

    private func plan() throws -> (CallTarget, any Endpoint) {
        try header.checkNamesAreDistinct()
        let word = word.withHTTPScheme
        let target = try options.target(word)
        let path: String
        if CommandSetup.current.registry.entry(word) != nil {
            guard let given = self.path else {
                throw ValidationError("expected a path after '\(word.escapingControls)', such as orders/7/courier")
            }
            guard !given.containsOctets(of: "://") else {
                throw ValidationError(
                    "'\(word.escapingControls)' names its own host; expected a path below it, or the address without the channel")
            }
            if let base = try? HTTPURL(target.channel().environment.baseURL) { try base.check(path: given) }
            path = given
        } else {
            guard self.path == nil else {
                throw ValidationError("the address already has a path; expected no '\((self.path ?? "").escapingControls)'")
            }
            guard let address = try Address(word) else { throw ValidationError("expected an address or a channel") }
            try address.origin.check(path: address.target)
            path = address.target
        }
        var fields: Headers = [:]
        for line in header { fields[line.name] = line.value }
        let limit = timeout.duration
        let endpoint = TypedEndpoint(
            .get, path, headers: fields, modifiers: [Timeout(connect: min(limit, .seconds(10)), idle: limit, total: limit)],
            name: "ws \(path.before(anyOf: "?"))")
        return (target, endpoint)
    }

    // MARK: - The conversation

    private func talk(over socket: WebSocket) async throws {
        let received = Mutex(0)
        let sending = Task {
            try await sendLines(over: socket)
            // The peer may still answer the last line.
            var before = -1
            while case let now = received.withLock({ $0 }), now != before {
                before = now
                try await Task.sleep(for: wait.duration)
            }
            await socket.close()
        }
        defer { sending.cancel() }
        for try await message in socket {
            received.withLock { $0 += 1 }
            Console.output.write(bytes: Self.shown(message, isTerminal: Console.output.isTerminal))
        }
        guard let closing = socket.closing else { return }
        let reason = closing.reason.isEmpty ? "" : ", '\(closing.reason.escapingControls)'"
        Console.error.write("closed by \(closing.side == .here ? "this side" : "the peer"): \(closing.code)\(reason)")
    }

    /// The bytes of a message on standard output. The peer must not control a terminal.
    static func shown(_ message: WebSocket.Message, isTerminal: Bool) -> Data {
        switch (message, isTerminal) {
        case (.text(let text), false): Data((text + "\n").utf8)
        case (.binary(let data), false): data
        case (.text(let text), true): Data((escaped(text) + "\n").utf8)
        case (.binary(let data), true): Data(escaped(String(decoding: data, as: UTF8.self)).utf8)
        }
    }

    private static func escaped(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { String($0).escapingControls }
            .joined(separator: "\n")
    }

    private func sendLines(over socket: WebSocket) async throws {
        while let line = await nextLine() { try await socket.send(.text(line)) }
    }

    /// Waits on a separate thread, because a terminal may be silent for hours.
    private func nextLine() async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: readLine()) }
        }
    }
}
