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
        // A year, because a sleep of the largest Duration traps.
        let delay = min(max(delay, .zero), .seconds(365 * 86_400))
        if delay > .zero { try? await Task.sleep(for: delay) }
        let again = Call(repeating: call, after: attempts, delay: delay)
        return Response(delivering: await Pipeline().run(attempt.repeated(by: again)))
    }

    /// As ``Request/retry(max:delay:failCallback:)``. If the request could not be built, it reports that there is nothing to
    /// repeat.
    public func retry(
        max limit: Int = .max, delay: Duration = .zero,
        @_inheritActorContext failCallback: @escaping @isolated(any) @Sendable (RetryRefusal) -> Void
    ) {
        guard let request else {
            Task { await CallbackQueue.main.run { await failCallback(.nothingToRepeat) } }
            return
        }
        request.retry(max: limit, delay: delay, failCallback: failCallback)
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
            "no further attempt by hand: expected at most \(max) of them and no more in all than the channel allows"
        case .cancelled: "no further attempt by hand: the call was cancelled"
        case .alreadyRetried: "no further attempt by hand: this response was retried before"
        case .completionEnded: "no further attempt by hand: a success may be repeated inside its completion only"
        case .nothingToRepeat: "no further attempt by hand: expected a response of the kit's own dispatcher, as it was delivered"
        }
    }
}
