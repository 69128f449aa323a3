internal import Dispatch

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The pieces of tasks that run next on one thread, one after the other: a loop's, or one that it has left many to. Those that the thread
/// itself resumes come here past mailbox, lock and wake-up. On that thread only, so that access is not checked.
///
/// `@unchecked`: one that is made for another thread is handed to it whole.
final class LoopJobs: @unchecked Sendable {
    /// How many a loop runs itself.
    static let mostOnLoop = 8

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
    /// last: those are left to another thread, as one batch. With 64 requests at once that is a tenth more of them in a second.
    func run() {
        guard waiting.count > Self.mostOnLoop else { return runEach() }
        let batch = LoopJobs(of: executor)
        swap(&batch.waiting, &waiting)
        DispatchQueue.global().async {
            batch.begin()
            batch.runEach()
            while !batch.isEmpty { batch.run() }
            batch.end()
        }
    }

    private func runEach() {
        swap(&waiting, &running)
        // As on the executor, so that a job goes on where it is.
        for job in running { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
        running.removeAll(keepingCapacity: true)
    }
}
