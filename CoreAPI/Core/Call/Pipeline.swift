internal import HTTPTypes

/// The way of a request, from the endpoint down to the transport and back up to the value. Every stage is named here, in its
/// order; ``Channel/stages`` lists them for one channel.
struct Pipeline: Sendable {
    /// A whole call: built once, sent as often as it takes, delivered once.
    func run(_ call: Call) async -> Reply {
        let first: Attempt
        switch build(call) {
        case .success(let attempt): first = attempt
        case .failure(let error): return await deliver(call.failed(error))
        }
        return await run(first)
    }

    /// The call's attempts, within the middleware around the call.
    func run(_ first: Attempt) async -> Reply {
        let reply = await Next(position: .call)(first)
        // A middleware that answered by itself has read nothing.
        return await deliver(first.read(await collect(reply, of: first)))
    }

    /// One attempt after the other, until one succeeds or is the last.
    func attempts(_ first: Attempt) async -> Reply {
        var attempt = first
        while true {
            let reply = attempt.read(await collect(send(attempt), of: attempt))
            guard let failure = reply.failure, !failure.isCancelled else { return reply }
            switch await decide(reply, failure) {
            case .end(let settled): return settled
            case .again(let next): attempt = next
            }
        }
    }

    /// One attempt: adapted, admitted, and sent through the middleware around it, which follows redirects.
    private func send(_ attempt: Attempt) async -> Reply {
        let adapted: Attempt
        do throws(APIClientError) {
            adapted = try await adapt(attempt)
        } catch {
            return attempt.failed(error)
        }
        return await Next(position: .attempt)(adapted)
    }

    // MARK: - Down

    /// Describes, encodes and enhances the request.
    private func build(_ call: Call) -> Result<Attempt, APIClientError> {
        let channel = call.prepared
        guard channel.problems.isEmpty else { return .failure(.channel(problems: channel.problems, ErrorContext(call))) }
        return call.request().flatMap { described in
            var request = described
            do {
                for index in channel.enhancers.indices { try channel.enhancers[index].enhance(&request) }
            } catch {
                return .failure(APIClientError(error, ErrorContext(request), stage: APIClientError.enhancing))
            }
            let attempt = Attempt(request)
            call.tell { $0.built(CallEvent.Built(attempt: attempt)) }
            return .success(attempt)
        }
    }

    /// What interceptors make of an attempt, unless it must not be sent.
    private func adapt(_ attempt: Attempt) async throws(APIClientError) -> Attempt {
        let draft = attempt.draft()
        do {
            for index in draft.interceptors.indices {
                try Task.checkCancellation()
                try await draft.interceptors[index].adapt(&draft.request)
            }
            return try draft.admitted()
        } catch {
            throw draft.failure(error)
        }
    }

    // MARK: - Up

    /// The whole body, within the channel's limit, unless the caller wants to read it as it comes.
    private func collect(_ reply: Reply, of attempt: Attempt) async -> Reply {
        guard case .stream = reply.body, !attempt.streams(reply) else { return reply }
        return await reply.collected()
    }

    private enum Decision {
        case end(Reply)
        case again(Attempt)
    }

    /// Interceptors and then the error handler are asked about a failed attempt; the first that wants something decides. The
    /// channel's limit on attempts and the call's deadline hold whatever they say.
    private func decide(_ reply: Reply, _ failure: APIClientError) async -> Decision {
        let wish = await wish(Response(reply), failure)
        guard !Task.isCancelled else { return .end(reply.replaced(by: CancellationError())) }
        switch wish {
        case .doNotRetry: return .end(reply)
        case .fail(let error): return .end(reply.replaced(by: error))
        case .succeed(let value): return .end(reply.resolved(value))
        case .retry: return await pause(.zero, after: reply)
        case .retryAfter(let delay): return await pause(max(delay, .zero), after: reply)
        }
    }

    private func wish(_ response: Response<Void>, _ failure: APIClientError) async -> RetryResult {
        let channel = response.call.prepared.channel
        for interceptor in channel.interceptors {
            do {
                let wish = try await interceptor.retry(response, dueTo: failure)
                if case .doNotRetry = wish { continue }
                return wish
            } catch {
                return .fail(error)
            }
        }
        guard channel.errorHandler.canResolve(failure) else { return .doNotRetry }
        return await channel.errorHandler.resolve(failure, for: response)
    }

    private func pause(_ delay: Duration, after reply: Reply) async -> Decision {
        guard let attempt = reply.attempt, reply.mayTryAgain(after: delay) else { return .end(reply) }
        reply.tellRetrying(after: delay)
        do {
            if delay > .zero { try await Task.sleep(for: delay) }
            try Task.checkCancellation()
        } catch {
            return .end(reply.replaced(by: CancellationError()))
        }
        return .again(attempt.next(after: reply.attempts, delay: delay))
    }

    /// Translates the error, then tells the result handler and the listeners.
    private func deliver(_ settled: Reply) async -> Reply {
        let reply = settled.translated()
        let channel = reply.call.prepared
        await channel.channel.resultHandler(reply)
        reply.call.tell { $0.finished(CallEvent.Finished(response: Response(reply))) }
        return reply
    }
}
