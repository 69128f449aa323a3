internal import Foundation
internal import HTTPTypes

/// The way of a request. Every stage is named in `run`, and in `begin`, `conclude` and `read`, of which it consists, in the order in
/// which it runs.
struct Pipeline: Sendable {
    /// Decodes an attempt's answer and keeps the value.
    private typealias Decode = (Response<Data>) -> Response<Void>
    /// Keeps a value that stands in for a failure.
    private typealias Resolve = (Response<Void>, any Sendable) -> Response<Void>

    var channel: Channel { shared.channel }
    private let shared: SharedChannel
    private let enhancers: [any RequestEnhancer]
    private let problems: [String]

    init(channel: Channel) {
        shared = SharedChannel(channel)
        problems = channel.problemsOfAllCalls
        let builtIn: [any RequestEnhancer] = [
            HeaderEnhancer(), QueryItemEnhancer(), TimeoutEnhancer(), CachePolicyEnhancer(), VerificationEnhancer(),
        ]
        // A stable sort: among equals the built-in ones come first, then the channel's in their order.
        enhancers = (builtIn + channel.enhancers).sorted { $0.effectivePriority > $1.effectivePriority }
    }

    /// Runs one call from endpoint to value. Inlined into who calls it off every actor; otherwise a task would have one frame more.
    @inline(__always)
    func response<Value: Sendable>(_ start: consuming CallStart, as decoding: ResponseDecoding<Value>) async -> Response<Value> {
        var value: Response<Value>.Box?
        let (settled, enhanced) = await run(start, decoding.way.use) { response in
            do throws(APIClientError) {
                value = try decoding.way.value(of: response)
                return response.with(nothing)
            } catch {
                return response.failed(error)
            }
        } resolve: { response, given in
            guard let own = given as? Value else {
                let mismatch = ResolutionMismatch(expected: "\(Value.self)", found: "\(type(of: given))")
                return response.failed(.unknown(mismatch, ErrorContext(response)))
            }
            value = Response<Value>.Box(own)
            return response.with(nothing)
        }
        return settled.delivering(value, of: enhanced, as: decoding)
    }

    /// Knows no type of value, nor does what it calls: generic code looks its types up anew after every suspension, which was a sixth of
    /// what the pipeline cost.
    ///
    /// - Returns: the settled call, and what a repetition by hand begins with; `nil` when the request could not be built.
    private func run(
        _ start: consuming CallStart, _ use: AnswerUse, _ decode: Decode, resolve: Resolve
    ) async -> (Response<Void>, Request?) {
        let enhanced: Request
        do throws(BuildFailure) {
            enhanced = try begin(start, wantsCoder: use.wantsCoder)
        } catch {
            return (await refuse(error), nil)
        }

        var (request, earlier, delay) = (enhanced, enhanced.call.earlier, enhanced.call.delay)
        while true {
            let answer = await send(adapting: request)
            switch await conclude(consume answer, after: earlier, delay: delay, use, decode, resolve) {
            case .done(let response), .resolved(let response, _): return (response, enhanced)
            case .again(let attempts, let pause):
                (request, earlier, delay) = (enhanced.numbered(attempts.count + 1), attempts, pause)
            }
        }
    }

    /// From an attempt's answer to what becomes of it; what is done was delivered. Not in `run`, whose frame each of thousands of
    /// requests in flight keeps.
    @inline(never)
    private func conclude(
        _ answer: consuming Response<Data>, after earlier: [Attempt], delay: Duration, _ use: AnswerUse, _ decode: Decode,
        _ resolve: Resolve
    ) async -> Settlement {
        // Consumed, so that who changes a response has it alone and copies nothing.
        var attempted =
            LoopJobs.areOnThisThread ? await readElsewhere(consume answer, use, decode) : read(consume answer, decode)
        attempted.note(after: earlier, delay: delay)
        if let error = attempted.error, !error.isCancelled {
            switch await settle(attempted, error) {
            case .again(let attempts, let pause): return .again(after: attempts, delay: pause)
            case .done(let settled): attempted = settled
            case .resolved(let settled, let value): attempted = resolve(settled, value)
            }
        }
        return .done(await deliver(attempted))
    }

    private func currentChannel() -> SharedChannel {
        guard let place = channel.environmentSwitch else { return shared }
        var current = channel
        current.environment = place.environment
        return SharedChannel(current)
    }

    // MARK: - Stages, in order

    // What is over before a request is in flight, or begins after it, is not inlined: its call would keep room for their temporaries; nor
    // what is rare in a stage that waits, whose frame is 190 bytes without it and 800 with it, an allocation more for each request.

    @inline(never)
    private func begin(_ start: consuming CallStart, wantsCoder: Bool) throws(BuildFailure) -> Request {
        switch consume start {
        case .again(let repeated): return repeated
        case .endpoint(let endpoint):
            let call = Call(currentChannel(), endpoint)
            do throws(APIClientError) {
                return try enhance(build(endpoint, call, wantsCoder: wantsCoder))
            } catch {
                throw BuildFailure(Response(call: call, result: .failure(error)))
            }
        }
    }

    private func build(_ endpoint: any Endpoint, _ call: Call, wantsCoder: Bool) throws(APIClientError) -> Request {
        let problems = channel.environmentSwitch == nil ? problems : call.channel.problemsOfAllCalls
        guard problems.isEmpty else { throw .channel(problems: problems, ErrorContext(call)) }
        do throws(RequestError) {
            var request = try Request(endpoint, call: call)
            if wantsCoder { request.accept(request.coder) }
            return request
        } catch {
            let context = ErrorContext(call, method: endpoint.method)
            // The only empty address there is.
            if case .malformedURL("", _) = error { throw .channel(problems: [call.channel.environment.missingBase], context) }
            throw .request(error, context)
        }
    }

    private func enhance(_ built: consuming Request) throws(APIClientError) -> Request {
        var request = built
        do {
            // By their places: each that a loop hands out is copied.
            for place in enhancers.indices { try enhancers[place].enhance(&request) }
        } catch {
            throw APIClientError(error, ErrorContext(request), stage: APIClientError.enhancing)
        }
        return request
    }

    private func send(adapting request: Request) async -> Response<Data> {
        var adapted = request
        // A frame less where there is nobody to wait for.
        let transport = channel.interceptors.isEmpty ? admit(request) : await adapt(&adapted)
        return await transport.send(adapted)
    }

    /// - Returns: what answers: the transport, unless the request must not be sent.
    @inline(never)
    private func adapt(_ request: inout Request) async -> any Transport {
        do {
            try Task.checkCancellation()
            for interceptor in channel.interceptors { try await interceptor.adapt(&request) }
            // Nobody stops one that takes its time, but what it took is the call's.
            guard ContinuousClock.now < request.deadline else {
                throw TransportError.timedOut(.total, after: request.timeout.total)
            }
        } catch {
            return refusal(of: request, error)
        }
        return admit(request)
    }

    /// Says that the request is about to leave, and who is to answer it.
    @inline(never)
    private func admit(_ request: Request) -> any Transport {
        guard !Task.isCancelled else { return refusal(of: request, CancellationError()) }
        guard !request.call.shared.isLeft(by: request.url) else {
            let environment = request.call.channel.environment.name
            return refusal(of: request, RequestError.leavesEnvironment(host: request.url.host, environment: environment))
        }
        if shared.isLogged { channel.logger.log(.sending(request)) }
        return request.call.channel.environment.fixturesType.transport ?? channel.transport
    }

    @inline(never)
    private func refusal(of request: Request, _ error: any Error) -> any Transport {
        Refusal(error: APIClientError(error, ErrorContext(request), stage: APIClientError.adapting))
    }

    @inline(never)
    private func read(_ answer: consuming Response<Data>, _ decode: Decode) -> Response<Void> {
        var response = answer
        for place in enhancers.indices {
            do {
                try enhancers[place].deenhance(&response)
            } catch {
                response.result = .failure(APIClientError(error, ErrorContext(response), stage: APIClientError.enhancing))
            }
        }
        channel.errorFilter.apply(to: &response)
        return decode(response)
    }

    /// For a caller on a thread that others wait for, the connections above all.
    private func readElsewhere(_ answer: consuming Response<Data>, _ use: AnswerUse, _ decode: Decode) async -> Response<Void> {
        guard use.readsBody || channel.errorFilter.readsAnswers else { return read(consume answer, decode) }
        let response = consume answer
        return await withTaskExecutorPreference(globalConcurrentExecutor) { read(response, decode) }
    }

    @inline(never)
    private func refuse(_ failure: BuildFailure) async -> Response<Void> { await deliver(failure.response) }

    @inline(__always)
    private func deliver(_ settled: Response<Void>) async -> Response<Void> {
        // Not before it is settled, because interceptors and handlers must recognise what they are asked about.
        let response = channel.errorFilter.translate(settled)
        await channel.resultHandler(response)
        if shared.isLogged { logEnd(of: response) }
        return response
    }

    @inline(never)
    private func logEnd(of response: Response<Void>) {
        channel.logger.log(.finished(response))
    }
}

/// What every attempt that was decoded is a success with, while the value waits for the call's end.
private let nothing = Response<Void>.Box(())

/// What a call comes to whose request could not be built. A class, because `run` would keep room for more than a reference.
private final class BuildFailure: Error {
    let response: Response<Void>

    init(_ response: Response<Void>) {
        self.response = response
    }
}

/// Answers in the transport's place what is not to be sent.
private struct Refusal: Transport {
    let error: APIClientError

    func send(_ request: Request) async -> Response<Data> {
        Response(request: request, result: .failure(error))
    }
}

/// What a run of the pipeline begins with.
enum CallStart: Sendable {
    case endpoint(any Endpoint)
    /// One more attempt that a person asked for.
    case again(Request)
}
