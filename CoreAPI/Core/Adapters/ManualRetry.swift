internal import CoreAPIHTTP
public import Foundation

extension Response {
    /// Makes one more manual attempt of the same call, after a failure or a success. It is adapted again, but not enhanced
    /// again. Its total timeout begins anew. Each response can be retried once.
    ///
    /// ```swift
    /// networkManager.response(for: OrderEndpoint.list, as: .decodable(OrderList.self)) { response in
    ///     retry = Task {
    ///         var response = response
    ///         while let error = response.error, !error.isCancelled,
    ///             let next = try? await response.retry(max: 3, delay: .seconds(1)) { response = next }
    ///         show(response)
    ///     }
    /// }
    /// ```
    ///
    /// A completion, as above, retries in a task. The caller cancels that task, because the call's ``Cancellable`` does not stop
    /// it. The task stays on the completion's actor, and not on a ``CallbackQueue``.
    ///
    /// The limit is of manual attempts, counted over the whole call; the channel's limit on attempts applies as well. A
    /// server's `Retry-After` does not lengthen the delay; ``Response/head`` has that field. The response has all attempts so
    /// far. ``Call/RetryRejection`` is thrown before the attempt, and never the failure of the attempt.
    @concurrent
    public func retry(max limit: Int = .max, delay: Duration = .zero) async throws(Call.RetryRejection) -> Response {
        guard isDelivered, let attempt = raw.attempt else { throw .nothingToRepeat }
        guard call.repetitions < limit, attempts.count < call.channel.limits.attempts else { throw .exhausted(max: limit) }
        guard call.takeRepetition() else { throw .alreadyRetried }
        // A cancelled pause leads to an attempt that ends at once, as cancelled.
        let delay = delay.asPause
        if delay > .zero { try? await Task.sleep(for: delay) }
        let again = Call(repeating: call, after: attempts.count)
        return Response(delivering: await Pipeline.run(again, from: attempt.repeated(by: again, after: attempts, delay: delay)))
    }
}

extension Call {
    /// The reason why a call is not retried manually.
    public enum RetryRejection: Error, Sendable, Hashable, LocalizedError {
        /// `max` manual attempts were made, or the channel's limit on attempts is reached.
        case exhausted(max: Int)
        /// This response was retried before; the attempt has its own response.
        case alreadyRetried
        /// The request could not be built, or the response was transformed or made by a custom dispatcher.
        case nothingToRepeat

        public var errorDescription: String? {
            switch self {
            case .exhausted(let max):
                "no further manual attempt: the limit of \(max) of them, or the channel's limit on attempts, is reached"
            case .alreadyRetried: "no further manual attempt: this response was retried before"
            case .nothingToRepeat:
                "no further manual attempt: expected a response of the kit's own dispatcher, as it was delivered"
            }
        }
    }
}
