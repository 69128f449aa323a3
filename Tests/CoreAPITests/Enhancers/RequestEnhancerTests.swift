import TestSupport

@Suite("RequestEnhancer", .closing)
struct RequestEnhancerTests {
    @Test("enhancers run in the order of their priorities, including one step more or less")
    func priorities() async {
        let diary = Diary()
        var channel = Channel.test(RecordingTransport())
        let places: [(String, Priority)] = [
            ("low", .low), ("normal", .normal), ("normal less", .normal.less), ("high", .high), ("core more", .core.more),
            ("custom", .custom(150)), ("max", .max), ("high more", .high.more), ("max more", .max.more),
        ]
        channel.enhancers = places.map { Noting(name: $0.0, diary: diary, instancePriority: $0.1) }
        _ = await channel.manager.response(for: TestEndpoint(), as: .nothing)
        // As in Fetcher, whose `.high` is 100.
        let names = ["max", "max more", "core more", "custom", "high more", "high", "normal", "normal less", "low"]
        #expect(diary.all == names.map { "enhance \($0)" } + names.map { "deenhance \($0)" })
    }

    @Test("turns an enhancer's error into an error of that stage")
    func enhancerThrows() async {
        struct Tripping: RequestEnhancer { func enhance(_ request: inout Request) throws { throw Trouble(code: 1) } }
        let error = await Channel.test(RecordingTransport()) { $0.enhancers = [Tripping()] }.error()
        #expect(error?.label == "enhancing" && error?.underlyingError is Trouble)
    }

    private let rejecting = Deenhancing { _ in throw Trouble(code: 1) }

    @Test("an enhancer's error for a response is the attempt's failure, and the response is kept")
    func deenhancerThrows() async {
        let response = await Channel.test(RecordingTransport(body: #"{"id":7}"#)) { $0.enhancers = [rejecting] }.item()
        #expect(response.error?.label == "deenhancing" && response.error?.underlyingError is Trouble)
        #expect(response.error?.errorDescription == "The response could not be read.")
        #expect(response.data == Data(#"{"id":7}"#.utf8))
    }

    @Test("an enhancer's error for a rejected response has the rejection as its cause")
    func deenhancerThrowsAfterRejection() async {
        let error = await Channel.test(RecordingTransport(status: 503)) { $0.enhancers = [rejecting] }.error()
        #expect(error?.label == "deenhancing" && error?.context.cause?.label == "verification.unacceptableStatus.503")
    }

    @Test("an enhancer's error hides no failure of the transport")
    func deenhancerThrowsAfterFailure() async throws {
        let lost = try LoopbackServer.test { _ in .truncated(declared: 10, sent: Data("seven".utf8)) }
        for url in [lost.url, "http://127.0.0.1:1"] {
            let response = await Channel.test(url) { $0.enhancers = [rejecting] }.item()
            #expect(response.transportError != nil, "\(url): \(response.result)")
        }
    }

    @Test("an error that an interceptor throws in retry is the call's error")
    func retryThrows() async {
        struct Losing: RequestInterceptor {
            func retry(_ response: Response<Void>, dueTo error: APIClientError) async throws -> RetryResult {
                throw Trouble(code: 1)
            }
        }
        let transport = RecordingTransport(status: 503)
        let error = await Channel.test(transport) { $0.interceptors = [Losing()] }.error()
        #expect(error?.underlyingError is Trouble && transport.requests.count == 1)
    }

    @Test("deenhancing changes what is decoded, not what was received")
    func deenhancing() async throws {
        let unwrapping = Deenhancing { response in
            response = response.map { try JSONEncoder().encode(try JSONDecoder().decode([String: Item].self, from: $0)["args"]) }
        }
        let response = await Channel.test(RecordingTransport(body: #"{"args":{"id":7}}"#)) { $0.enhancers = [unwrapping] }.item()
        #expect(try response.value == Item(id: 7))
        #expect(response.data == Data(#"{"args":{"id":7}}"#.utf8), "what was received is kept")
    }

    @Test("the built-in ones are ordinary enhancers: one runs before them, where a modifier wins, or after them")
    func staticPriority() async throws {
        struct Early: RequestEnhancer {
            static var priority: Priority { .core.more }
            func enhance(_ request: inout Request) throws { try request.setHeader("X-A", "early") }
        }
        struct Late: RequestEnhancer {
            func enhance(_ request: inout Request) throws { request.headers[.init("X-B")!] = request.headers[.init("X-A")!] }
        }
        let transport = RecordingTransport()
        let channel = Channel.test(transport) { $0.enhancers = [Late(), Early()] }
        for modifiers in [[], [Header("X-A", "modifier")]] {
            #expect(await channel.error(TestEndpoint(modifiers: modifiers)) == nil)
        }
        let sent = transport.requests.map { request in ["X-A", "X-B"].map { request.headers[.init($0)!] } }
        #expect(sent == [["early", "early"], ["modifier", "modifier"]])
    }
}
