/// The clients to compare.
enum Client: String, CaseIterable, Codable, Sendable {
    case rawc
    case rawcSocket = "rawc-socket"
    case rawcAsKit = "rawc-as-kit"
    case bare
    case bareExecutor = "bare-executor"
    case kit
    case urlsession, ahc

    /// The program of this client; see Package.swift.
    var program: String {
        switch self {
        case .rawc, .rawcSocket, .rawcAsKit: "BenchRaw"
        case .bare, .bareExecutor: "BenchBare"
        case .kit: "BenchKit"
        case .urlsession: "BenchURLSession"
        case .ahc: "BenchAHC"
        }
    }
    var title: String {
        switch self {
        case .rawc: "libcurl from C, curl_multi_poll"
        case .rawcSocket: "libcurl from C, multi_socket"
        case .rawcAsKit: "libcurl from C, with the kit's options"
        case .bare: "libcurl from Swift tasks, with the kit's options"
        case .bareExecutor: "libcurl from Swift tasks on its thread"
        case .kit: "NetworkerKit"
        case .urlsession: "URLSession"
        case .ahc: "async-http-client"
        }
    }
    var isRaw: Bool { program == "BenchRaw" }
}

/// The load of one scenario. Clients get its parts, not its name.
struct Scenario: Sendable {
    let name: String
    let title: String
    /// Requests at the same time; `nil` for all of them.
    var atOnce: Int?
    let path: String
    /// The path of the requests before the measurement; a held path would only cost time.
    var warmPath: String?
    var decoding = "body"
    /// Whether the clients' limits are raised to the requests at the same time.
    var raisesLimits = true
    var isHTTP2 = false
    /// For clients that share threads: the number of channels used in turn, and of threads.
    var channels = 1
    var loops: Int?
    /// The address that another client requests all the time, and whether that client has separate threads.
    var neighbour: String?
    var isNeighbourApart = false
    /// What is streamed, as in `Job.Stream`; `nil` for bodies that are collected.
    var stream: String?
    /// The file's name in the directory of "data"; `nil` for a sequence.
    var file: String?

    /// The bytes of a streamed body.
    static let largeSize = 1 << 30
    /// The events of a stream of them.
    static let eventCount = 1_000_000

    static let all = [
        Scenario(name: "s1", title: "S1: one at a time, 1 KiB, HTTP/1.1, body only", atOnce: 1, path: "/1k"),
        Scenario(name: "s2", title: "S2: 64 at a time, 1 KiB, HTTP/1.1, body only", atOnce: 64, path: "/1k"),
        Scenario(name: "s3", title: "S3: 64 at a time, 1 KiB, TLS and HTTP/2, body only", atOnce: 64, path: "/1k", isHTTP2: true),
        Scenario(
            name: "s5", title: "S5: 8 at a time, 100 KiB of JSON decoded into [Item]", atOnce: 8, path: "/items.json",
            decoding: "array"),
        Scenario(
            name: "s6-default", title: "S6: all held 2 s at once, default settings", path: "/held", warmPath: "/now",
            raisesLimits: false),
        Scenario(
            name: "s6-raised", title: "S6: all held 2 s at once, limit raised to the count", path: "/held", warmPath: "/now"),
        Scenario(
            name: "s6-h2", title: "S6: all held 2 s at once, TLS and HTTP/2", path: "/held", warmPath: "/now", isHTTP2: true),
        Scenario(
            name: "s7", title: "S7: 64 at a time, 1 KiB of JSON decoded into an object", atOnce: 64, path: "/page.json",
            decoding: "object"),
        shared("one", "one channel, one loop"),
        shared("four", "four channels in turn, one loop", channels: 4),
        shared("two-loops", "one channel, two loops", loops: 2),
        shared("stalled", "beside a channel whose server holds 64 requests", neighbour: "/held"),
        shared("flooded", "beside a channel that downloads 8 MiB four times at once", neighbour: "/flood"),
        shared("apart", "the same, but the other channel has its own loop", neighbour: "/flood", isNeighbourApart: true),
        Scenario(name: "s9-sequence", title: "S9: 1 GiB down, as a sequence", atOnce: 1, path: "/large", stream: "down"),
        Scenario(
            name: "s9-file", title: "S9: 1 GiB down, into a file", atOnce: 1, path: "/large", stream: "down", file: "received"),
        Scenario(name: "s10-sequence", title: "S10: 1 GiB up, of a sequence", atOnce: 1, path: "/sink", stream: "up"),
        Scenario(name: "s10-file", title: "S10: 1 GiB up, of a file", atOnce: 1, path: "/sink", stream: "up", file: "large"),
        Scenario(
            name: "s11-text", title: "S11: 1,000,000 events through one connection, as text", atOnce: 1, path: "/events",
            stream: "events"),
        Scenario(
            name: "s11-decoded", title: "S11: 1,000,000 events through one connection, decoded", atOnce: 1, path: "/events",
            stream: "events-decoded"),
    ]

    private static func shared(
        _ name: String, _ title: String, channels: Int = 1, loops: Int = 1, neighbour: String? = nil,
        isNeighbourApart: Bool = false
    ) -> Scenario {
        Scenario(
            name: "s8-\(name)", title: "S8: 64 at a time, 1 KiB, \(title)", atOnce: 64, path: "/1k", channels: channels,
            loops: loops,
            neighbour: neighbour, isNeighbourApart: isNeighbourApart)
    }

    static func named(_ name: String) throws -> Scenario {
        guard let scenario = all.first(where: { $0.name == name }) else {
            throw UsageProblem("there is no scenario \"\(name)\"; expected one of: \(all.map(\.name).joined(separator: ", "))")
        }
        return scenario
    }

    /// The name in reports. Runs of S6 with different counts have different labels.
    func label(count: Int) -> String { atOnce == nil ? "\(name)-\(count)" : name }

    /// The title of a label.
    static func title(of label: String) -> String {
        if let scenario = all.first(where: { $0.name == label }) { return scenario.title }
        let parts = label.split(separator: "-")
        let name = parts.dropLast().joined(separator: "-")
        guard let scenario = all.first(where: { $0.name == name }), let count = parts.last else { return label }
        return scenario.title.replacing("all held", with: "\(count) held")
    }
}
