import TestSupport

@Suite("Middleware", .closing, .timeLimit(.minutes(1)))
struct MiddlewareTests {
    @Test("call middleware runs once, attempt middleware runs for each attempt and each hop, in order and in reverse")
    func positions() async throws {
        let diary = Diary()
        let hasFailed = Shared(false)
        let transport = RecordingTransport { request in
            if request.url.path == "/thing" { return .answer(to: request, status: 302, headers: [.location: "/there"]) }
            return .answer(to: request, status: hasFailed.exchange(true) ? 200 : 500)
        }
        func noted(_ name: String) -> Around {
            Around { attempt, next in
                diary.write("\(name) down \(attempt.request.url.path)")
                let reply = await next(attempt)
                diary.write("\(name) up \(reply.status.map(String.init) ?? "none")")
                return reply
            }
        }
        let channel = Channel.test(transport) {
            $0.interceptors = [RetryPolicy(base: .zero)]
            $0.callMiddleware = [noted("c1"), noted("c2")]
            $0.attemptMiddleware = [noted("a1"), noted("a2")]
        }
        #expect(await channel.error() == nil)
        func hop(_ path: String, _ status: Int) -> [String] {
            ["a1 down \(path)", "a2 down \(path)", "a2 up \(status)", "a1 up \(status)"]
        }
        #expect(
            diary.all == ["c1 down /thing", "c2 down /thing"] + hop("/thing", 302) + hop("/there", 500) + hop("/thing", 302)
                + hop("/there", 200) + ["c2 up 200", "c1 up 200"])
    }

    @Test("a reply that call middleware changes is verified and decoded again, and keeps its attempts")
    func changed() async throws {
        var channel = Channel.test(RecordingTransport(statuses: [503, 200], body: #"{"id":1}"#))
        channel.interceptors = [RetryPolicy(base: .zero)]
        channel.callMiddleware = [Around { await $1($0).with(body: .bytes(Data(#"{"id":2}"#.utf8))) }]
        let response = await channel.item()
        #expect(try response.value.id == 2 && response.attempts.map(\.status) == [503, 200])

        channel.callMiddleware = [Around { await $1($0).with(head: ResponseHead(status: .gone)) }]
        let rejected = await channel.item()
        #expect(rejected.error?.label == "verification.unacceptableStatus.410" && rejected.head?.status == .gone)
    }

    @Test("a reply whose body is a file is read, or fails if there is none", arguments: [false, true])
    func fileBody(isMissing: Bool) async throws {
        let file = temporaryFile("networkerkit")
        if !isMissing { try Data(#"{"id":3}"#.utf8).write(to: file) }
        for isAroundCall in [false, true] {
            var channel = Channel.test(RecordingTransport(body: #"{"id":1}"#))
            let kept = Around { await $1($0).with(body: .file(file)) }
            if isAroundCall { channel.callMiddleware = [kept] } else { channel.attemptMiddleware = [kept] }
            let response = await channel.item()
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

    private static func answering(_ body: String) -> Around {
        Around { attempt, _ in RawResponse(attempt, head: ResponseHead(status: .ok), body: .bytes(Data(body.utf8))) }
    }

    @Test("one that answers without next sends no request, and its response is verified and decoded as usual")
    func answering() async throws {
        let transport = RecordingTransport(status: 500)
        var channel = Channel.test(transport) { $0.callMiddleware = [Self.answering(#"{"id":7}"#)] }
        #expect(try await channel.item().value == Item(id: 7))
        channel.callMiddleware = [Self.answering("oops")]
        #expect(await channel.item().error?.label == "decoding")
        channel.callMiddleware = []
        channel.attemptMiddleware = [Self.answering(#"{"id":8}"#)]
        #expect(try await channel.item().value == Item(id: 8))
        #expect(transport.requests.isEmpty)
    }

    @Test("a response of an earlier attempt that one returns is that of the present attempt")
    func answersAgain() async throws {
        let transport = RecordingTransport(status: 503)
        var channel = Channel.test(transport)
        channel.attemptMiddleware = [Keeper()]
        channel.interceptors = [RetryPolicy(attempts: 2, base: .zero)]
        let response = await channel.item()
        #expect(response.attempts.map(\.number) == [1, 2] && response.error?.context.attempt == 2)
        #expect(transport.requests.count == 1)
    }

    @Test("a reply with neither head nor failure is no success")
    func emptyReply() async throws {
        let silent = Around { attempt, _ in RawResponse(attempt) }
        for change in [{ $0.callMiddleware = [silent] }, { $0.attemptMiddleware = [silent] }] as [(inout Channel) -> Void] {
            let channel = Channel.test("http://127.0.0.1:1", change)
            #expect(await channel.error(TestEndpoint("a", .delete))?.label == "transport.malformedResponse")
        }
    }

    @Test("a failure in one is a failure of its stage; interceptors and handlers run as usual")
    func rejecting() async {
        let diary = Diary()
        var channel = Channel.test(RecordingTransport())
        channel.attemptMiddleware = [Around { attempt, _ in attempt.failed(Trouble(code: 1), stage: APIClientError.adapting) }]
        channel.interceptors = [NotingInterceptor(diary: diary)]
        let response = await channel.item()
        #expect(response.error?.label == "adapting" && response.error?.underlyingError is Trouble)
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
        #expect(try await Channel.test(transport) { $0.attemptMiddleware = [Hedging()] }.item().value == Item(id: 1))
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
        _ = await atOnce(8) { for _ in 0..<1_000 { call.update(Visits.self) { $0 += 1 } } }
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
        channel.attemptMiddleware = [
            Around { attempt, next in
                let reply = await next(attempt)
                diary.write("\(attempt.request.url.path) \(reply.request?.headers[.cookie] ?? "no cookie")")
                return reply
            }
        ]
        let response = await channel.item(TestEndpoint("old"))
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
        let bearer = BearerAuthentication(token: "pl4nted") { _ in "pl4nted" }
        let response = await Channel.test(transport) { $0.attemptMiddleware = [bearer] }.item(TestEndpoint(path))
        let error = try #require(response.error)
        #expect(error.label == "decoding", "\(error)")
        #expect(!"\(error) \(response)".contains("pl4nted"), "\(error) \(response)")
        #expect(response.request?.headers[.authorization] == "Bearer pl4nted")
    }

    /// Each address has a key of its own.
    private static let keys = Around { attempt, next in
        let key = "pl4nted-\(attempt.request.url.path.dropFirst())"
        return await next(attempt.with { $0.headers[HTTPField.Name("X-Api-Key")!] = key })
    }

    @Test("the secrets of every hop of a redirect are hidden, whichever hop's server repeats them")
    func repeatedSecrets() async throws {
        let repeated = #"{"id":"pl4nted-first pl4nted-second pl4nted-third"}"#
        let transport = FixtureTransport([
            Fixture(.get, "first", status: 302, headers: ["Location": "/second"]),
            Fixture(.get, "second", status: 302, headers: ["Location": "/third"]),
            Fixture(.get, "third", body: repeated),
        ])
        let response = await Channel.test(transport) { $0.attemptMiddleware = [Self.keys] }.item(TestEndpoint("first"))
        let error = try #require(response.error)
        #expect(error.label == "decoding" && response.attempts.count == 1, "\(error)")
        #expect(String(decoding: error.context.body, as: UTF8.self) == repeated)
        for text in ["\(error)", "\(response)", "\(response.with(.failure(error)) as Response<Item>)"] {
            #expect(!text.contains("pl4nted"), "\(text)")
        }
    }

    @Test("a secret of an earlier hop that a redirect puts into its address is hidden in the error's address")
    func repeatedInAddress() async throws {
        let first = Fixture(.get, "first", status: 302, headers: ["Location": "/missing?echo=pl4nted-first"])
        let channel = Channel.test(FixtureTransport([first])) { $0.attemptMiddleware = [Self.keys] }
        let url = try #require(await channel.item(TestEndpoint("first")).error?.context.url)
        #expect(url.hasPrefix("https://h.example/missing?echo=") && !url.contains("pl4nted"), "\(url)")
    }

    @Test("a failed refresh keeps the secrets of its own call hidden, after a redirect, too", arguments: ["new", "old"])
    func repeatedByRefresh(path: String) async throws {
        struct Rejection: LocalizedError { let errorDescription: String? }
        let rejected = Fixture(.get, "token", status: 400, body: "no key pl4nted-token")
        var tokens = Channel.test("https://tokens.example", transport: FixtureTransport([rejected]))
        tokens.attemptMiddleware = [Self.keys]
        // Only the error's context can hide what an app's own error repeats.
        tokens.errorFilter = ErrorFilter { Rejection(errorDescription: String(decoding: $0.data, as: UTF8.self)) }
        let transport = FixtureTransport([
            Fixture(.get, "old", status: 302, headers: ["Location": "/new"]), Fixture(.get, "new", status: 401),
        ])
        let bearer = BearerAuthentication(token: "stale") { [tokens] _ in "\(try await tokens.item(TestEndpoint("token")).value)"
        }
        let channel = Channel.test(transport) { $0.attemptMiddleware = [bearer] }
        let error = try #require(await channel.item(TestEndpoint(path)).error)
        #expect("\(error)".hasPrefix("no key ") && !"\(error)".contains("pl4nted"), "\(error)")
    }

    @Test("what a middleware around the call changes is in every attempt; what an interceptor changes is made anew")
    func changedForTheCall() async throws {
        let (call, interceptor) = (HTTPField.Name("Call")!, HTTPField.Name("Interceptor")!)
        let diary = Diary()
        let transport = RecordingTransport { request in
            diary.write("\(request.headers[call] ?? "-") \(request.headers[interceptor] ?? "-")")
            return .answer(to: request, status: 503)
        }
        var channel = Channel.test(transport)
        channel.callMiddleware = [
            Around { attempt, next in await next(attempt.with { $0.headers.append(HTTPField(name: call, value: "x")) }) }
        ]
        let adding = Adapting { $0.headers.append(HTTPField(name: interceptor, value: "x")) }
        channel.interceptors = [adding, RetryPolicy(attempts: 3, base: .zero)]
        let response = await channel.item()
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
        var channel = Channel.test(RecordingTransport())
        channel.enhancers = [Silent(), Once()]
        channel.interceptors = [Silent()]
        let names = ["Silent", "Once", "CompositeErrorHandler"]
        let listed = { (channel: Channel) in channel.stages.filter { names.contains($0.name) }.map(\.description) }
        let own = ["enhance Silent", "adapt Silent", "deenhance Silent", "deenhance Once", "retry Silent"]
        #expect(listed(channel) == own)
        channel.errorHandler = CompositeErrorHandler(CompositeErrorHandler())
        #expect(listed(channel) == own)
        channel.errorHandler = CompositeErrorHandler(CompositeErrorHandler(), Resolving { .doNotRetry })
        #expect(listed(channel) == own + ["retry CompositeErrorHandler"])
    }

    @Test("the stages of a channel are listed in order, including the kit's own")
    func stages() {
        var channel = Channel.test(RecordingTransport())
        channel.callMiddleware = [Self.answering("")]
        channel.attemptMiddleware = [Keeper()]
        channel.interceptors = [RetryPolicy()]
        channel.cookies = CookieJar()
        #expect(
            channel.stages.map(\.description) == [
                "build Endpoint", "enhance HeaderEnhancer", "enhance QueryItemEnhancer", "enhance TimeoutEnhancer",
                "enhance CachePolicyEnhancer", "call Around", "attempt Redirects", "attempt Keeper", "attempt Cookies",
                "transport RecordingTransport", "deenhance VerificationEnhancer", "filter ErrorFilter",
                "decode ResponseDecoding", "retry RetryPolicy", "translate ErrorFilter", "result ResultHandler",
            ])
    }
}
