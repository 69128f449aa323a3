internal import CCurl

/// Easy handles that are between two transfers. Making one and freeing one are 15,000 instructions together. The loop does both when it
/// is about to sleep, for one at a time; where it has more to do than that, whoever needs a handle does it, because the loop's thread
/// is what every transfer waits for.
final class CurlHandlePool: Sendable {
    private struct State {
        var ready: [CurlHandle] = []
        var spent: [CurlHandle] = []
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: how many are kept that have served a transfer, where the linked libcurl can bear that
    ///   (``CurlVersion/mayReuseHandles``); none with 0.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// A handle that nobody else has; `nil` when libcurl gives no further one.
    func take() -> CurlHandle? {
        let (ready, spent) = state.withLock { state -> (CurlHandle?, CurlHandle?) in
            if let ready = state.ready.popLast() { return (ready, nil) }
            return (nil, state.spent.popLast())
        }
        if let ready { return ready }
        return renewed(spent)
    }

    /// Takes a handle back that is in no multi handle.
    func put(_ handle: CurlHandle) {
        state.withLock { $0.spent.append(handle) }
    }

    /// Has a handle ready for the next transfer, and frees what has served and is more than may be kept.
    ///
    /// - Parameter isIdle: whether nothing is under way. Otherwise a few are left for whoever needs one next: a step is enough.
    func prepare(isIdle: Bool) {
        let (isWanted, spent) = state.withLock { ($0.ready.isEmpty, $0.ready.isEmpty ? $0.spent.popLast() : nil) }
        if isWanted, let handle = renewed(spent) { state.withLock { $0.ready.append(handle) } }
        let limit = isIdle ? capacity : max(capacity, Self.waiting)
        let surplus = state.withLock { state in
            let count = max(0, state.spent.count - limit)
            defer { state.spent.removeLast(count) }
            return Array(state.spent.suffix(count))
        }
        withExtendedLifetime(surplus) {}
    }

    /// How many that have served may wait to be freed.
    private static let waiting = 16

    /// The same handle as new, where libcurl can bear that, or another one in its place.
    private func renewed(_ spent: consuming CurlHandle?) -> CurlHandle? {
        if capacity > 0, let spent, spent.reset() { return spent }
        // Before the new one is made, which gets its memory.
        spent = nil
        return CurlGlobal.code == CURLE_OK ? CurlHandle() : nil
    }

    /// Frees every handle.
    func drain() {
        let all = state.withLock { state in
            defer { state = State() }
            return state
        }
        withExtendedLifetime(all) {}
    }
}

extension TransportError {
    /// libcurl has no memory for another handle (`CURLE_OUT_OF_MEMORY`).
    static let outOfHandles = TransportError.curl(code: 27, message: "out of memory for another transfer")
}
