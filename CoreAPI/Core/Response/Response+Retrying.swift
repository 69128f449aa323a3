extension Response {
    /// Makes one more attempt of the same call by hand: adapted again, not enhanced again, with its total timeout begun anew.
    ///
    /// ```swift
    /// var response = await networkManager.response(for: .orderList(path: ""), as: OrderList.self)
    /// while response.error != nil, let next = await response.retry(max: 3, delay: .seconds(1)) { response = next }
    /// ```
    ///
    /// - Parameters:
    ///   - limit: attempts made by hand, counted over the whole call.
    ///   - delay: before the attempt.
    /// - Returns: the response with all attempts so far; `nil`, at once, when `limit` or the channel's limit on attempts is reached, or
    ///   when there is nothing to repeat: the request could not be built, or the response was transformed or made by hand.
    @concurrent
    public func retry(max limit: Int, delay: Duration = .zero) async -> Response? {
        guard let enhanced, enhanced.repetitions < limit, attempts.count < call.channel.limits.attempts else { return nil }
        // A cancelled pause leads to an attempt that ends at once, as cancelled.
        if delay > .zero { try? await Task.sleep(for: delay) }
        return await Pipeline(channel: call.channel).response(
            .again(enhanced.repeated(after: attempts, delay: max(delay, .zero))))
    }
}
