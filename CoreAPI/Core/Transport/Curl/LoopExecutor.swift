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
        guard place.withLock({ $0.loop })?.run(job) != true else { return }
        globalConcurrentExecutor.enqueue(job)
    }
}

extension CurlTransport {
    /// Runs tasks on the transport's own thread, so that no answer has to change threads to reach who waits for it.
    ///
    /// For tasks that do next to nothing between two requests – a gateway, a crawler, a load generator: whatever runs there holds up every
    /// transfer of the transport. What is done before a request leaves – building and encoding it, enhancers, interceptors – runs there
    /// too, and loggers and handlers; what is done with an answer's body does not. Where channels of several trusts share the transport,
    /// each trust has a thread, and this is the one of the channel that changed last.
    ///
    /// ```swift
    /// await withTaskExecutorPreference(transport.executor) {
    ///     for id in ids { forward(await manager.response(for: .order(id), decoding: .data)) }
    /// }
    /// ```
    public var executor: any TaskExecutor { loopExecutor }
}
