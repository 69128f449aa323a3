internal import CoreAPICore
internal import CoreAPIHTTP

/// The state that a download's handle and its task share.
final class DownloadControl: Sendable {
    typealias Outcome = Result<DownloadedFile, APIClientError>

    private enum Phase { case running, cancelled, failed, complete }

    private struct State {
        var endpoint: any Endpoint
        /// Whether the task may continue a part from another address.
        var takesAnyAddress = false
        /// The last run, and the number of runs.
        var task: Task<Outcome, Never>?
        var runs = 0
        var phase = Phase.running
        /// Fulfilled at the end of the present pause; `nil` without one.
        var pause: Promise<Void>?
        var pauses = 0
        /// Ends the running requests if they can be continued.
        var cut: (@Sendable () -> Void)?
    }

    let meter = TransferMeter(mayBeginAgain: true)
    private let state: Mutex<State>
    private let download: @Sendable (DownloadControl) async -> Outcome

    /// - Parameter download: downloads once; called again if the download is resumed after a failure or a cancellation.
    init(_ endpoint: any Endpoint, _ download: @escaping @Sendable (DownloadControl) async -> Outcome) {
        state = Mutex(State(endpoint: endpoint))
        self.download = download
    }

    var endpoint: any Endpoint { state.withLock { $0.endpoint } }
    var takesAnyAddress: Bool { state.withLock { $0.takesAnyAddress } }
    var isPaused: Bool { state.withLock { $0.pause != nil } }
    var pauses: Int { state.withLock { $0.pauses } }

    /// The last run; starts the first one.
    @discardableResult
    func run() -> Task<Outcome, Never> { state.withLock { $0.task ?? begin(&$0) } }

    /// Begins a run. It waits for an earlier one that was cancelled, because both write the same part.
    @discardableResult
    private func begin(_ state: inout State) -> Task<Outcome, Never> {
        state.runs += 1
        state.phase = .running
        meter.beginAgain()
        let task = Task { [earlier = state.task, number = state.runs] in
            // The cancellation may have come too late.
            if case .success(let file)? = await earlier?.value { return end(number, .success(file)) }
            return end(number, await download(self))
        }
        state.task = task
        return task
    }

    private func end(_ number: Int, _ outcome: Outcome) -> Outcome {
        state.withLock { state in
            guard number == state.runs else { return }
            state.pause = nil
            if case .success = outcome { state.phase = .complete } else { state.phase = .failed }
            meter.end()
        }
        return outcome
    }

    func cancel() {
        let task = state.withLock { state in
            if state.phase == .running { state.phase = .cancelled }
            return state.task
        }
        task?.cancel()
    }

    func pause() {
        let cut = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.phase == .running, state.pause == nil else { return nil }
            (state.pause, state.pauses) = (Promise(), state.pauses + 1)
            return state.cut
        }
        cut?()
    }

    /// Continues after a pause, a failure or a cancellation. `endpoint` has the rest; `nil` for the same one as before.
    func resume(with endpoint: (any Endpoint)?) {
        let pause = state.withLock { state in
            if let endpoint { (state.endpoint, state.takesAnyAddress) = (endpoint, true) }
            if state.phase == .cancelled || state.phase == .failed { begin(&state) }
            return state.pause.take()
        }
        pause?.fulfil(.success(()))
    }

    func setCut(_ cut: (@Sendable () -> Void)?) { state.withLock { $0.cut = cut } }

    func waitWhilePaused() async throws {
        while let pause = state.withLock({ $0.pause }) { try await pause.value() }
        try Task.checkCancellation()
    }
}
