/// The output of BenchPipeline: the cost of a call in the kit's pipeline, without a network.
struct PipelineCost: Codable {
    let rounds: Int
    /// Per call.
    let microseconds: Double
    let allocations: Double
    /// Bytes in use per call that waits for its transport, including its task. Missing in older records.
    let heldBytes: Double?

    /// The bound of a held call. Over libcurl a request holds some 19,000 bytes in all, and the promise for all is 1.15 × C.
    static let heldBound = 4_800.0

    /// Costs above the promise.
    var problems: [String] {
        (microseconds > 3 ? ["the pipeline takes \(microseconds) µs a call; the promise is at most 3"] : [])
            + (allocations > 12 ? ["the pipeline takes \(allocations) allocations a call; the promise is at most 12"] : [])
            + (heldBytes.map { $0 > Self.heldBound ? ["a held call takes \($0) bytes; the bound is \(Self.heldBound)"] : [] }
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
