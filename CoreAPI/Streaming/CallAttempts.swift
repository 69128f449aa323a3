public import CoreAPICore

extension Dispatcher {
    /// A call as the sequence of its attempts: one response per attempt, as soon as the attempt ends. The last response is the
    /// call's.
    ///
    /// ```swift
    /// for await response in dispatcher.attempts(for: OrderEndpoint.list, as: .decodable(OrderList.self)) {
    ///     show(response.error.map { "attempt \(response.attempts.count): \($0)" } ?? "done")
    /// }
    /// ```
    ///
    /// Every iteration makes a separate call. Leaving the loop, or cancelling its task, cancels the call.
    public func attempts<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) -> Response<Value>.Attempts {
        Response<Value>.Attempts { observer in await self.response(for: endpoint.attaching(observer), as: decoding) }
    }
}

extension Response {
    /// The attempts of a call, one response after the other; see ``Dispatcher/attempts(for:as:)``.
    public struct Attempts: AsyncSequence, Sendable {
        let run: @Sendable (AttemptObserver) async -> Response<Value>

        public struct AsyncIterator: AsyncIteratorProtocol {
            var responses: AsyncStream<Response<Value>>.Iterator

            /// The next attempt's response, or `nil` after the last.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Response<Value>? {
                await responses.next(isolation: actor)
            }

            /// As ``next(isolation:)``.
            public mutating func next() async -> Response<Value>? { await next(isolation: #isolation) }
        }

        public func makeAsyncIterator() -> AsyncIterator {
            // Unbounded is safe: the channel's limit on attempts bounds the elements.
            let (responses, attempts) = AsyncStream.makeStream(of: Response<Value>.self)
            let task = Task {
                let last = await run(
                    AttemptObserver { response in
                        guard let error = response.error else { return }
                        attempts.yield(response.with(.failure(error)))
                    })
                attempts.yield(last)
                attempts.finish()
            }
            attempts.onTermination = { _ in task.cancel() }
            return AsyncIterator(responses: responses.makeAsyncIterator())
        }
    }
}
