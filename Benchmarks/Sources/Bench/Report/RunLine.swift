/// One client's answer to one scenario; Meter prints it and Scripts/bench adds the server's count of connections.
struct RunLine: Decodable {
    let client: Client
    /// A scenario's label.
    let scenario: String
    let requested: Int
    let completed: Int
    /// Seconds, processor's and of the clock.
    let wall: Double
    let cpu: Double
    let requestsPerSecond: Double
    /// µs.
    let p50: Double
    let p99: Double
    /// Bytes.
    let peak: Int
    /// As the client counts them.
    let connections: Int?
    /// As the server counts them.
    let accepted: Int?
    /// Processor seconds of the busiest thread that does the client's I/O.
    let busiest: Double?
    let failure: String?

    var busiestPerThousand: Double? { busiest.map { completed > 0 ? $0 / Double(completed) * 1000 : 0 } }
    var cpuPerThousand: Double { completed > 0 ? cpu / Double(completed) * 1000 : 0 }
}
