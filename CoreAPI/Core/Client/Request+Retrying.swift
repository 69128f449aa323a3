internal import CoreAPILock

extension Call {
    /// How a completion that received the call retries it by hand.
    enum ManualRetry: Sendable {
        typealias Refused = @isolated(any) @Sendable (RetryRefusal) -> Void
        typealias Repeat = @Sendable (_ max: Int, _ delay: Duration, _ refused: @escaping Refused) -> Void

        /// No completion received the call.
        case none
        case open(Repeat, CallbackQueue)
        /// The completion was released, for this reason: a response that is kept does not keep its completion.
        case closed(RetryRefusal, CallbackQueue)
    }

    /// Releases the completion, unless that has happened before.
    func endManualRetry(_ refusal: RetryRefusal) {
        manualRetry.withLock { state in
            if case .open(_, let queue) = state { state = .closed(refusal, queue) }
        }
    }

    fileprivate func retry(_ max: Int, _ delay: Duration, _ refused: @escaping ManualRetry.Refused) {
        let found = manualRetry.withLock { state in
            let found = state
            if case .open(_, let queue) = state { state = .closed(.alreadyRetried, queue) }
            return found
        }
        switch found {
        case .open(let `repeat`, _): `repeat`(max, delay, refused)
        case .closed(let refusal, let queue): Task { await queue.run { await refused(refusal) } }
        case .none: Task { await CallbackQueue.main.run { await refused(.nothingToRepeat) } }
        }
    }
}

extension Request {
    /// Makes one more attempt of the call that delivered this request to a completion, after a success as well as after a
    /// failure. The completion receives its outcome, too.
    ///
    /// ```swift
    /// networkManager.response(for: .orderList(path: ""), as: OrderList.self) { response in
    ///     guard response.error != nil else { return show(response) }
    ///     response.request?.retry(max: 3, delay: .seconds(1)) { _ in giveUp() }
    /// }
    /// ```
    ///
    /// The attempt is adapted again but not enhanced again. Its total timeout begins anew, and the call's `Cancellable` stops it,
    /// too. May be called from any thread, once per response. A failure can be retried inside the completion or later, a success
    /// only inside the completion.
    ///
    /// Until then a failed response keeps the completion. So the completion must not keep the owner of the response.
    ///
    /// - Parameters:
    ///   - max: attempts made by hand, counted over the whole call. Default: the channel's limit on attempts, which applies in
    ///     any case.
    ///   - delay: before the attempt. Default none.
    ///   - failCallback: receives the reason if there is no further attempt; runs where completions run.
    public func retry(
        max: Int = .max, delay: Duration = .zero,
        @_inheritActorContext failCallback: @escaping @isolated(any) @Sendable (RetryRefusal) -> Void = { _ in }
    ) {
        call.retry(max, delay, failCallback)
    }
}
