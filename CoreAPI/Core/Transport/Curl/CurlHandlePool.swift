/// Easy handles that are between two transfers. Making one and freeing one are 15,000 instructions together, and are done while the
/// loop has nothing better to do: before it sleeps.
struct CurlHandlePool {
    private var ready: [CurlHandle] = []
    private var spent: [CurlHandle] = []
    private let capacity: Int

    /// - Parameter capacity: how many are kept that have served a transfer, where the linked libcurl can bear that
    ///   (``CurlVersion/mayReuseHandles``); none with 0.
    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func take() throws(TransportError) -> CurlHandle {
        if ready.isEmpty, capacity > 0 { tidy() }
        if let handle = ready.popLast() { return handle }
        guard let handle = CurlHandle() else { throw .curl(code: 27, message: "out of memory for another transfer") }
        return handle
    }

    /// Takes a handle back that was removed from its multi handle.
    mutating func put(_ handle: CurlHandle) {
        spent.append(handle)
        if spent.count >= 64 { tidy() }
    }

    /// Makes ready what has served, or frees it; and has one ready for the next transfer.
    mutating func prepare() {
        tidy()
        if ready.isEmpty, let handle = CurlHandle() { ready.append(handle) }
    }

    private mutating func tidy() {
        for handle in spent where ready.count < capacity && handle.reset() { ready.append(handle) }
        spent.removeAll(keepingCapacity: true)
    }

    /// Frees every handle. Easy handles go before their multi handle.
    mutating func drain() {
        ready.removeAll()
        spent.removeAll()
    }
}
