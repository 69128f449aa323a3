import TestSupport

@Suite("Middleware", .closing, .timeLimit(.minutes(1)))
struct MiddlewareTests {
    struct Noted: Middleware {
        let name: String
        let diary: Diary

        func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
            diary.write("\(name) down \(attempt.request.url.path)")
            let reply = await next(attempt)
            diary.write("\(name) up \(reply.status.map(String.init) ?? "none")")
            return reply
        }
    }

    @Test("call middleware runs once, attempt middleware runs for each attempt and each hop, in order and in reverse")
    func positions() async throws {
        let diary = Diary()
        let hasFailed = Shared(false)
        let transport = RecordingTransport { request in
            if request.url.path == "/thing" { return .answer(to: request, status: 302, headers: [.location: "/there"]) }
            return .answer(to: request, status: hasFailed.exchange(true) ? 200 : 500)
        }
        var channel = Channel.test(transport)
        channel.interceptors = [RetryPolicy(base: .zero)]
        channel.callMiddleware = [Noted(name: "c1", diary: diary), Noted(name: "c2", diary: diary)]
        channel.attemptMiddleware = [Noted(name: "a1", diary: diary), Noted(name: "a2", diary: diary)]
        try await channel.manager.request(endpoint: TestEndpoint())
        func hop(_ path: String, _ status: Int) -> [String] {
            ["a1 down \(path)", "a2 down \(path)", "a2 up \(status)", "a1 up \(status)"]
        }
        #expect(
            diary.all == ["c1 down /thing", "c2 down /thing"] + hop("/thing", 302) + hop("/there", 500) + hop("/thing", 302)
                + hop("/there", 200) + ["c2 up 200", "c1 up 200"])
    }

    struct Changing: Middleware {
        let change: @Sendable (RawResponse) -> RawResponse
        func handle(_ attempt: Attempt, next: Next) async -> RawResponse { change(await next(attempt)) }
    }

    @Test("a reply that call middleware changes is verified and decoded again, and keeps its attempts")
    func changed() async throws {
        let statuses = Mutex([503, 200])
        let transport = RecordingTransport { request in
            .answer(to: request, status: statuses.withLock { $0.removeFirst() }, body: #"{"id":1}"#)
        }
        var channel = Channel.test(transport)
        channel.interceptors = [RetryPolicy(base: .zero)]
        channel.callMiddleware = [Changing { $0.with(body: .bytes(Data(#"{"id":2}"#.utf8))) }]
        let response = await channel.manager.response(for: TestEndpoint(), as: Item.self)
        #expect(try response.value.id == 2 && response.attempts.map(\.status) == [503, 200])

        statuses.withLock { $0 = [200] }
        channel.callMiddleware = [Changing { $0.with(head: ResponseHead(status: .gone)) }]
        let rejected = await channel.manager.response(for: TestEndpoint(), as: Item.self)
        #expect(rejected.error?.label == "verification.unacceptableStatus.410" && rejected.head?.status == .gone)
    }

    @Test("a reply whose body is a file is read, or fails if there is none", arguments: [false, true])
    func fileBody(isMissing: Bool) async throws {
        let file = temporaryFile("networkerkit")
        if !isMissing { try Data(#"{"id":3}"#.utf8).write(to: file) }
        for isAroundCall in [false, true] {
            var channel = Channel.test(RecordingTransport(body: #"{"id":1}"#))
            let kept = Changing { $0.with(body: .file(file)) }
            if isAroundCall { channel.callMiddleware = [kept] } else { channel.attemptMiddleware = [kept] }
            let response = await channel.manager.response(for: TestEndpoint(), as: Item.self)
            #expect(isMissing ? response.error != nil : try response.value.id == 3, "\(response.result)")
        }
    }

    @Test("the stages are those of the environment where the switch is")
    func stagesOfSwitch() {
        var channel = Channel.test(RecordingTransport())
        channel.environmentSwitch = APIEnvironment.Switch(
            APIEnvironment("test", baseURL: "https://h.example", isSimulated: true, fixturesType: .attached))
        #expect(channel.stages.first { $0.kind == .transport }?.name == "FixtureTransport")
    }

    struct Answering: Middleware {
        let body: String
        func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
            RawResponse(attempt, head: ResponseHead(status: .ok), body: .bytes(Data(body.utf8)))
        }
    }

    @Test("one that answers without next sends no request, and its response is verified and decoded as usual")
    func answering() async throws {
        let transport = RecordingTransport(status: 500)
        var channel = Channel.test(transport) { $0.callMiddleware = [Answering(body: #"{"id":7}"#)] }
        let item: Item = try await channel.manager.request(endpoint: TestEndpoint())
        #expect(item == Item(id: 7))
        channel.callMiddleware = [Answering(body: "oops")]
        #expect(await channel.manager.response(for: TestEndpoint(), as: Item.self).error?.label == "decoding")
        channel.callMiddleware = []
        channel.attemptMiddleware = [Answering(body: #"{"id":8}"#)]
        let second: Item = try await channel.manager.request(endpoint: TestEndpoint())
        #expect(second == Item(id: 8))
        #expect(transport.requests.isEmpty)
    }

    @Test("a response of an earlier attempt that one returns is that of the present attempt")
    func answersAgain() async throws {
        let transport = RecordingTransport(status: 503)
        var channel = Channel.test(transport)
        channel.attemptMiddleware = [Keeper()]
        channel.interceptors = [RetryPolicy(attempts: 2, base: .zero)]
        let response = await channel.manager.response(for: TestEndpoint(), as: Item.self)
        #expect(response.attempts.map(\.number) == [1, 2] && response.error?.context.attempt == 2)
        #expect(transport.requests.count == 1)
    }

    struct Rejecting: Middleware {
        struct Rejection: Error {}
        func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
            attempt.failed(Rejection(), stage: APIClientError.adapting)
        }
    }

    @Test("a reply with neither head nor failure is no success")
    func emptyReply() async throws {
        struct Silent: Middleware {
            func handle(_ attempt: Attempt, next: Next) async -> RawResponse { RawResponse(attempt) }
        }
        for isAroundCall in [true, false] {
            var channel = Channel.test("http://127.0.0.1:1")
            if isAroundCall { channel.callMiddleware = [Silent()] } else { channel.attemptMiddleware = [Silent()] }
            let error = await channel.manager.response(for: TestEndpoint("a", .delete), as: .nothing).error
            #expect(error?.label == "transport.malformedResponse")
        }
    }

    @Test("a failure in one is a failure of its stage; interceptors and handlers run as usual")
    func rejecting() async {
        let diary = Diary()
        var channel = Channel.test(RecordingTransport())
        channel.attemptMiddleware = [Rejecting()]
        channel.interceptors = [NotingInterceptor(diary: diary)]
        let response = await channel.manager.response(for: TestEndpoint(), as: Item.self)
        #expect(response.error?.label == "adapting" && response.error?.underlyingError is Rejecting.Rejection)
        #expect(response.attempts.count == 1)
        #expect(diary.all == ["adapt 1", "retry?"])
    }

    /// Sends the same attempt twice at once, and returns the first reply.
    actor Hedging: Middleware {
        func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
            await withTaskGroup { group in
                for copy in 0..<2 { group.addTask { await next(attempt.with { $0.headers[.init("X-Copy")!] = "\(copy)" }) } }
                defer { group.cancelAll() }
                return await group.next() ?? attempt.failed(CancellationError())
            }
        }
    }

    @Test("an actor that sends an attempt twice at once gets the first response, and the other attempt is cancelled")
    func hedging() async throws {
        let transport = RecordingTransport { request in
            guard request.headers[.init("X-Copy")!] == "1" else {
                try? await Task.sleep(for: .seconds(3_600))
                return Response(request: request, result: .failure(.cancelled(APIClientError.Context(request))))
            }
            return .answer(to: request, body: #"{"id":1}"#)
        }
        let channel = Channel.test(transport) { $0.attemptMiddleware = [Hedging()] }
        let item: Item = try await channel.manager.request(endpoint: TestEndpoint())
        #expect(item == Item(id: 1))
    }

    enum Visits: Call.Key { static let defaultValue = 0 }

    struct Counting: Middleware, RequestInterceptor {
        func adapt(_ request: inout Request) async throws { request.call[Visits.self] += 1 }
        func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
            attempt.call[Visits.self] += 10
            return await next(attempt)
        }
    }

    @Test("hooks store typed values in a call, and no other call sees them")
    func context() async throws {
        var channel = Channel.test(RecordingTransport(statuses: [500, 200]))
        channel.interceptors = [Counting(), RetryPolicy(base: .zero)]
        channel.callMiddleware = [Counting()]
        for _ in 0..<2 {
            let response = await channel.manager.response(for: TestEndpoint(), as: .nothing)
            #expect(response.error == nil && response.call[Visits.self] == 12)
        }
    }

    private static func call() -> Call { Call(channel: .test(RecordingTransport()), endpoint: "e") }

    enum Wish: Call.Key { static let defaultValue: Int? = 5 }

    @Test("a key with an optional value has its default until it is set, and nil after it is set to nil")
    func optionalContext() {
        let call = Self.call()
        #expect(call[Wish.self] == 5)
        #expect(call.update(Wish.self) { $0 } == 5)
        call[Wish.self] = nil
        #expect(call[Wish.self] == nil)
        #expect(call.update(Wish.self) { $0 } == nil)
    }

    @Test("concurrent updates of a value are never lost, and a thrown error does not change it")
    func updates() async {
        let call = Self.call()
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<1_000 { call.update(Visits.self) { $0 += 1 } } } }
        }
        #expect(call.update(Visits.self) { $0 } == 8_000)
        #expect(throws: CancellationError.self) {
            try call.update(Visits.self) { visits in
                visits = 0
                throw CancellationError()
            }
        }
        #expect(call[Visits.self] == 8_000)
    }

    /// Uses the call once more in its deinit.
    final class Keepsake: Sendable {
        let call: Call?
        init(of call: Call? = nil) { self.call = call }
        deinit { call?.update(Visits.self) { $0 += 1 } }
    }

    enum Kept: Call.Key { static let defaultValue: Keepsake? = nil }

    @Test("a value may use the call while it is deinitialized by a replacement")
    func replaced() {
        let call = Self.call()
        call[Kept.self] = Keepsake(of: call)
        call[Kept.self] = Keepsake(of: call)
        #expect(call[Visits.self] == 1)
        call.update(Kept.self) { $0 = nil }
        #expect(call[Visits.self] == 2)
        _ = try? call.update(Kept.self) { kept in
            kept = Keepsake(of: call)
            throw CancellationError()
        }
        #expect(call[Visits.self] == 3)
    }

    @Test("a fixture's redirect is followed, its cookies are sent back, and later stages see both hops")
    func fixtures() async throws {
        let diary = Diary()
        let transport = FixtureTransport([
            Fixture(.get, "old", status: 302, headers: ["Location": "/new", "Set-Cookie": "a=1"]),
            Fixture(.get, "new", body: #"{"id":3}"#),
        ])
        var channel = Channel.test(transport) { $0.cookies = CookieJar() }
        struct Headers: Middleware {
            let diary: Diary
            func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
                let reply = await next(attempt)
                diary.write("\(attempt.request.url.path) \(reply.request?.headers[.cookie] ?? "no cookie")")
                return reply
            }
        }
        channel.attemptMiddleware = [Headers(diary: diary)]
        let response = await channel.manager.response(for: TestEndpoint("old"), as: Item.self)
        #expect(try response.value == Item(id: 3))
        #expect(response.metrics == nil || response.metrics?.redirects.count == 1)
        #expect(diary.all == ["/old no cookie", "/new a=1"])
    }

    @Test("a secret that a middleware adds is hidden when a server repeats it, after a redirect, too", arguments: ["new", "old"])
    func repeatedSecret(path: String) async throws {
        let transport = FixtureTransport([
            Fixture(.get, "old", status: 302, headers: ["Location": "/new"]),
            Fixture(.get, "new", body: #"{"id":"pl4nted"}"#),
        ])
        var channel = Channel.test(transport)
        channel.attemptMiddleware = [BearerAuthentication(token: "pl4nted") { _ in "pl4nted" }]
        let response = await channel.manager.response(for: TestEndpoint(path), as: Item.self)
        let error = try #require(response.error)
        #expect(error.label == "decoding", "\(error)")
        #expect(!"\(error) \(response)".contains("pl4nted"), "\(error) \(response)")
        #expect(response.request?.headers[.authorization] == "Bearer pl4nted")
    }

    /// Each address has a key of its own.
    private struct Keys: Middleware {
        func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
            let key = "pl4nted-\(attempt.request.url.path.dropFirst())"
            return await next(attempt.with { $0.headers[HTTPField.Name("X-Api-Key")!] = key })
        }
    }

    @Test("the secrets of every hop of a redirect are hidden, whichever hop's server repeats them")
    func repeatedSecrets() async throws {
        let repeated = #"{"id":"pl4nted-first pl4nted-second pl4nted-third"}"#
        let transport = FixtureTransport([
            Fixture(.get, "first", status: 302, headers: ["Location": "/second"]),
            Fixture(.get, "second", status: 302, headers: ["Location": "/third"]),
            Fixture(.get, "third", body: repeated),
        ])
        let channel = Channel.test(transport) { $0.attemptMiddleware = [Keys()] }
        let response = await channel.manager.response(for: TestEndpoint("first"), as: Item.self)
        let error = try #require(response.error)
        #expect(error.label == "decoding" && response.attempts.count == 1, "\(error)")
        #expect(String(decoding: error.context.body, as: UTF8.self) == repeated)
        for text in ["\(error)", "\(response)", "\(response.with(.failure(error)) as Response<Item>)"] {
            #expect(!text.contains("pl4nted"), "\(text)")
        }
    }

    @Test("a secret of an earlier hop that a redirect puts into its address is hidden in the error's address")
    func repeatedInAddress() async throws {
        let transport = FixtureTransport([
            Fixture(.get, "first", status: 302, headers: ["Location": "/missing?echo=pl4nted-first"])
        ])
        let channel = Channel.test(transport) { $0.attemptMiddleware = [Keys()] }
        let response = await channel.manager.response(for: TestEndpoint("first"), as: Item.self)
        let url = try #require(response.error?.context.url)
        #expect(url.hasPrefix("https://h.example/missing?echo=") && !url.contains("pl4nted"), "\(url)")
    }

    @Test("a failed refresh keeps the secrets of its own call hidden, after a redirect, too", arguments: ["new", "old"])
    func repeatedByRefresh(path: String) async throws {
        struct Rejection: LocalizedError {
            let errorDescription: String?
        }
        let rejected = Fixture(.get, "token", status: 400, body: "no key pl4nted-token")
        var tokens = Channel.test("https://tokens.example", transport: FixtureTransport([rejected]))
        tokens.attemptMiddleware = [Keys()]
        // Only the error's context can hide what an app's own error repeats.
        tokens.errorFilter = ErrorFilter { Rejection(errorDescription: String(decoding: $0.data, as: UTF8.self)) }
        let transport = FixtureTransport([
            Fixture(.get, "old", status: 302, headers: ["Location": "/new"]), Fixture(.get, "new", status: 401),
        ])
        let bearerAuthentication = BearerAuthentication(token: "stale") { [tokens] _ in
            "\(try await tokens.manager.request(TestEndpoint("token"), as: Item.self).id)"
        }
        let channel = Channel.test(transport) { $0.attemptMiddleware = [bearerAuthentication] }
        let error = try #require(await channel.manager.response(for: TestEndpoint(path), as: Item.self).error)
        #expect("\(error)".hasPrefix("no key ") && !"\(error)".contains("pl4nted"), "\(error)")
    }

    @Test("what a middleware around the call changes is in every attempt; what an interceptor changes is made anew")
    func changedForTheCall() async throws {
        struct Adding: Middleware, RequestInterceptor {
            let name: HTTPField.Name
            func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
                await next(attempt.with { $0.headers.append(HTTPField(name: name, value: "x")) })
            }
            func adapt(_ request: inout Request) async throws { request.headers.append(HTTPField(name: name, value: "x")) }
        }
        let (call, interceptor) = (HTTPField.Name("Call")!, HTTPField.Name("Interceptor")!)
        let diary = Diary()
        let transport = RecordingTransport { request in
            diary.write("\(request.headers[call] ?? "-") \(request.headers[interceptor] ?? "-")")
            return .answer(to: request, status: 503)
        }
        var channel = Channel.test(transport)
        channel.callMiddleware = [Adding(name: call)]
        channel.interceptors = [Adding(name: interceptor), RetryPolicy(attempts: 3, base: .zero)]
        let response = await channel.manager.response(for: TestEndpoint(), as: Item.self)
        #expect(response.attempts.count == 3)
        #expect(diary.all == ["x x", "x x", "x x"])
        // By hand, the call begins again before its middleware.
        #expect(try await response.retry().attempts.count == 4)
        #expect(diary.all == Array(repeating: "x x", count: 4))
    }

    @Test("a hook is listed at the stages that it names, and at all of its kind if it names none")
    func stagesOfHooks() {
        struct Silent: RequestInterceptor, RequestEnhancer {}
        struct Once: RequestEnhancer { var stages: Set<Stage.Kind> { [.deenhance] } }
        struct Resolving: ErrorHandler {
            func canResolve(_ error: APIClientError) -> Bool { false }
            func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult { .doNotRetry }
        }
        var channel = Channel.test(RecordingTransport())
        channel.enhancers = [Silent(), Once()]
        channel.interceptors = [Silent()]
        let names = ["Silent", "Once", "CompositeErrorHandler"]
        let listed = { (channel: Channel) in channel.stages.filter { names.contains($0.name) }.map(\.description) }
        let own = ["enhance Silent", "adapt Silent", "deenhance Silent", "deenhance Once", "retry Silent"]
        #expect(listed(channel) == own)
        channel.errorHandler = CompositeErrorHandler(CompositeErrorHandler())
        #expect(listed(channel) == own)
        channel.errorHandler = CompositeErrorHandler(CompositeErrorHandler(), Resolving())
        #expect(listed(channel) == own + ["retry CompositeErrorHandler"])
    }

    @Test("the stages of a channel are listed in order, including the kit's own")
    func stages() {
        var channel = Channel.test(RecordingTransport())
        channel.callMiddleware = [Answering(body: "")]
        channel.attemptMiddleware = [Rejecting()]
        channel.interceptors = [RetryPolicy()]
        channel.cookies = CookieJar()
        #expect(
            channel.stages.map(\.description) == [
                "build Endpoint", "enhance HeaderEnhancer", "enhance QueryItemEnhancer", "enhance TimeoutEnhancer",
                "enhance CachePolicyEnhancer", "call Answering", "attempt Redirects", "attempt Rejecting", "attempt Cookies",
                "transport RecordingTransport", "deenhance VerificationEnhancer", "filter ErrorFilter",
                "decode ResponseDecoding", "retry RetryPolicy", "translate ErrorFilter", "result ResultHandler",
            ])
    }
}
