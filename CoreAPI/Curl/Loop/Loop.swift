internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// A thread that runs libcurl, as other threads see it: they put a message into its mailbox and, if it waits, wake it. All of
/// libcurl's work for the loop's pools happens on that thread.
///
/// The thread waits only after it has found the mailbox empty and set `isWaiting` under the same lock. The thread that posts
/// clears `isWaiting` and signals. A pipe keeps a signal that arrives before the wait, so no signal is lost.
final class Loop: Sendable {
    enum Message {
        case submit(Exchange, ConnectionPool)
        case cancel(Exchange)
        /// A task has taken the waiting bytes, or has more to send.
        case resume(Exchange)
        /// Another shard of the pool has finished an exchange, so a waiting one may start.
        case startReady(PoolShard)
        case close(PoolShard, ConnectionPool)
    }

    private enum Phase {
        case idle
        case running(JoinableThread, Wakeup)
        case closing(JoinableThread, Wakeup)
        case ended(JoinableThread?)
    }

    private struct State {
        var phase = Phase.idle
        var messages: [Message] = []
        var isWaiting = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    let idleLifetime: Duration
    private let state = Mutex(State())

    init(idleLifetime: Duration) {
        self.idleLifetime = idleLifetime
    }

    var isRunning: Bool {
        state.withLock { state in
            switch state.phase {
            case .running, .closing: true
            case .idle, .ended: false
            }
        }
    }

    // MARK: - From any thread

    /// Puts a message into the mailbox, and starts the thread if it does not run. Returns why the message was rejected; `nil` if
    /// it was not.
    func post(_ message: Message) -> TransportError? { post(message, starts: true) }

    /// As ``post(_:)``, for messages that only a living thread needs. One that is being shut down handles what it finds at its
    /// last turn, and after that only ``Message/close``. Returns whether the thread lives.
    @discardableResult
    func postIfRunning(_ message: Message) -> Bool { post(message, starts: false) == nil }

    private func post(_ message: Message, starts: Bool) -> TransportError? {
        let (rejection, wakeup) = state.withLock { state -> (TransportError?, Wakeup?) in
            switch state.phase {
            case .running: break
            case .idle where starts:
                if let rejection = start(&state) { return (rejection, nil) }
            case .closing where !starts: break
            case .idle, .closing, .ended: return (.closed, nil)
            }
            state.messages.append(message)
            return (nil, takeWakeup(&state))
        }
        wakeup?.signal()
        return rejection
    }

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
        let thread = state.withLock { state -> JoinableThread? in
            guard case .ended(let thread) = state.phase else { return nil }
            return thread
        }
        thread?.join()
    }

    private func start(_ state: inout State) -> TransportError? {
        guard let wakeup = Wakeup() else { return .other(code: 27, message: "the process has no further descriptor") }
        let thread = JoinableThread {
            var run = LoopRun(of: self, wakeup)
            run.run()
        }
        guard let thread else { return .other(code: 27, message: "the system gives no further thread") }
        state.phase = .running(thread, wakeup)
        return nil
    }

    private func takeWakeup(_ state: inout State) -> Wakeup? {
        guard state.isWaiting, case .running(_, let wakeup) = state.phase else { return nil }
        state.isWaiting = false
        return wakeup
    }

    // MARK: - From the loop's thread

    /// Swaps the mailbox for an empty one. Returns whether the loop is being shut down; then ``threadEnds()`` returns what
    /// follows.
    func collect(into messages: inout [Message]) -> Bool {
        state.withLock { state in
            state.isWaiting = false
            swap(&state.messages, &messages)
            guard case .closing = state.phase else { return false }
            return true
        }
    }

    /// Notes that the thread is about to wait, unless there is work.
    func mayWait() -> Bool {
        state.withLock { state in
            guard state.messages.isEmpty, case .running = state.phase else { return false }
            state.isWaiting = true
            return true
        }
    }

    /// Lets an idle thread end; the next message starts another.
    func mayEnd() -> Bool {
        state.withLock { state in
            guard state.messages.isEmpty, case .running(let thread, _) = state.phase else { return false }
            thread.detach()
            state.phase = .idle
            state.isWaiting = false
            return true
        }
    }

    /// The last step of a thread that shuts down, after its pools. Returns the messages that arrived meanwhile.
    func threadEnds() -> [Message] {
        let (closers, messages) = state.withLock { state in
            if case .closing(let thread, _) = state.phase { state.phase = .ended(thread) }
            defer { (state.closers, state.messages) = ([], []) }
            return (state.closers, state.messages)
        }
        for closer in closers { closer.resume() }
        return messages
    }
}

/// The work of a loop's thread: it takes messages, runs libcurl, and waits for all of its pools at once.
///
/// **Fairness.** One turn serves each ready socket once, and at most ``PollSet/socketsPerTurn`` of a pool; the next turn begins
/// with the rest. Over TLS libcurl reads at most 512 KiB of a connection in a turn, and 16 KiB more for each exchange beyond 32,
/// at most 8 MiB (``ReadBudget``). Of a body over HTTP/1.1 it reads at most 4 MiB, and 256 KiB if other pools wait; less in small
/// pieces (``LoopConnections/mustPauseForTurn(_:after:)``).
struct LoopRun {
    private let loop: Loop
    private let sockets: PollSet
    private let idleLifetime: LoopClock.Nanoseconds
    private var workers: [PoolWorker] = []
    /// The workers with exchanges, sockets or timers. An idle channel costs the others nothing.
    private var active: [PoolWorker] = []
    private var now = LoopClock.now()
    private var idleSince: LoopClock.Nanoseconds?

    init(of loop: Loop, _ wakeup: Wakeup) {
        self.loop = loop
        sockets = PollSet(wakeup)
        idleLifetime = loop.idleLifetime.clampedNanoseconds
    }

    mutating func run() {
        var messages: [Loop.Message] = []
        while true {
            let isClosing = loop.collect(into: &messages)
            now = LoopClock.now()
            for message in messages { handle(message) }
            messages.removeAll(keepingCapacity: true)
            if isClosing { break }
            resumeEnded()
            for worker in active { worker.beginTurn(isShared: active.count > 1) }
            runTimers()
            // A timeout may expire only after libcurl has read the sockets: a response that waited there is not late.
            let looked = now
            sockets.wait(milliseconds: timeToWait())
            serve()
            expire(looked)
            if isUnused(), loop.mayEnd() { return }
        }
        for worker in workers { close(worker) }
        for case .close(let shard, let pool) in loop.threadEnds() { pool.shardEnds(shard) }
    }

    private mutating func handle(_ message: Loop.Message) {
        switch message {
        case .submit(let exchange, let pool): submit(exchange, pool)
        case .cancel(let exchange): cancel(exchange)
        case .resume(let exchange): activate(exchange.shard?.worker)?.resume(exchange, now)
        case .startReady(let shard): activate(shard.worker)?.noteRoom(now)
        case .close(let shard, let pool):
            if let worker = shard.worker { close(worker) } else { pool.shardEnds(shard) }
        }
    }

    private mutating func submit(_ exchange: Exchange, _ pool: ConnectionPool) {
        guard let shard = exchange.shard else { return }
        do throws(TransportError) {
            try activate(worker(of: shard, pool))?.submit(exchange, now)
        } catch {
            pool.reject(exchange, error)
        }
    }

    private mutating func worker(of shard: PoolShard, _ pool: ConnectionPool) throws(TransportError) -> PoolWorker {
        if let worker = shard.worker { return worker }
        guard !shard.isClosed, !pool.isClosed else { throw .closed }
        let worker = try PoolWorker(of: pool, shard, sockets)
        shard.worker = worker
        workers.append(worker)
        return worker
    }

    private func cancel(_ exchange: Exchange) {
        guard let shard = exchange.shard else { return }
        // The exchange was queued here and runs on another loop.
        guard shard.loop === loop else { return _ = shard.loop.postIfRunning(.cancel(exchange)) }
        switch exchange.phase {
        case .new: exchange.phase = .cancelled  // Its submission is still on the way.
        case .queued, .active, .streaming, .raw: shard.worker?.cancel(exchange, now)
        case .cancelled, .done: break
        }
    }

    private mutating func close(_ worker: PoolWorker) {
        workers.removeAll { $0 === worker }
        active.removeAll { $0 === worker }
        worker.close()
    }

    private mutating func activate(_ worker: PoolWorker?) -> PoolWorker? {
        guard let worker, !worker.isActive else { return worker }
        worker.isActive = true
        active.append(worker)
        return worker
    }

    /// Lets libcurl do work that does not wait for a socket: start exchanges, and run its timers. Bounded, because the mailbox
    /// and the clocks wait.
    private mutating func runTimers() {
        for _ in 0..<8 {
            var hasRun = false
            for worker in active where worker.runTimers(now) { hasRun = true }
            guard hasRun else { return }
            settle()
        }
    }

    /// Milliseconds until the first clock or timer expires; 0 if there is work at once.
    private mutating func timeToWait() -> Int32 {
        var due = workers.isEmpty ? (idleSince ?? now) + idleLifetime : LoopClock.never
        for index in active.indices.reversed() {
            let worker = active[index]
            due = min(due, worker.due(now))
            guard !worker.hasWork else { continue }
            worker.isActive = false
            active.swapAt(index, active.count - 1)
            active.removeLast()
        }
        guard due > now, loop.mayWait() else { return 0 }
        return Int32(clamping: min((due - now + 999_999) / 1_000_000, 3_600_000))
    }

    /// Whether the loop has had no pool for its whole idle lifetime.
    private mutating func isUnused() -> Bool {
        idleSince = workers.isEmpty ? idleSince ?? now : nil
        return idleSince.map { now - $0 >= idleLifetime } ?? false
    }

    private mutating func serve() {
        sockets.serve { multi, descriptor, events in multi.act(on: descriptor, events) }
        settle()
    }

    private mutating func settle() {
        now = LoopClock.now()
        for worker in active { worker.settle(now) }
        resumeEnded()
    }

    private mutating func expire(_ looked: LoopClock.Nanoseconds) {
        for worker in active { worker.expire(looked) }
        resumeEnded()
    }

    /// Resumes the tasks of all pools before it takes back the first handle. Then it starts others.
    private mutating func resumeEnded() {
        for worker in active { worker.resumeEnded() }
        for worker in active { worker.releaseEnded() }
    }
}

/// The loop's clock: monotonic nanoseconds in one machine word. It is read several times for each exchange and compared for
/// thousands.
enum LoopClock {
    typealias Nanoseconds = Int64

    /// Longer than any process lives, and still safe to add to.
    static let never: Nanoseconds = .max / 4

    static func now() -> Nanoseconds {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    /// Nanoseconds, rounded down, between zero and ``LoopClock/never``, so that no value of a ``Timeout`` overflows.
    var clampedNanoseconds: LoopClock.Nanoseconds {
        // One division; `components` takes three, and multiplications.
        let nanoseconds = attoseconds / 1_000_000_000
        guard nanoseconds > 0 else { return 0 }
        return nanoseconds < Int128(LoopClock.never) ? Int64(truncatingIfNeeded: nanoseconds) : LoopClock.never
    }

    /// Milliseconds, rounded up, at least one: libcurl reads 0 as "no limit".
    var clampedMilliseconds: Int { Int(min(Int64(Int32.max), max(1, (clampedNanoseconds + 999_999) / 1_000_000))) }
}
