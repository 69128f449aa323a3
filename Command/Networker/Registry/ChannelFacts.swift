import CoreAPI

/// The main facts about a channel in one of its environments, secrets redacted.
struct ChannelFacts: Encodable, Sendable, Hashable {
    let channel: String
    let summary: String
    let environment: String
    let isSimulated: Bool
    let baseURL: String
    /// The trusted authorities.
    let authorities: String
    /// Pins by host pattern; empty if pins are not checked.
    let pins: [String: [String]]
    let allowsClearText: Bool
    /// Problems that make the channel unusable in this environment.
    let problems: [String]

    init(_ entry: ChannelEntry, in place: ChannelEntry.Place) {
        let channel = place.make()
        let environment = channel.environment
        self.channel = entry.name
        summary = entry.summary
        self.environment = place.environment
        isSimulated = place.isSimulated
        baseURL = channel.redaction.redact(base: environment.baseURL).escapingControls
        authorities = environment.serverTrustManager.authorities.summary
        pins = environment.serverTrustManager.isPinningActive ? environment.serverTrustManager.pins.pins : [:]
        allowsClearText = environment.allowsInsecureConnections
        problems = channel.problems
    }
}

extension [ChannelFacts] {
    /// A table, followed by the problems if there are any.
    func rendered(_ palette: Palette = .none) -> String {
        var table = TextTable([
            .init("channel"), .init("environment"), .init("base URL"), .init("authorities"), .init("pins", .trailing),
            .init("clear text"),
        ])
        var last = ""
        for facts in self {
            table.add([
                .init(facts.channel == last ? "" : facts.channel, .strong), .init(facts.environment),
                .init(facts.baseURL, facts.problems.isEmpty ? .plain : .bad), .init(facts.authorities),
                .init(facts.pins.isEmpty ? "none" : "\(facts.pins.values.reduce(0) { $0 + $1.count })"),
                facts.allowsClearText ? .init("allowed", .warning) : .init("rejected"),
            ])
            last = facts.channel
        }
        let problems = flatMap { facts in
            facts.problems.map { palette.paint("✗", .bad) + " \(facts.channel) \(facts.environment): \($0)" }
        }
        return ([table.rendered(palette)] + problems).joined(separator: "\n")
    }
}
