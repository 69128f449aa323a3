import TestSupport

/// Passes requests on, but holds those for one path until they are released; counts answers with 401.
final class HoldingTransport: Transport {
    private let path: String
    private let next = CurlTransport()
    private let gate: Gate
    private let counts = Shared((arrivals: 0, rejections: 0))

    /// - Parameter path: the end of the held path.
    init(holding path: String) throws { (self.path, gate) = (path, try Gate()) }

    var rejections: Int { counts.current.rejections }

    /// How many requests for the path have arrived, held or not.
    var arrivals: Int { counts.current.arrivals }

    /// Releases the held requests, and holds no further ones.
    func open() { gate.open() }

    func send(_ attempt: Attempt) async -> RawResponse {
        if attempt.request.url.path.hasSuffix(path) {
            counts.change { $0.arrivals += 1 }
            try? await gate.waitUntilOpen(timeout: .seconds(60))
        }
        let reply = await next.send(attempt)
        if reply.status == 401 { counts.change { $0.rejections += 1 } }
        return reply
    }

    func close() async { await next.close() }
}
