internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// The state that a download's handle and its task share.
final class DownloadControl: Sendable {
    typealias Outcome = Result<DownloadedFile, APIClientError>

    private struct State {
        var endpoint: any Endpoint
        /// Whether the task may continue a part from another address.
        var takesAnyAddress = false
        var outcome: Outcome?
        var task: Task<Void, Never>?
        var isPaused = false
        var isCancelled = false
        /// Whether the download was resumed after its cancellation, before the cancelled task has ended.
        var mustRestart = false
        /// The number of pauses so far.
        var pauses = 0
        /// Ends the running requests if they can be continued.
        var cut: (@Sendable () -> Void)?
        var resumption: [CheckedContinuation<Void, Never>] = []
        var finish: [CheckedContinuation<Outcome, Never>] = []
        /// Those who have waited since before such a cancellation.
        var finishOfCancelled: [CheckedContinuation<Outcome, Never>] = []
        var progress = TransferProgress(completed: 0, total: nil)
        var listeners: [Int: AsyncStream<TransferProgress>.Continuation] = [:]
        var nextListener = 0
        var foundation: Progress?
    }

    private let state: Mutex<State>

    init(_ endpoint: any Endpoint) {
        state = Mutex(State(endpoint: endpoint))
    }

    var endpoint: any Endpoint { state.withLock { $0.endpoint } }
    var takesAnyAddress: Bool { state.withLock { $0.takesAnyAddress } }
    var isPaused: Bool { state.withLock { $0.isPaused } }

    // MARK: - The handle's side

    /// Starts a task unless a task is running.
    ///
    /// - Parameter run: downloads once; called again if the download is resumed while it is being cancelled.
    func start(_ run: @escaping @Sendable () async -> Outcome) {
        state.withLock { state in
            guard state.task == nil else { return }
            state.isPaused = false
            begin(run, &state)
        }
    }

    private func begin(_ run: @escaping @Sendable () async -> Outcome, _ state: inout State) {
        (state.outcome, state.isCancelled, state.mustRestart) = (nil, false, false)
        state.task = Task { self.end(await run(), run) }
    }

    func finished() async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.finish.append(continuation) }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    func cancel() {
        let (task, waiting) = state.withLock { state in
            (state.isCancelled, state.mustRestart) = (true, false)
            defer { state.resumption = [] }
            return (state.task, state.resumption)
        }
        task?.cancel()
        for continuation in waiting { continuation.resume() }
    }

    func pause() {
        let cut = state.withLock { state in
            guard state.task != nil, !state.isPaused else { return nil as (@Sendable () -> Void)? }
            state.isPaused = true
            state.pauses += 1
            return state.cut
        }
        cut?()
    }

    /// - Parameter endpoint: the address of the rest; `nil` for the same as before.
    /// - Returns: whether a running task continues; otherwise the caller must start a new one.
    func resume(with endpoint: (any Endpoint)?) -> Bool {
        let (isRunning, waiting) = state.withLock { state in
            if let endpoint { (state.endpoint, state.takesAnyAddress) = (endpoint, true) }
            state.isPaused = false
            if state.task != nil, state.isCancelled, !state.mustRestart {
                state.mustRestart = true
                state.finishOfCancelled += state.finish
                state.finish = []
            }
            defer { state.resumption = [] }
            return (state.task != nil, state.resumption)
        }
        for continuation in waiting { continuation.resume() }
        return isRunning
    }

    /// Whether the download has a file.
    var isComplete: Bool {
        if case .success = state.withLock({ $0.outcome }) { true } else { false }
    }

    func updates() -> AsyncStream<TransferProgress> {
        // A slow reader misses values, but never the last one.
        let (stream, continuation) = AsyncStream.makeStream(of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
        let (number, isOver) = state.withLock { state in
            continuation.yield(state.progress)
            guard state.outcome == nil else { return (0, true) }
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return (state.nextListener, false)
        }
        if isOver { continuation.finish() }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    /// - Parameter make: makes the object, once.
    func foundationProgress(_ make: () -> Progress) -> Progress {
        let new = make()
        let (object, progress) = state.withLock { state in
            let object = state.foundation ?? new
            state.foundation = object
            return (object, state.progress)
        }
        object.show(progress)
        return object
    }

    // MARK: - The task's side

    /// - Parameter cut: ends the running requests if they can be continued; `nil` without requests.
    func setCut(_ cut: (@Sendable () -> Void)?) {
        state.withLock { $0.cut = cut }
    }

    /// The number of pauses so far; `nil` after a cancellation.
    var pauses: Int? { state.withLock { $0.isCancelled ? nil : $0.pauses } }

    /// Waits while the download is paused.
    ///
    /// - Throws: `CancellationError`.
    func waitWhilePaused() async throws {
        while isPaused {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    let waits = state.isPaused && !state.isCancelled
                    if waits { state.resumption.append(continuation) }
                    return waits
                }
                if !waits { continuation.resume() }
            }
            if state.withLock({ $0.isCancelled }) { throw CancellationError() }
        }
        try Task.checkCancellation()
    }

    func report(_ progress: TransferProgress) {
        let (listeners, foundation) = state.withLock { state in
            state.progress = progress
            return (state.listeners.isEmpty ? [] : Array(state.listeners.values), state.foundation)
        }
        foundation?.show(progress)
        for listener in listeners { listener.yield(progress) }
    }

    private func end(_ outcome: Outcome, _ run: @escaping @Sendable () async -> Outcome) {
        typealias Ends = (waiting: [CheckedContinuation<Outcome, Never>], listeners: [AsyncStream<TransferProgress>.Continuation])
        let (waiting, listeners) = state.withLock { state -> Ends in
            let cancelled = state.finishOfCancelled
            (state.cut, state.finishOfCancelled) = (nil, [])
            if state.mustRestart, case .failure = outcome {
                begin(run, &state)
                return (cancelled, [])
            }
            (state.outcome, state.task, state.isPaused) = (outcome, nil, false)
            defer { (state.finish, state.listeners) = ([], [:]) }
            return (cancelled + state.finish, Array(state.listeners.values))
        }
        for listener in listeners { listener.finish() }
        for continuation in waiting { continuation.resume(returning: outcome) }
    }
}
