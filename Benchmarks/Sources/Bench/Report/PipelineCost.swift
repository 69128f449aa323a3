/// What BenchPipeline says: the kit's own way of a call, without a network.
struct PipelineCost: Codable {
    let rounds: Int
    /// Of one call.
    let microseconds: Double
    let allocations: Double

    /// Where more is taken than is promised.
    var problems: [String] {
        (microseconds > 3 ? ["the pipeline takes \(microseconds) µs a call, promised are at most 3"] : [])
            + (allocations > 12 ? ["the pipeline takes \(allocations) allocations a call, promised are at most 12"] : [])
    }
}

extension Table {
    init(_ cost: PipelineCost) {
        heads = ["ten enhancers, three interceptors, a transport in memory", "a call", "promised"]
        rows = [["µs", digits(cost.microseconds), "3.00"], ["mallocs", digits(cost.allocations), "12.00"]]
    }
}
