internal import CoreAPIHTTPSupport
internal import Foundation
internal import HTTPTypes

// The synchronous steps of `Pipeline`. Those that make an error's context are not inlined, because its temporaries would lie in
// the frame of each request in flight. `Scripts/bench --instructions` counts the bytes that a held call has in use.

extension Call {
    /// The endpoint's request, encoded.
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

    /// The reply of a call whose request could not be built.
    @inline(never)
    func failed(_ error: APIClientError) -> Reply { Reply(self, failure: error) }
}

/// An attempt that interceptors change.
final class Draft {
    var request: Request
    private let attempt: Attempt

    fileprivate init(_ attempt: Attempt) {
        request = attempt.request
        self.attempt = attempt
    }

    var interceptors: [any RequestInterceptor] { attempt.call.prepared.channel.interceptors }

    /// The attempt, if it may be sent: not after a cancellation or the deadline, and not out of an environment that may be
    /// simulated.
    @inline(never)
    func admitted() throws -> Attempt {
        let adapted = interceptors.isEmpty ? attempt : attempt.with(request)
        let (request, call) = (adapted.request, adapted.call)
        try Task.checkCancellation()
        guard ContinuousClock.now < request.deadline else {
            throw TransportError.timedOut(.total, after: request.timeout.total)
        }
        guard !call.prepared.isLeft(by: request.url) else {
            throw RequestError.leavesEnvironment(host: request.url.host, environment: call.channel.environment.name)
        }
        call.tell { $0.started(CallEvent.Started(attempt: adapted)) }
        return adapted
    }

    /// Why the attempt is not sent, at the address that interceptors had given it by then.
    @inline(never)
    func failure(_ error: any Error) -> APIClientError {
        APIClientError(error, ErrorContext(request), stage: APIClientError.adapting)
    }
}

extension Attempt {
    // Not inlined: an object that does not leave a function lies in its frame.
    @inline(never)
    func draft() -> Draft { Draft(self) }

    /// Verifies, filters and decodes an answer; the last stages that can fail. An answer that was read before stays as it is.
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
    @inline(never)
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

    /// Another error in the place of this reply's, from an interceptor or the error handler, or because the call was cancelled.
    @inline(never)
    func replaced(by error: any Error, stage: (any Error, ErrorContext) -> APIClientError = APIClientError.app) -> Reply {
        copy(failure: APIClientError(error, ErrorContext(self), stage: stage))
    }

    /// An interceptor or the error handler gave a value.
    func resolved(_ value: any Sendable) -> Reply {
        guard let failure, call.decoding.makes(value) else {
            let mismatch = ResolutionMismatch(expected: call.decoding.valueName, found: "\(type(of: value))")
            return replaced(by: mismatch, stage: APIClientError.unknown)
        }
        return copy(failure: .some(nil), reading: .resolved(value, after: failure))
    }

    /// The error that the channel's filter puts in the place of this one.
    func translated() -> Reply {
        guard let failure, let translated = call.channel.errorFilter.translate(failure) else { return self }
        return copy(failure: translated)
    }

    /// Whether the channel's limit and the call's deadline leave room for another attempt after a pause.
    func mayTryAgain(after delay: Duration) -> Bool {
        guard let attempt, attempt.origin.request.body.isReplayable, attempts.count < call.attemptLimit else { return false }
        return delay < ContinuousClock.now.duration(to: attempt.request.deadline)
    }

    @inline(never)
    func tellRetrying(after delay: Duration) {
        let response = Response<Void>(self)
        call.tell { $0.retrying(CallEvent.Retrying(response: response, delay: delay)) }
        request?.modifier(AttemptObserver.self)?.observe(response)
    }
}
