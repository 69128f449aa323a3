import CoreAPI
import NetworkerCommand

/// Checks of what a run of the demo promises to show.
struct DemoFinding: Sendable, Hashable, Encodable {
    let holds: Bool
    let text: String
}

/// Compares the recorded exchanges and the server's counts with the demo's promises.
struct DemoFindings: Sendable {
    /// The server's counts.
    struct ServerCounts: Sendable {
        let connections: Int
        let tokens: Int
        let orders: Int
    }

    private let stops: [DemoStop]
    private let server: ServerCounts

    init(_ stops: [DemoStop], _ server: ServerCounts) {
        self.stops = stops
        self.server = server
    }

    var all: [DemoFinding] { [protocolVersion, reuse, refresh, retry] }

    private var protocolVersion: DemoFinding {
        let exchanges = stops.flatMap(\.exchanges)
        let others = exchanges.filter {
            $0.metrics?.httpVersion != ($0.isApart ? "HTTP/1.1" : "HTTP/2") || $0.request.url.scheme != .https
        }
        guard let other = others.first else {
            let apart = exchanges.count(where: \.isApart)
            return DemoFinding(
                holds: !exchanges.isEmpty,
                text: "\(exchanges.count) exchanges over TLS, the server checked against its own authority: "
                    + "\(exchanges.count - apart) over HTTP/2, \(apart) with a stream or a WebSocket over HTTP/1.1")
        }
        return DemoFinding(
            holds: false,
            text:
                "expected TLS everywhere, and HTTP/2 but for streams; \(others.count) of \(exchanges.count) exchanges had "
                + "something else, the first \(other.metrics?.httpVersion ?? "nothing") for \(other.endpoint)")
    }

    private var reuse: DemoFinding {
        let exchanges = stops.flatMap(\.exchanges)
        let channels = Set(stops.map(\.channel)).count
        let reused = exchanges.count { $0.metrics?.isConnectionReused == true }
        // With HTTP/2 a channel needs one connection to a host. Streams and WebSockets have connections of their own.
        let apart = exchanges.count { $0.isApart && $0.metrics?.isConnectionReused != true }
        let expected = channels + apart
        let isOnePerChannel = server.connections == expected && reused == exchanges.count - expected
        let seen = "\(reused) of \(exchanges.count) exchanges found a connection open; the server accepted \(server.connections)"
        return DemoFinding(
            holds: isOnePerChannel,
            text: isOnePerChannel
                ? "\(seen), one for each channel and \(apart) for streams"
                : "expected \(expected) connections, one for each channel and \(apart) for streams; \(seen)")
    }

    private var refresh: DemoFinding {
        let statuses = statuses(of: "order list", in: "DL")
        let holds = statuses == [401, 200] && server.tokens == 1
        return DemoFinding(
            holds: holds,
            text: holds
                ? "DL's access token had expired: 401, one token fetched, then 200, and the feature saw only the response"
                : "expected DL's order list to be answered 401, then 200 with one new token; "
                    + "got \(statuses.listed) with \(server.tokens)")
    }

    private var retry: DemoFinding {
        let exchanges = call("basket checkout", in: "ID")?.exchanges ?? []
        let statuses = exchanges.map(\.status)
        guard statuses == [503, 201], server.orders == 1 else {
            return DemoFinding(
                holds: false,
                text: "expected ID's checkout to be answered 503, then 201 with one order placed; "
                    + "got \(statuses.listed) with \(server.orders)")
        }
        return DemoFinding(
            holds: true,
            text: "ID's checkout was answered 503 and repeated after \(exchanges[1].pause.readable) under the same idempotency "
                + "key: 201 at attempt 2, one order placed")
    }

    private func call(_ feature: String, in channel: String) -> RecordedCall? {
        stops.first { $0.channel == channel && $0.feature == feature }?.call
    }

    private func statuses(of feature: String, in channel: String) -> [Int?] {
        call(feature, in: channel)?.exchanges.map(\.status) ?? []
    }
}

extension [Int?] {
    /// `401, 200`; an attempt without a response is a dash.
    fileprivate var listed: String {
        isEmpty ? "nothing" : map { $0.map(String.init) ?? "–" }.joined(separator: ", ")
    }
}
