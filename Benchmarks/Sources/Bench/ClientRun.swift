import Foundation

/// One scenario with one client: this process becomes the client.
struct ClientRun {
    private let program: String
    private var words: [String]

    init(_ arguments: Arguments) throws {
        guard let client = Client(rawValue: try arguments.text("client")) else {
            throw UsageProblem("--client is one of: \(Client.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let scenario = try Scenario.named(arguments.text("scenario"))
        let count = try arguments.number("count")
        let atOnce = scenario.atOnce ?? count
        // Enough to open every connection. Before held requests, one request suffices to show that the server answers.
        let warm =
            try arguments.optional("warm") == nil
            ? (scenario.warmPath == nil && scenario.stream == nil ? max(atOnce * 4, 200) : 1) : arguments.number("warm")

        words = [
            "--client", client.rawValue, "--scenario", scenario.label(count: count), "--base", try arguments.text("url"),
            "--path", scenario.path, "--warm-path", scenario.warmPath ?? scenario.path, "--count", "\(count)", "--warm",
            "\(warm)",
            "--at-once", "\(atOnce)", "--decode", scenario.decoding,
        ]
        if scenario.isHTTP2 {
            // Raises the streams per connection, not the connections, if a client has that setting.
            words += ["--streams", "\(max(atOnce, 256))"]
        } else if scenario.raisesLimits {
            words += ["--host-limit", "\(atOnce)"]
        }
        if scenario.isHTTP2, let authority = arguments.optional("authority") { words += ["--ca", authority] }
        words += ["--channels", "\(scenario.channels)"]
        if let loops = scenario.loops { words += ["--loops", "\(loops)"] }
        if let neighbour = scenario.neighbour, !client.isRaw {
            words += ["--neighbour", try arguments.text(neighbour == "/held" ? "holding-url" : "url") + neighbour]
            if scenario.isNeighbourApart { words.append("--apart") }
        }
        if let stream = scenario.stream {
            let size = stream.hasPrefix("events") ? Scenario.eventCount : Scenario.largeSize
            words += ["--stream", stream, "--bytes", "\(size)"]
            if let file = scenario.file {
                let directory = try arguments.text(stream == "down" ? "target" : "directory")
                words += ["--file", "\(directory)/\(file)"]
            }
        }
        if client == .rawcSocket { words.append("--socket-action") }
        if client == .rawcAsKit { words.append("--as-kit") }
        if client == .bareExecutor { words.append("--executor") }

        let place = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let path = place.appendingPathComponent(client.program).path
        let wrapper = arguments.optional("under")?.split(separator: " ").map(String.init) ?? []
        words = wrapper + [path] + words
        program = words[0]
    }

    /// Returns only by throwing.
    func start() throws {
        let pointers = words.map { strdup($0) } + [nil]
        execvp(program, pointers)
        throw UsageProblem("cannot start \(program): \(String(cString: strerror(errno)))")
    }
}
