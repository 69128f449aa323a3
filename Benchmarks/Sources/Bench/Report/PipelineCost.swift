/// What BenchPipeline says: the kit's own way of a call, without a network.
struct PipelineCost: Codable {
    let rounds: Int
    /// Of one call.
    let microseconds: Double
    let allocations: Double
    /// In use for each call that waits for its transport, its task included. Absent from older records.
    let heldBytes: Double?

    /// A request holds some 19,000 bytes over libcurl, and the whole may be 1.15 times of what C needs.
    static let heldBound = 4_800.0

    /// Where more is taken than is promised.
    var problems: [String] {
        (microseconds > 3 ? ["the pipeline takes \(microseconds) µs a call, promised are at most 3"] : [])
            + (allocations > 12 ? ["the pipeline takes \(allocations) allocations a call, promised are at most 12"] : [])
            + (heldBytes.map { $0 > Self.heldBound ? ["a held call takes \($0) bytes, at most are to be \(Self.heldBound)"] : [] }
                ?? [])
    }
}

extension Table {
    init(_ cost: PipelineCost) {
        heads = ["ten enhancers, three interceptors, a transport in memory", "a call", "promised"]
        let held = cost.heldBytes.map { ["bytes held", digits($0), digits(PipelineCost.heldBound)] }
        rows =
            [["µs", digits(cost.microseconds), "3.00"], ["mallocs", digits(cost.allocations), "12.00"]]
            + (held.map { [$0] } ?? [])
    }
}
