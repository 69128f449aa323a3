internal import CoreAPICore
internal import CoreAPILock
internal import Synchronization

/// The door to a thread that runs libcurl: one mailbox, one wake-up.
///
/// **What libcurl does for the pools of a loop happens on its thread.** Other threads put a message into the mailbox and, if the
/// thread waits, wake it. Only that thread resumes the tasks that wait for a response.
///
/// The thread waits only after it has found the mailbox empty and set `isWaiting` under the same lock. The thread that posts
/// clears `isWaiting` and signals; a pipe keeps a signal that comes before the wait, so no signal is lost.
final class Loop: Sendable {
    enum Message {
        /// A transfer, for the shard that it names.
        case submit(CurlTransfer, ConnectionPool)
        case cancel(CurlTransfer)
        /// A task has taken what waited for it, or has more to send.
        case goOn(CurlTransfer)
        /// Another shard of the pool has finished a transfer: one that waits may start.
        case startReady(PoolShard)
        case close(PoolShard, ConnectionPool)
    }

    private enum Phase {
        case idle
        case running(LoopThread, Wakeup)
        case closing(LoopThread, Wakeup)
        case ended(LoopThread?)
    }

    private struct State {
        var phase = Phase.idle
        var messages: [Message] = []
        /// Whether the thread waits or is about to.
        var isWaiting = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// For how long the thread stays without a pool.
    let patience: Duration
    private let state = Mutex(State())

    init(patience: Duration) {
        self.patience = patience
    }

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

    /// Puts a message into the mailbox, and starts the thread if it does not run.
    ///
    /// - Returns: why the message cannot be taken.
    func post(_ message: Message) -> TransportError? {
        let (refusal, wakeup) = state.withLock { state -> (TransportError?, Wakeup?) in
            switch state.phase {
            case .idle:
                if let refusal = start(&state) { return (refusal, nil) }
            case .running: break
            case .closing, .ended: return (.closed, nil)
            }
            state.messages.append(message)
            return (nil, takeWakeup(&state))
        }
        wakeup?.signal()
        return refusal
    }

    /// As ``post(_:)`` for what makes no sense without a thread.
    ///
    /// - Returns: whether there is one.
    @discardableResult
    func postIfRunning(_ message: Message) -> Bool {
        let (isTaken, wakeup) = state.withLock { state -> (Bool, Wakeup?) in
            guard case .running = state.phase else { return (false, nil) }
            state.messages.append(message)
            return (true, takeWakeup(&state))
        }
        wakeup?.signal()
        return isTaken
    }

    /// Ends the thread and waits for its end. No other starts.
    func shutdown() async {
        await withCheckedContinuation { continuation in
            let (isOver, wakeup) = state.withLock { state -> (Bool, Wakeup?) in
                switch state.phase {
                case .idle:
                    state.phase = .ended(nil)
                    return (true, nil)
                case .ended: return (true, nil)
                case .running(let thread, let wakeup):
                    state.phase = .closing(thread, wakeup)
                    state.closers.append(continuation)
                    state.isWaiting = false
                    return (false, wakeup)
                case .closing:
                    state.closers.append(continuation)
                    return (false, nil)
                }
            }
            wakeup?.signal()
            if isOver { continuation.resume() }
        }
        let thread = state.withLock { state -> LoopThread? in
            guard case .ended(let thread) = state.phase else { return nil }
            return thread
        }
        thread?.join()
    }

    private func start(_ state: inout State) -> TransportError? {
        guard let wakeup = Wakeup() else { return .curl(code: 27, message: "the process has no further descriptor") }
        guard
            let thread = LoopThread({
                var run = LoopRun(of: self, wakeup)
                run.run()
            })
        else {
            return .curl(code: 27, message: "the system gives no further thread")
        }
        state.phase = .running(thread, wakeup)
        return nil
    }

    private func takeWakeup(_ state: inout State) -> Wakeup? {
        guard state.isWaiting, case .running(_, let wakeup) = state.phase else { return nil }
        state.isWaiting = false
        return wakeup
    }

    // MARK: - From the loop's thread

    /// Swaps the mailbox for an empty one.
    ///
    /// - Returns: whether the loop is being shut down; then no further message comes.
    func collect(into messages: inout [Message]) -> Bool {
        state.withLock { state in
            state.isWaiting = false
            swap(&state.messages, &messages)
            guard case .closing = state.phase else { return false }
            return true
        }
    }

    /// Notes that the thread is about to wait, unless there is something to do.
    func mayWait() -> Bool {
        state.withLock { state in
            guard state.messages.isEmpty, case .running = state.phase else { return false }
            state.isWaiting = true
            return true
        }
    }

    /// Lets the thread end that has nothing to do; the next message starts another.
    func mayEnd() -> Bool {
        state.withLock { state in
            guard state.messages.isEmpty, case .running(let thread, _) = state.phase else { return false }
            thread.detach()
            state.phase = .idle
            state.isWaiting = false
            return true
        }
    }

    /// The last word of a thread that was told to end.
    func threadEnds() {
        let closers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if case .closing(let thread, _) = state.phase { state.phase = .ended(thread) }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }
}
