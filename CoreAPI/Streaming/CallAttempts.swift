public import CoreAPICore

extension Dispatcher {
    /// A call as the sequence of its attempts: one response per attempt, as soon as it is known. The last one is the call's.
    ///
    /// ```swift
    /// for await response in dispatcher.attempts(for: OrderEndpoint.list, as: .decodable(OrderList.self)) {
    ///     show(response.error.map { "attempt \(response.attempts.count): \($0)" } ?? "done")
    /// }
    /// ```
    ///
    /// Every iteration is a separate call. It begins with the iteration, and is cancelled when the loop is left or its task is
    /// cancelled.
    public func attempts<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) -> CallAttempts<Value> {
        CallAttempts { observer in await self.response(for: endpoint.attaching(observer), as: decoding) }
    }
}

/// The attempts of a call, one response after the other; see ``Dispatcher/attempts(for:as:)``.
public struct CallAttempts<Value: Sendable>: AsyncSequence, Sendable {
    let run: @Sendable (AttemptObserver) async -> Response<Value>

    public struct AsyncIterator: AsyncIteratorProtocol {
        var responses: AsyncStream<Response<Value>>.Iterator

        /// The next attempt's response, or `nil` after the last.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Response<Value>? {
            await responses.next(isolation: actor)
        }

        /// As ``next(isolation:)``.
        public mutating func next() async -> Response<Value>? {
            await next(isolation: #isolation)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        // Never more elements than attempts, of which the channel allows few.
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
