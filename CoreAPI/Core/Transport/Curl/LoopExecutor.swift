internal import Dispatch

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Runs tasks on the thread of a transport's connections, which is the one that answers come to; see ``CurlTransport/executor``.
///
/// A job runs elsewhere while there is no such thread: before the first request and after the transport was closed; and where it is one
/// of many (``LoopJobs/run()``).
final class LoopExecutor: TaskExecutor {
    private struct Place {
        // The loop has this executor, and is its transport's to keep.
        weak var loop: CurlLoop?
    }

    private let place = Mutex(Place())

    /// Where jobs run from now on.
    func prefer(_ loop: CurlLoop) {
        place.withLock { $0.loop = loop }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard !LoopJobs.take(job, for: self) else { return }
        guard place.withLock({ $0.loop })?.run(job) != true else { return }
        globalConcurrentExecutor.enqueue(job)
    }
}

/// The pieces of tasks that run next on one thread, one after the other: a loop's, or one that it has left many to. Those that the thread
/// itself resumes come here past mailbox, lock and wake-up. On that thread only, so that access is not checked.
///
/// `@unchecked`: one that is made for another thread is handed to it whole.
final class LoopJobs: @unchecked Sendable {
    /// How many a loop runs itself.
    static let few = 8

    private let executor: LoopExecutor
    @exclusivity(unchecked) private var waiting: [UnownedJob] = []
    @exclusivity(unchecked) private var running: [UnownedJob] = []

    init(of executor: LoopExecutor) {
        self.executor = executor
    }

    /// Whether others wait for the calling thread. What takes its time does not belong there.
    static var areOnThisThread: Bool { pthread_getspecific(key) != nil }

    /// Whether the calling thread runs jobs of the executor; then it runs this one.
    static func take(_ job: UnownedJob, for executor: LoopExecutor) -> Bool {
        guard let context = pthread_getspecific(key) else { return false }
        return Unmanaged<LoopJobs>.fromOpaque(context)._withUnsafeGuaranteedRef { jobs in
            guard jobs.executor === executor else { return false }
            jobs.append(job)
            return true
        }
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// From now on they are the calling thread's, and stay alive until ``end()``.
    func begin() { pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque()) }

    /// What waits is left to others.
    func end() {
        pthread_setspecific(Self.key, nil)
        for job in waiting { globalConcurrentExecutor.enqueue(job) }
        waiting.removeAll()
    }

    var isEmpty: Bool { waiting.isEmpty }

    func append(_ job: UnownedJob) { waiting.append(job) }

    /// Runs what waits now; what that brings waits for the next time.
    ///
    /// Few take less time here than on the way to another thread. Of many, the last would wait for all others, and every transfer for the
    /// last: those are left to a thread of those that tasks have everywhere else. With 64 requests at once that is a tenth more of them in a
    /// second.
    func run() {
        guard waiting.count > Self.few else { return runEach() }
        let left = LoopJobs(of: executor)
        swap(&left.waiting, &waiting)
        DispatchQueue.global().async {
            left.begin()
            left.runEach()
            while !left.isEmpty { left.run() }
            left.end()
        }
    }

    private func runEach() {
        swap(&waiting, &running)
        // As on the executor, so that a job goes on where it is.
        for job in running { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
        running.removeAll(keepingCapacity: true)
    }
}

extension CurlTransport {
    /// Runs tasks on the transport's own thread, so that an answer need not change threads to reach who waits for it.
    ///
    /// For tasks that do next to nothing between two requests – a gateway, a crawler, a load generator: whatever runs there holds up every
    /// transfer of the transport. What is done before a request leaves – building and encoding it, enhancers, interceptors – runs there
    /// too, and loggers and handlers; what is done with an answer's body does not. Where more than eight tasks have something to do at
    /// once, they have a thread of those that tasks share everywhere else. Where channels of several trusts share the transport, each trust
    /// has a thread: a task begins on that of the channel that changed last, and goes on where its answer comes to.
    ///
    /// ```swift
    /// await withTaskExecutorPreference(transport.executor) {
    ///     for id in ids { forward(await manager.response(for: .order(id), decoding: .data)) }
    /// }
    /// ```
    public var executor: any TaskExecutor { loopExecutor }
}
