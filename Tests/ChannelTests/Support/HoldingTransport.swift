import TestSupport

/// Passes requests on, but holds those for one path until they are released; counts answers with 401.
final class HoldingTransport: Transport {
    private struct State {
        var isOpen = false
        var held: [CheckedContinuation<Void, Never>] = []
        var rejections = 0
        var arrivals = 0
    }

    private let path: String
    private let next: any Transport
    private let state = Mutex(State())

    /// - Parameter path: the end of the held path.
    init(holding path: String, next: any Transport = CurlTransport()) {
        self.path = path
        self.next = next
    }

    /// How many responses were 401.
    var rejections: Int { state.withLock { $0.rejections } }

    /// How many requests for the path have arrived, held or not.
    var arrivals: Int { state.withLock { $0.arrivals } }

    /// Releases the held requests, and holds no further ones.
    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for request in held { request.resume() }
    }

    func send(_ attempt: Attempt) async -> RawResponse {
        if attempt.request.url.path.hasSuffix(path) {
            await withCheckedContinuation { continuation in
                let mayPass = state.withLock { state in
                    state.arrivals += 1
                    if !state.isOpen { state.held.append(continuation) }
                    return state.isOpen
                }
                if mayPass { continuation.resume() }
            }
        }
        let reply = await next.send(attempt)
        if reply.status == 401 { state.withLock { $0.rejections += 1 } }
        return reply
    }

    func close() async { await next.close() }
}
