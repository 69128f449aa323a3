internal import CoreAPILock
public import Foundation

extension Response {
    /// Makes one more attempt of the same call by hand: adapted again, but not enhanced again. Its total timeout begins anew.
    ///
    /// ```swift
    /// var response = await networkManager.response(for: .orderList(path: ""), as: OrderList.self)
    /// while response.error != nil, let next = try? await response.retry(max: 3, delay: .seconds(1)) { response = next }
    /// ```
    ///
    /// - Parameters:
    ///   - limit: attempts made by hand, counted over the whole call. The channel's limit on attempts applies as well.
    ///   - delay: before the attempt.
    /// - Returns: the response with all attempts so far.
    /// - Throws: ``RetryRefusal``, before the attempt; never the failure of the attempt.
    @concurrent
    public func retry(max limit: Int = .max, delay: Duration = .zero) async throws(RetryRefusal) -> Response {
        guard isDelivered, let attempt = reply.attempt else { throw .nothingToRepeat }
        guard call.repetitions < limit, attempts.count < call.channel.limits.attempts else { throw .exhausted(max: limit) }
        guard call.takeRepetition() else { throw .alreadyRetried }
        // A cancelled pause leads to an attempt that ends at once, as cancelled.
        let delay = delay.asPause
        if delay > .zero { try? await Task.sleep(for: delay) }
        let again = Call(repeating: call, after: attempts, delay: delay)
        return Response(delivering: await Pipeline.run(again, from: attempt.repeated(by: again)))
    }
}

/// The reason why a call is not retried by hand.
public enum RetryRefusal: Error, Sendable, Hashable {
    /// `max` attempts were made by hand, or the channel's limit on attempts is reached.
    case exhausted(max: Int)
    /// The call was cancelled.
    case cancelled
    /// This response was retried before; the attempt has its own response.
    case alreadyRetried
    /// The completion of a success has returned. Such a call can be repeated only inside the completion.
    case completionEnded
    /// The request could not be built, the response was transformed or made by a custom dispatcher, or no completion received it.
    case nothingToRepeat
}

extension RetryRefusal: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .exhausted(let max):
            "no further attempt by hand: the limit of \(max) of them, or the channel's limit on attempts, is reached"
        case .cancelled: "no further attempt by hand: the call was cancelled"
        case .alreadyRetried: "no further attempt by hand: this response was retried before"
        case .completionEnded: "no further attempt by hand: a success may be repeated inside its completion only"
        case .nothingToRepeat: "no further attempt by hand: expected a response of the kit's own dispatcher, as it was delivered"
        }
    }
}

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
