internal import Foundation
internal import HTTPTypes

/// The way of a request. Every stage is named in ``response(_:)``, in the order in which it runs.
struct Pipeline: Sendable {
    var channel: Channel { shared.channel }
    private let shared: SharedChannel
    private let enhancers: [any RequestEnhancer]
    private let problems: [String]

    init(channel: Channel) {
        shared = SharedChannel(channel)
        problems = channel.problems
        let builtIn: [any RequestEnhancer] = [
            HeaderEnhancer(), QueryItemEnhancer(), TimeoutEnhancer(), CachePolicyEnhancer(), VerificationEnhancer(),
        ]
        // A stable sort: among equals the built-in ones come first, then the channel's in their order.
        enhancers = (builtIn + channel.enhancers).sorted { $0.effectivePriority > $1.effectivePriority }
    }

    /// Runs one call from endpoint to value. Off the caller's actor, so that nothing is decoded on the main thread.
    @concurrent
    func response<Value: Sendable>(_ start: CallStart<Value>) async -> Response<Value> {
        let enhanced: EnhancedCall<Value>
        switch start {
        case .endpoint(let endpoint, let decoding):
            let call = Call(currentChannel(), endpoint: { endpoint.description })
            do throws(APIClientError) {
                enhanced = try EnhancedCall(enhance(build(endpoint, call, wantsCoder: decoding.wantsCoder)), decoding)
            } catch {
                return await deliver(translate(Response(call: call, result: .failure(error))))
            }
        case .again(let repeated):
            enhanced = repeated
        }

        var attempts = enhanced.attempts
        var pause = enhanced.delay
        while true {
            var response = await send(adapting: enhanced.request, attempt: attempts.count + 1)
            for enhancer in enhancers { enhancer.deenhance(&response) }
            channel.errorFilter.apply(to: &response)
            var decoded =
                LoopThread.isCurrent
                ? await enhanced.decoding.applyElsewhere(to: response) : enhanced.decoding.apply(to: response)
            attempts.append(Attempt(decoded, number: attempts.count + 1, delay: pause))
            decoded.attempts = attempts
            switch await settle(decoded, attemptLimit: enhanced.attemptLimit) {
            case .done(let settled): return await deliver(translate(settled), of: enhanced)
            case .again(let delay): pause = delay
            }
        }
    }

    private func currentChannel() -> SharedChannel {
        guard let place = channel.environmentSwitch else { return shared }
        var current = channel
        current.environment = place.environment
        return SharedChannel(current)
    }

    // MARK: - Stages, in order

    private func build(_ endpoint: any Endpoint, _ call: Call, wantsCoder: Bool) throws(APIClientError) -> Request {
        let problems = channel.environmentSwitch == nil ? problems : call.channel.problems
        guard problems.isEmpty else { throw .channel(problems: problems, ErrorContext(call)) }
        do throws(RequestError) {
            var request = try Request(endpoint, call: call)
            if wantsCoder { request.headers[.accept] = request.coder.contentType }
            return request
        } catch {
            throw .request(error, ErrorContext(call, method: endpoint.method))
        }
    }

    private func enhance(_ request: Request) throws(APIClientError) -> Request {
        var request = request
        do {
            for enhancer in enhancers { try enhancer.enhance(&request) }
        } catch {
            throw APIClientError(error, ErrorContext(request), stage: APIClientError.enhancing)
        }
        return request
    }

    private func send(adapting request: Request, attempt: Int) async -> Response<Data> {
        var request = request
        request.attempt = attempt
        guard !Task.isCancelled else { return Response(request: request, result: .failure(.cancelled(ErrorContext(request)))) }
        do {
            for interceptor in channel.interceptors { try await interceptor.adapt(&request) }
        } catch {
            let failure = APIClientError(error, ErrorContext(request), stage: APIClientError.adapting)
            return Response(request: request, result: .failure(failure))
        }
        channel.logger.log(.sending(request))
        // Nobody stops an interceptor that takes its time, but what it took is the call's.
        if !channel.interceptors.isEmpty, ContinuousClock.now >= request.deadline {
            let late = TransportError.timedOut(.total, after: request.timeout.total)
            return Response(request: request, result: .failure(.transport(late, ErrorContext(request))))
        }
        return await (request.call.channel.environment.fixturesType.transport ?? channel.transport).send(request)
    }

    /// Not in ``settle(_:attemptLimit:)``, because interceptors and handlers must recognise what they are asked about.
    private func translate<Value>(_ response: Response<Value>) -> Response<Value> {
        channel.errorFilter.translate(response)
    }

    private func deliver<Value>(
        _ response: Response<Value>, of enhanced: EnhancedCall<Value>? = nil
    ) async -> Response<Value> {
        var response = response
        response.enhanced = enhanced
        // A response without its value is a copy, which most channels have no use for.
        guard !channel.resultHandler.isNone || !(channel.logger is SilentLogger) else { return response }
        let seen = response.withoutValue
        await channel.resultHandler(seen)
        channel.logger.log(.finished(seen))
        return response
    }
}

/// What a run of the pipeline begins with.
enum CallStart<Value: Sendable>: Sendable {
    case endpoint(any Endpoint, as: ResponseDecoding<Value>)
    /// One more attempt that a person asked for.
    case again(EnhancedCall<Value>)
}

extension Attempt {
    fileprivate init<Value>(_ response: Response<Value>, number: Int, delay: Duration) {
        self.init(
            number: number, status: response.head?.status.code, error: response.error, metrics: response.metrics, delay: delay)
    }
}
