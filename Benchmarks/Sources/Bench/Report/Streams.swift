/// In which unit a scenario with streams is shown: one request is a gigabyte, or a million events.
struct StreamUnit {
    let name: String
    /// Units of one request.
    let each: Double

    /// - Returns: `nil` for a scenario without streams.
    init?(_ label: String) {
        guard let stream = Scenario.all.first(where: { $0.name == label })?.stream else { return nil }
        let isEvents = stream.hasPrefix("events")
        (name, each) = isEvents ? ("events/s", Double(Scenario.eventCount)) : ("MB/s", Double(Scenario.largeSize) / 1e6)
    }

    /// What a client does with events, if it does not do what the kit does.
    func note(_ client: Client) -> String {
        switch client {
        case .rawc: ", empty lines counted"
        case .urlsession, .ahc: ", a plain reader of lines"
        default: ""
        }
    }
}

/// The promises for streams that the kit misses: a large body at 0.90 of raw C's speed, and 100,000 events a second.
struct StreamPromises {
    /// The scenarios, with what is wrong.
    let missed: [(label: String, problem: String)]

    init(_ results: Results) {
        missed = results.scenarios.compactMap { scenario in
            guard let unit = StreamUnit(scenario.label), let row = scenario.row(of: .kit) else { return nil }
            if scenario.label.hasPrefix("s11-") {
                let events = row.requestsPerSecond * unit.each
                return events < 100_000
                    ? (scenario.label, "\(scenario.label): \(whole(events)) events a second; the promise is 100,000") : nil
            }
            return row.ratio < 0.90 ? (scenario.label, "\(scenario.label): \(digits(row.ratio)) × C; the promise is 0.90") : nil
        }
    }

    /// What is wrong, except in scenarios that the others miss, too.
    func problems(notIn others: StreamPromises) -> [String] {
        missed.filter { miss in !others.missed.contains { $0.label == miss.label } }.map(\.problem)
    }
}
