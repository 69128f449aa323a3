internal import CoreAPIHTTPSupport
internal import Foundation
internal import HTTPTypes

// The synchronous steps of `Pipeline`. Those that make an error's context are not inlined, because its temporaries would lie in
// the frame of each request in flight. `Scripts/bench --instructions` counts the bytes that a held call has in use.

extension Call {
    /// The endpoint's request, encoded.
    @inline(never)
    func request() -> Result<Request, APIClientError> {
        guard let endpoint = described else {
            return .failure(.channel(problems: ["the call was made by hand and has no endpoint"], ErrorContext(self)))
        }
        do throws(RequestError) {
            var request = try Request(endpoint, call: self)
            if decoding.wantsCoder { request.accept(request.coder) }
            return .success(request)
        } catch {
            let context = ErrorContext(self, method: endpoint.method)
            // The only empty address there is.
            if case .malformedURL("", _) = error {
                return .failure(.channel(problems: [channel.environment.missingBase], context))
            }
            return .failure(.request(error, context))
        }
    }
}

/// A request that interceptors change, kept out of the frame of the function that waits for them.
final class Draft {
    var request: Request

    @inline(never)
    init(_ request: Request) {
        self.request = request
    }

    @inline(never)
    func attempt(of attempt: Attempt) -> Attempt { attempt.with(request) }

    @inline(never)
    func refused(_ error: any Error) -> APIClientError {
        APIClientError(error, ErrorContext(request), stage: APIClientError.adapting)
    }
}

extension Attempt {
    /// The attempt, if it may be sent: not after a cancellation or the deadline, and not out of an environment that may be
    /// simulated.
    @inline(never)
    func admitted() -> Result<Attempt, APIClientError> {
        func refused(_ error: any Error) -> Result<Attempt, APIClientError> {
            .failure(APIClientError(error, ErrorContext(request)))
        }
        guard !Task.isCancelled else { return refused(CancellationError()) }
        guard ContinuousClock.now < request.deadline else {
            return refused(TransportError.timedOut(.total, after: request.timeout.total))
        }
        guard !call.prepared.isLeft(by: request.url) else {
            return refused(
                RequestError.leavesEnvironment(host: request.url.host, environment: call.channel.environment.name))
        }
        tell { $0.started(CallEvent.Started(attempt: self)) }
        return .success(self)
    }

    /// Verifies, filters and decodes an answer; the last stages that can fail. An answer that was read before stays as it is.
    @inline(never)
    func read(_ reply: Reply) -> Reply {
        guard case .unread = reply.reading else { return reply }
        let channel = call.prepared
        var response = Response<Data>(unread: reply.answering(self))
        for index in channel.enhancers.indices {
            do {
                try channel.enhancers[index].deenhance(&response)
            } catch {
                response.result = .failure(APIClientError(error, ErrorContext(response), stage: APIClientError.enhancing))
            }
        }
        channel.channel.errorFilter.apply(to: &response)
        let read: Reply
        do throws(APIClientError) {
            read = response.reply.copy(failure: .some(nil), reading: .value(try call.decoding.anyValue(of: response)))
        } catch {
            read = response.reply.copy(failure: .some(error), reading: .failed(error))
        }
        if reply.head != nil { tell { $0.read(CallEvent.Read(attempt: self, error: read.failure)) } }
        return read
    }

    /// Whether an answer's body is left to the caller: it asked for a stream, and the status is accepted.
    func streams(_ reply: Reply) -> Bool {
        guard call.decoding.wantsStream, reply.failure == nil, let status = reply.status else { return false }
        return (request.modifier() ?? StatusCodeResponseVerifier.successful).accepts(status)
    }
}

extension Reply {
    /// This reply as one to an attempt. A transport or a middleware may have made it for a request that it put together itself.
    fileprivate func answering(_ attempt: Attempt) -> Reply {
        if self.attempt?.origin === attempt.origin { return self }
        return copy(attempt: self.attempt.map { attempt.with($0.request) } ?? attempt)
    }

    /// The call was cancelled while this was its last reply.
    @inline(never)
    func cancelled() -> Reply { copy(failure: .cancelled(ErrorContext(self))) }

    /// An interceptor or the error handler gave another error.
    @inline(never)
    func replaced(by error: any Error) -> Reply {
        copy(failure: APIClientError(error, ErrorContext(self), stage: APIClientError.app))
    }

    /// An interceptor or the error handler gave a value.
    @inline(never)
    func resolved(_ value: any Sendable) -> Reply {
        guard let failure, call.decoding.makes(value) else {
            let mismatch = ResolutionMismatch(expected: call.decoding.valueName, found: "\(type(of: value))")
            return copy(failure: .unknown(mismatch, ErrorContext(self)))
        }
        return copy(failure: .some(nil), reading: .resolved(value, after: failure))
    }

    /// The error that the channel's filter puts in the place of this one.
    @inline(never)
    func translated() -> Reply {
        guard let failure, let translated = call.channel.errorFilter.translate(failure) else { return self }
        return copy(failure: translated)
    }

    /// Whether the channel's limit and the call's deadline leave room for another attempt after a pause.
    func mayTryAgain(after delay: Duration) -> Bool {
        guard let attempt, attempt.origin.enhanced.body.isReplayable, attempts.count < call.attemptLimit else { return false }
        return delay < ContinuousClock.now.duration(to: attempt.request.deadline)
    }

    @inline(never)
    func tellRetrying(after delay: Duration) {
        let response = Response<Void>(self)
        call.tell { $0.retrying(CallEvent.Retrying(response: response, delay: delay)) }
        request?.modifier(AttemptObserver.self)?.observe(response)
    }
}
