extension Dispatcher {
    /// A call as the sequence of its attempts: a response after each, as soon as it is known, the last one being the call's.
    ///
    /// ```swift
    /// for await response in dispatcher.attempts(for: OrderEndpoint.list, as: .decodable(OrderList.self)) {
    ///     show(response.error.map { "attempt \(response.attempts.count): \($0)" } ?? "done")
    /// }
    /// ```
    ///
    /// Every iteration is a call of its own; it begins with the iteration and is cancelled when the iteration is left or its task is.
    public func attempts<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) -> CallAttempts<Value> {
        CallAttempts { observer in await self.response(for: endpoint.attaching(observer), as: decoding) }
    }
}

extension NetworkManager {
    /// A call as the sequence of its attempts; see ``Dispatcher/attempts(for:as:)``.
    public func attempts<Value: Decodable & Sendable>(
        for endpoint: EndpointItem, as type: Value.Type = Value.self
    ) -> CallAttempts<Value> {
        dispatcher.attempts(for: attached(endpoint), as: .decodable(type))
    }
}
