internal import CoreAPIHTTP

/// A value that tasks can wait for: each change wakes exactly the waiters whose condition it meets, without polling.
final class Watched<Value: Sendable>: Sendable {
    typealias Condition = @Sendable (Value) -> Bool

    private struct State {
        var value: Value
        var waiters: [Int: (condition: Condition, isMet: Promise<Bool>)] = [:]
        var lastID = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    /// Changes the value and wakes the tasks that waited for this.
    @discardableResult
    func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        state.withLock { state in
            let result = change(&state.value)
            for waiter in state.waiters.values where waiter.condition(state.value) { waiter.isMet.fulfil(.success(true)) }
            return result
        }
    }

    /// Waits until the condition holds or the time is over, and returns whether it holds. The condition runs under the lock
    /// at each change. It must be short, and must not use this object. Throws `CancellationError` if the task is cancelled.
    func wait(_ timeout: Duration, until condition: @escaping Condition) async throws -> Bool {
        let isMet = Promise<Bool>()
        let id = state.withLock { state in
            if condition(state.value) { isMet.fulfil(.success(true)) }
            state.lastID += 1
            state.waiters[state.lastID] = (condition, isMet)
            return state.lastID
        }
        let timer = Task {
            try await Task.sleep(for: timeout)
            isMet.fulfil(.success(false))
        }
        defer {
            timer.cancel()
            state.withLock { $0.waiters[id] = nil }
        }
        return try await isMet.value()
    }
}

/// A gate between a test and a reply, closed at first, opened once.
///
/// One side opens the gate and the other waits for it. ``ServerReply/Step/waitFor(_:)`` holds a reply until the test opens the
/// gate. ``ServerReply/Step/open(_:)`` lets the test wait until the reply has reached that step. Neither needs a sleep.
public final class Gate: Sendable {
    let latch: Latch
    private let opened = Watched(false)

    /// Makes a closed gate. Throws ``LoopbackServerError/systemCall(_:code:)`` if the process has no descriptors left.
    public init() throws(LoopbackServerError) { latch = try Latch() }

    /// Whether the gate was opened.
    public var isOpen: Bool { opened.value }

    /// Opens the gate for all present and future waiters. A second call does nothing.
    public func open() {
        latch.open()
        opened.update { $0 = true }
    }

    /// Waits until the gate is open.
    ///
    /// - Throws: ``LoopbackServerError/timedOut(_:)`` if it is not opened in time, `CancellationError` if the task is cancelled.
    public func waitUntilOpen(timeout: Duration = .seconds(5)) async throws {
        guard try await opened.wait(timeout, until: { $0 }) else {
            throw LoopbackServerError.timedOut("waited for a gate to be opened, after \(timeout)")
        }
    }
}
