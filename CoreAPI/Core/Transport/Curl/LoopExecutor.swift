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

extension CurlTransport {
    /// Runs tasks on the transport's own thread, so that an answer need not change threads to reach who waits for it.
    ///
    /// For tasks that do next to nothing between two requests – a gateway, a crawler, a load generator: whatever runs there holds up every
    /// transfer of the transport. What is done before a request leaves – building and encoding it, enhancers, interceptors – runs there
    /// too, and loggers and handlers; what is done with an answer's body does not. Where more than eight tasks have something to do at
    /// once, they do it elsewhere, on one thread of those that tasks share, one after the other. Where channels of several trusts share
    /// the transport, each trust has a thread: a task begins on that of the channel that changed last, and goes on where its answer comes
    /// to.
    ///
    /// ```swift
    /// await withTaskExecutorPreference(transport.executor) {
    ///     for id in ids { forward(await manager.response(for: .order(id), decoding: .data)) }
    /// }
    /// ```
    public var executor: any TaskExecutor { loopExecutor }
}
