/// The server's record: the only state that its threads share.
struct ServerLedger: Sendable {
    /// Whether `requests` has every request; otherwise it stays empty.
    let keepsRequests: Bool
    private(set) var requests: [ReceivedRequest] = []
    private(set) var accepted = 0
    private(set) var open = 0
    private(set) var peak = 0
    private(set) var isClosed = false

    /// Requests that have begun, the count that selects faults.
    private(set) var begun = 0
    private(set) var failedHandshakes = 0
    private var whole = 0
    private var threads: Set<ObjectIdentifier> = []

    init(keepsRequests: Bool) {
        self.keepsRequests = keepsRequests
    }

    /// - Returns: The new connection's number.
    mutating func connectionAccepted() -> Int {
        defer { accepted += 1 }
        open += 1
        peak = max(peak, open)
        return accepted
    }

    mutating func connectionClosed() {
        open -= 1
    }

    /// - Returns: The request's index among the completely read ones, from 0.
    mutating func requestRead(_ request: ReceivedRequest) -> Int {
        if keepsRequests { requests.append(request) }
        guard request.defect == nil else { return whole }
        defer { whole += 1 }
        return whole
    }

    /// - Returns: The request's index among the begun ones, from 0.
    mutating func requestBegins() -> Int {
        defer { begun += 1 }
        return begun
    }

    mutating func handshakeFailed() {
        failedHandshakes += 1
    }

    mutating func close() {
        isClosed = true
    }

    mutating func threadStarts(_ thread: ObjectIdentifier) {
        threads.insert(thread)
    }

    /// - Returns: Whether it was the last one.
    mutating func threadEnds(_ thread: ObjectIdentifier) -> Bool {
        threads.remove(thread)
        return threads.isEmpty
    }

    var hasThreads: Bool { !threads.isEmpty }

    func isRunning(_ thread: ObjectIdentifier) -> Bool {
        threads.contains(thread)
    }

    /// The record as text, for an error message.
    var summary: String {
        let seen = requests.map { "\($0.method) \($0.target)" + ($0.defect.map { " (\($0))" } ?? "") }
        return "\(requests.count) requests \(seen), \(accepted) connections accepted, \(open) open"
    }
}
