public import Foundation

/// The way from a delivered request back to its call; it can be gone once.
final class Repetition: Sendable {
    typealias Failed = @isolated(any) @Sendable (RetryRefusal) -> Void
    typealias Perform = @Sendable (_ max: Int, _ delay: Duration, _ failCallback: @escaping Failed) -> Void

    private let isUsed = Mutex(false)
    private let perform: Perform

    init(_ perform: @escaping Perform) {
        self.perform = perform
    }

    /// - Returns: whether this was the first time.
    func once(_ max: Int, _ delay: Duration, _ failCallback: @escaping Failed) -> Bool {
        let isFirst = isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
        if isFirst { perform(max, delay, failCallback) }
        return isFirst
    }
}

/// Why a call is not tried again by hand.
public enum RetryRefusal: Error, Sendable, Hashable {
    /// That many attempts were made by hand, or the channel's limit on attempts is reached.
    case exhausted(max: Int)
    /// The call was cancelled.
    case cancelled
    /// This response's request was retried before; the next attempt has a response of its own.
    case alreadyRetried
    /// The request was not delivered to a completion. Who awaits a response uses ``Response/retry(max:delay:)``.
    case notDelivered
}

extension RetryRefusal: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .exhausted(let max): "no further attempt by hand: \(max) allowed by the caller, or the channel's limit is reached"
        case .cancelled: "no further attempt by hand: the call was cancelled"
        case .alreadyRetried: "no further attempt by hand: this response was retried before"
        case .notDelivered: "no further attempt by hand: expected a request that was delivered to a completion"
        }
    }
}

extension Request {
    /// Makes one more attempt of the call that this request was delivered to a completion for; the completion hears its outcome, too.
    ///
    /// ```swift
    /// networkManager.response(for: .orderList(path: ""), as: OrderList.self) { response in
    ///     guard response.error != nil else { return show(response) }
    ///     response.request?.retry(max: 3, delay: .seconds(1)) { _ in giveUp() }
    /// }
    /// ```
    ///
    /// The attempt is adapted again and not enhanced again, its total timeout begins anew, and the `Cancellable` of the call stops it,
    /// too. May be called from any thread, once per response, inside the completion or later.
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
        guard let repetition else {
            Task { await failCallback(.notDelivered) }
            return
        }
        if !repetition.once(max, delay, failCallback) { Task { await failCallback(.alreadyRetried) } }
    }
}
