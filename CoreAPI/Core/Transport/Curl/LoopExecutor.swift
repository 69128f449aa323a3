/// Runs tasks on the thread of a transport's connections, which is the one that answers come to; see ``CurlTransport/executor``.
///
/// A job runs elsewhere while there is no such thread: before the first request and after the transport was closed.
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

/// The pieces of tasks that run next on a loop's thread. Those that the thread itself resumes come here past mailbox, lock and wake-up.
/// On that thread only, so that access is not checked.
final class LoopJobs {
    private let executor: LoopExecutor
    @exclusivity(unchecked) private var waiting: [UnownedJob] = []
    @exclusivity(unchecked) private var running: [UnownedJob] = []

    init(of executor: LoopExecutor) {
        self.executor = executor
    }

    /// Whether the calling thread is a loop's and the executor its own; then it runs the job.
    static func take(_ job: UnownedJob, for executor: LoopExecutor) -> Bool {
        LoopThread.withJobs { jobs in
            guard let jobs, jobs.executor === executor else { return false }
            jobs.append(job)
            return true
        }
    }

    var isEmpty: Bool { waiting.isEmpty }

    func append(_ job: UnownedJob) { waiting.append(job) }

    /// Runs what waits now; what that brings waits for the next time.
    func run() {
        swap(&waiting, &running)
        for job in running { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
        running.removeAll(keepingCapacity: true)
    }

    /// Leaves what waits to others.
    func handOver() {
        for job in waiting { globalConcurrentExecutor.enqueue(job) }
        waiting.removeAll()
    }
}

extension CurlTransport {
    /// Runs tasks on the transport's own thread, so that no answer has to change threads to reach who waits for it.
    ///
    /// For tasks that do next to nothing between two requests – a gateway, a crawler, a load generator: whatever runs there holds up every
    /// transfer of the transport. What is done before a request leaves – building and encoding it, enhancers, interceptors – runs there
    /// too, and loggers and handlers; what is done with an answer's body does not. Where channels of several trusts share the transport,
    /// each trust has a thread: a task begins on that of the channel that changed last, and goes on where its answer comes to.
    ///
    /// ```swift
    /// await withTaskExecutorPreference(transport.executor) {
    ///     for id in ids { forward(await manager.response(for: .order(id), decoding: .data)) }
    /// }
    /// ```
    public var executor: any TaskExecutor { loopExecutor }
}
