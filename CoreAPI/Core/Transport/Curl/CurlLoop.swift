internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The door to the thread that owns libcurl.
///
/// **Everything that libcurl does for one transport happens on one thread**, which the first request starts. Everybody else puts a
/// message into the mailbox and, if the thread sleeps, wakes it. Only that thread resumes who waits for a response. (`curl_multi_wakeup`
/// is made to be called by others, and `curl_global_init` and `curl_version_info` are global.)
///
/// The thread sleeps only after it has found the mailbox empty and raised `sleeper` under the same lock. Whoever posts takes
/// `sleeper` down and wakes; a wake-up between the lock and the sleep is latched by libcurl, so none is lost.
final class CurlLoop: Sendable {
    enum Message {
        case submit(CurlTransfer)
        case cancel(CurlTransfer)
    }

    private enum Phase {
        case idle
        case running(LoopThread)
        case closing(LoopThread)
        case ended(LoopThread?)
    }

    private struct State {
        var phase = Phase.idle
        var messages: [Message] = []
        /// Set while the thread sleeps or is about to.
        var sleeper: CurlMulti.Waker?
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let limits: Limits
    private let state = Mutex(State())
    /// Threads that took `sleeper` and did not return from waking it; the multi handle lives until there is none.
    private let wakers = Atomic(0)

    init(limits: Limits) {
        self.limits = limits
    }

    /// Transfers that libcurl works on, and those that wait for a place. Set by the loop's thread before it resumes anybody, so that
    /// who hears of the end of the last one sees none left.
    let active = Atomic(0)
    let queued = Atomic(0)

    /// Whether the thread lives.
    var isRunning: Bool {
        state.withLock { state in
            switch state.phase {
            case .running, .closing: true
            case .idle, .ended: false
            }
        }
    }

    // MARK: - From any thread

    /// Hands a transfer over and waits until its outcome stands. Cancelling the task cancels the transfer.
    func perform(_ transfer: CurlTransfer) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                transfer.continuation = continuation
                guard let refusal = submit(transfer) else { return }
                transfer.resume(.failed(refusal))
            }
        } onCancel: {
            // May come before the transfer itself: the messages keep their order, and the loop remembers.
            cancel(transfer)
        }
        _ = transfer.isOver.load(ordering: .acquiring)
    }

    /// Ends the thread and waits for its end. Everything that waits or runs fails with ``TransportError/closed``.
    func close() async {
        await withCheckedContinuation { continuation in
            let (isOver, waker) = state.withLock { state -> (Bool, CurlMulti.Waker?) in
                switch state.phase {
                case .idle:
                    state.phase = .ended(nil)
                    return (true, nil)
                case .ended: return (true, nil)
                case .running(let thread):
                    state.phase = .closing(thread)
                    state.closers.append(continuation)
                    return (false, takeSleeper(&state))
                case .closing:
                    state.closers.append(continuation)
                    return (false, nil)
                }
            }
            wake(waker)
            if isOver { continuation.resume() }
        }
        let thread = state.withLock { state -> LoopThread? in
            guard case .ended(let thread) = state.phase else { return nil }
            return thread
        }
        thread?.join()
    }

    /// As ``close()`` for an owner that goes away and cannot wait.
    func abandon() {
        let waker = state.withLock { state -> CurlMulti.Waker? in
            guard case .running(let thread) = state.phase else { return nil }
            state.phase = .closing(thread)
            thread.detach()
            return takeSleeper(&state)
        }
        wake(waker)
    }

    /// - Returns: why the transfer cannot be taken.
    private func submit(_ transfer: CurlTransfer) -> TransportError? {
        let (refusal, waker) = state.withLock { state -> (TransportError?, CurlMulti.Waker?) in
            switch state.phase {
            case .idle:
                guard let thread = LoopThread({ CurlWorker.run(for: self, limits: self.limits) }) else {
                    return (.curl(code: 27, message: "the system gives no further thread"), nil)
                }
                state.phase = .running(thread)
            case .running: break
            case .closing, .ended: return (.closed, nil)
            }
            state.messages.append(.submit(transfer))
            return (nil, takeSleeper(&state))
        }
        wake(waker)
        return refusal
    }

    private func cancel(_ transfer: CurlTransfer) {
        let waker = state.withLock { state -> CurlMulti.Waker? in
            switch state.phase {
            case .idle, .running: state.messages.append(.cancel(transfer))
            case .closing, .ended: return nil
            }
            return takeSleeper(&state)
        }
        wake(waker)
    }

    private func takeSleeper(_ state: inout State) -> CurlMulti.Waker? {
        guard let waker = state.sleeper else { return nil }
        state.sleeper = nil
        wakers.add(1, ordering: .relaxed)
        return waker
    }

    private func wake(_ waker: CurlMulti.Waker?) {
        guard let waker else { return }
        waker.wake()
        wakers.subtract(1, ordering: .releasing)
    }

    // MARK: - From the loop's thread

    /// Swaps the mailbox for an empty one.
    ///
    /// - Returns: whether the transport is being closed; then no further message comes.
    func collect(into messages: inout [Message]) -> Bool {
        state.withLock { state in
            state.sleeper = nil
            swap(&state.messages, &messages)
            guard case .closing = state.phase else { return false }
            return true
        }
    }

    /// Notes that the thread is about to sleep, unless there is something to do.
    func maySleep(_ waker: CurlMulti.Waker) -> Bool {
        state.withLock { state in
            guard state.messages.isEmpty, case .running = state.phase else { return false }
            state.sleeper = waker
            return true
        }
    }

    /// Returns when no other thread is about to wake this one, so that the multi handle may go.
    func retireWaker() {
        state.withLock { $0.sleeper = nil }
        while wakers.load(ordering: .acquiring) > 0 { sched_yield() }
    }

    /// The thread's last word. After a failed start the next request may try again; what was handed over until now fails.
    func threadEnds(failing error: TransportError = .closed) {
        let (closers, stranded) = state.withLock { state -> ([CheckedContinuation<Void, Never>], [Message]) in
            switch state.phase {
            case .closing(let thread): state.phase = .ended(thread)
            case .running(let thread):
                thread.detach()
                state.phase = .idle
            case .idle, .ended: break
            }
            defer {
                state.closers = []
                state.messages = []
            }
            return (state.closers, state.messages)
        }
        for message in stranded {
            switch message {
            case .submit(let transfer):
                transfer.resume(.failed(error))
            case .cancel: break
            }
        }
        for closer in closers { closer.resume() }
    }
}
