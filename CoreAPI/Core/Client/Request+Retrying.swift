internal import CoreAPILock

extension Call {
    /// How a completion that heard of the call makes another attempt of it by hand.
    enum ManualRetry: Sendable {
        typealias Refused = @isolated(any) @Sendable (RetryRefusal) -> Void
        typealias Repeat = @Sendable (_ max: Int, _ delay: Duration, _ refused: @escaping Refused) -> Void

        /// No completion heard of the call.
        case none
        case open(Repeat, CallbackQueue)
        /// It let go of the completion, for this reason: a response that is kept does not keep its completion.
        case closed(RetryRefusal, CallbackQueue)
    }

    /// Lets go of the completion, unless that has happened before.
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
    /// Makes one more attempt of the call that was delivered to a completion with this request, a success as well as a failure;
    /// the completion hears its outcome, too.
    ///
    /// ```swift
    /// networkManager.response(for: .orderList(path: ""), as: OrderList.self) { response in
    ///     guard response.error != nil else { return show(response) }
    ///     response.request?.retry(max: 3, delay: .seconds(1)) { _ in giveUp() }
    /// }
    /// ```
    ///
    /// The attempt is adapted again and not enhanced again, its total timeout begins anew, and the `Cancellable` of the call
    /// stops it, too. May be called from any thread, once per response: of a failure inside the completion or later, of a success
    /// inside the completion. Until then a failed response keeps the completion: what keeps the response should not be kept by
    /// the completion.
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
        call.retry(max, delay, failCallback)
    }
}
