/// Whether a call is over after an attempt.
enum Settlement: Sendable {
    case done(Response<Void>)
    /// The call succeeds with a value that an interceptor or the error handler gave.
    case resolved(Response<Void>, any Sendable)
    /// Another attempt after these; the pause before it has passed.
    case again(after: [Attempt], delay: Duration)
}

extension Pipeline {
    /// The last stage of an attempt that failed: it is shown to the interceptors and then to the error handler, and whoever of them speaks
    /// first decides. The channel's limit on attempts and the call's total timeout hold whatever they say.
    // Not inlined: nearly every call would allocate room for what it does not come to.
    @inline(never)
    func settle(_ response: Response<Void>, _ error: APIClientError) async -> Settlement {
        let wish = await decide(response, error)
        guard !Task.isCancelled else { return .done(response.with(.failure(.cancelled(ErrorContext(response))))) }
        switch wish {
        case .doNotRetry: return .done(response)
        case .fail(let replacement):
            let settled = APIClientError(replacement, ErrorContext(response), stage: APIClientError.app)
            return .done(response.with(.failure(settled)))
        case .succeed(let value): return .resolved(response, value)
        case .retry: return await pause(.zero, before: response)
        case .retryAfter(let delay): return await pause(max(delay, .zero), before: response)
        }
    }

    private func decide(_ response: Response<Void>, _ error: APIClientError) async -> RetryResult {
        for interceptor in channel.interceptors {
            do {
                let wish = try await interceptor.retry(response, dueTo: error)
                if case .doNotRetry = wish { continue }
                return wish
            } catch {
                return .fail(error)
            }
        }
        guard channel.errorHandler.canResolve(error) else { return .doNotRetry }
        return await channel.errorHandler.resolve(error, for: response)
    }

    private func pause(_ delay: Duration, before response: Response<Void>) async -> Settlement {
        guard response.attempts.count < response.call.attemptLimit, let deadline = response.request?.deadline,
            delay < ContinuousClock.now.duration(to: deadline)
        else {
            return .done(response)
        }
        channel.logger.log(.retrying(response, after: delay))
        response.request?.modifier(AttemptObserver.self)?.observe(response)
        do {
            if delay > .zero { try await Task.sleep(for: delay) }
            try Task.checkCancellation()
        } catch {
            return .done(response.with(.failure(.cancelled(ErrorContext(response)))))
        }
        return .again(after: response.attempts, delay: delay)
    }
}
