/// The way from a delivered request back to its call; it can be gone once.
final class RetryDoor: Sendable {
    typealias Failed = @isolated(any) @Sendable (RetryRefusal) -> Void
    typealias Perform = @Sendable (_ max: Int, _ delay: Duration, _ failCallback: @escaping Failed) -> Void

    private let perform: Mutex<Perform?>
    private let isClosed = Mutex(false)
    private let queue: CallbackQueue

    init(queue: CallbackQueue, _ perform: @escaping Perform) {
        self.queue = queue
        self.perform = Mutex(perform)
    }

    /// Lets go of the call.
    func close() {
        isClosed.withLock { $0 = true }
        perform.withLock { $0 = nil }
    }

    /// Lets go of the call with the first use, so that a response that is kept does not keep its completion.
    func open(_ max: Int, _ delay: Duration, _ failCallback: @escaping Failed) {
        let perform = perform.withLock { perform in
            defer { perform = nil }
            return perform
        }
        if let perform { return perform(max, delay, failCallback) }
        let refusal: RetryRefusal = isClosed.withLock { $0 } ? .completionEnded : .alreadyRetried
        Task { await queue.run { await failCallback(refusal) } }
    }
}

extension Request {
    /// Makes one more attempt of the call that was delivered to a completion with this request, a success as well as a failure; the
    /// completion hears its outcome, too.
    ///
    /// ```swift
    /// networkManager.response(for: .orderList(path: ""), as: OrderList.self) { response in
    ///     guard response.error != nil else { return show(response) }
    ///     response.request?.retry(max: 3, delay: .seconds(1)) { _ in giveUp() }
    /// }
    /// ```
    ///
    /// The attempt is adapted again and not enhanced again, its total timeout begins anew, and the `Cancellable` of the call stops it,
    /// too. May be called from any thread, once per response: of a failure inside the completion or later, of a success inside the
    /// completion. Until then a failed response keeps the completion: what keeps the response should not be kept by the completion.
    ///
    /// - Parameters:
    ///   - max: attempts made by hand, counted over the whole call. Default as many as the channel's limit on attempts allows,
    ///     which holds in any case.
    ///   - delay: before the attempt. Default none.
    ///   - failCallback: hears why there is no further attempt; runs where completions do.
    public func retry(
        max: Int = .max, delay: Duration = .zero,
        @_inheritActorContext failCallback: @escaping @isolated(any) @Sendable (RetryRefusal) -> Void = { _ in }
    ) {
        if let retryDoor { return retryDoor.open(max, delay, failCallback) }
        Task { await CallbackQueue.main.run { await failCallback(.nothingToRepeat) } }
    }
}
