/// One client's result of one scenario. Meter prints it, and Scripts/bench adds the server's count of connections.
struct RunLine: Decodable {
    let client: Client
    /// A scenario's label.
    let scenario: String
    let requested: Int
    let completed: Int
    /// Processor and wall seconds.
    let wall: Double
    let cpu: Double
    let requestsPerSecond: Double
    /// µs.
    let p50: Double
    let p99: Double
    /// Bytes.
    let peak: Int
    /// Counted by the client.
    let connections: Int?
    /// Counted by the server.
    let accepted: Int?
    /// Processor seconds of the client's busiest I/O thread.
    let busiest: Double?
    let failure: String?

    var busiestPerThousand: Double? { busiest.map { completed > 0 ? $0 / Double(completed) * 1000 : 0 } }
    var cpuPerThousand: Double { completed > 0 ? cpu / Double(completed) * 1000 : 0 }
}
