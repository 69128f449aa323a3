import CoreAPI
import Foundation
import HTTPTypes
import Testing

@Suite("The pipeline")
struct PipelineTests {
    struct Item: Codable, Equatable, Sendable { var id: Int }

    /// Writes down which stage ran when.
    final class Diary: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func write(_ line: String) { lines.withLock { $0.append(line) } }
    }

    struct Noting: RequestEnhancer {
        let name: String
        let diary: Diary
        var instancePriority: Priority?
        func enhance(_ request: inout Request) { diary.write("enhance \(name)") }
        func deenhance(_ response: inout Response<Data>) { diary.write("deenhance \(name)") }
    }

    struct NotingInterceptor: RequestInterceptor {
        let diary: Diary
        var retries = 0
        func adapt(_ request: inout Request) async throws { diary.write("adapt \(request.attempt)") }
        func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult {
            diary.write("retry?")
            return response.attempts.count <= retries ? .retry : .doNotRetry
        }
    }

    struct NotingHandler: ErrorHandler {
        let diary: Diary
        func canResolve(_ error: APIClientError) -> Bool { true }
        func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult {
            diary.write("resolve \(error.label)")
            return .doNotRetry
        }
    }

    struct NotingLogger: NetworkLogger {
        let diary: Diary
        func log(_ event: NetworkEvent) {
            switch event {
            case .sending: diary.write("log sending")
            case .retrying: diary.write("log retrying")
            case .finished: diary.write("log finished")
            default: diary.write("log other")
            }
        }
    }

    @Test("runs every stage in its order, adapting per attempt and enhancing once")
    func order() async {
        let diary = Diary()
        var channel = Channel.test(
            "https://h.example",
            transport: RecordingTransport { request in
                diary.write("send")
                return .answer(to: request, status: 500, body: "oops")
            })
        channel.enhancers = [
            Noting(name: "low", diary: diary, instancePriority: .low),
            Noting(name: "first", diary: diary, instancePriority: .max),
            Noting(name: "normal", diary: diary), Noting(name: "normal 2", diary: diary),
            Noting(name: "high", diary: diary, instancePriority: .high),
        ]
        channel.interceptors = [NotingInterceptor(diary: diary, retries: 1)]
        channel.errorFilter = ErrorFilter { _ in
            diary.write("filter"); return nil
        }
        channel.errorHandler = NotingHandler(diary: diary)
        channel.resultHandler = ResultHandler { _ in diary.write("result handler") }
        channel.logger = NotingLogger(diary: diary)

        let response = await channel.manager().response(for: TestEndpoint(), as: Item.self)
        #expect(response.error?.label == "verification.unacceptableStatus.500")
        #expect(response.attempts.map(\.status) == [500, 500])
        #expect(String(decoding: response.data, as: UTF8.self) == "oops", "the body of a failure is kept")

        let names = ["first", "high", "normal", "normal 2", "low"]
        let attempt = ["log sending", "send"] + names.map { "deenhance \($0)" } + ["filter", "retry?"]
        let expected =
            names.map { "enhance \($0)" } + ["adapt 1"] + attempt + ["log retrying", "adapt 2"] + attempt
            + ["resolve verification.unacceptableStatus.500", "result handler", "log finished"]
        #expect(diary.all == expected)
    }

    @Test("decodes off the main thread and delivers the value")
    @MainActor func decoding() async throws {
        let isMain = Mutex<Bool?>(nil)
        var channel = Channel.test("https://h.example", transport: RecordingTransport(body: #"{"id":7}"#))
        let plain = BodyCoder.json
        channel.coder = BodyCoder(contentType: "application/json") {
            try plain.encode($0)
        } decode: { type, data in
            isMain.withLock { $0 = isOnMainActor() }
            return try JSONDecoder().decode(type, from: data)
        }
        let item: Item = try await channel.manager().request(endpoint: TestEndpoint())
        #expect(item == Item(id: 7))
        #expect(isMain.withLock { $0 } == false)
    }

    @Test("asks for the coder's type, and for nothing when nothing is decoded")
    func accept() async throws {
        let transport = RecordingTransport(body: #"{"id":7}"#)
        let manager = Channel.test("https://h.example", transport: transport).manager()
        _ = try await manager.request(endpoint: TestEndpoint(), type: Item.self)
        try await manager.request(endpoint: TestEndpoint())
        _ = try await manager.request(endpoint: TestEndpoint(), type: Data.self)
        #expect(transport.requests.map { $0.headers[.accept] } == ["application/json", nil, nil])
    }

    @Test("lets the nearest modifier win: endpoint over channel over environment")
    func nearest() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test("https://h.example", transport: transport)
        channel.environment.commonHeaders = [
            "X-A": "environment", "X-B": "environment", "X-C": "environment", "X-D": "environment",
        ]
        channel.modifiers = [
            Header("X-B", "channel"), Header("X-C", "channel"), Header("X-D", "channel"), Timeout(.seconds(40)),
            QueryItem("k", "1"),
        ]
        let endpoint = TestEndpoint(
            "a", headers: ["x-d": "own"], modifiers: [Header("X-C", "endpoint"), Timeout(.seconds(7)), QueryItem("l", "2")])
        try await channel.manager().request(endpoint: endpoint)
        let request = try #require(transport.requests.first)
        let values = ["X-A", "X-B", "X-C", "X-D"].map { name in
            request.headers.first { $0.name.rawName.lowercased() == name.lowercased() }?.value
        }
        #expect(values == ["environment", "channel", "endpoint", "own"])
        #expect(request.headers.count == 4)
        #expect(request.timeout.total == .seconds(7))
        #expect(request.url.string == "https://h.example/a?k=1&l=2")
    }

    @Test("the type of an encoded body wins over the channel's headers and loses to the endpoint's own")
    func contentType() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test("https://h.example", transport: transport)
        channel.environment.commonHeaders = ["Content-Type": "application/json"]
        channel.modifiers = [Header("Content-Type", "text/plain")]
        try await channel.manager().request(endpoint: TestEndpoint("a", .post, params: ["a": 1], encoding: .form))
        try await channel.manager().request(
            endpoint: TestEndpoint(
                "a", .post, headers: ["content-type": "application/vnd.x+json"], params: ["a": 1], encoding: .body))
        try await channel.manager().request(endpoint: TestEndpoint("a"))
        #expect(
            transport.requests.map { $0.headers[.contentType] } == [
                "application/x-www-form-urlencoded", "application/vnd.x+json", "text/plain",
            ])
    }

    @Test("lines of one name stay beside each other, and replace those of a farther level")
    func repeatedHeaders() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test("https://h.example", transport: transport)
        channel.environment.commonHeaders = ["X-A": "far"]
        var headers: Headers = [:]
        headers.append("X-A", "1")
        headers.append("X-A", "2")
        try await channel.manager().request(endpoint: TestEndpoint(headers: headers))
        #expect(transport.requests.first?.headers.map(\.value) == ["1", "2"])
    }

    @Test("a value that is one path segment stays one")
    func segment() async throws {
        let transport = RecordingTransport()
        let manager = Channel.test("https://h.example", transport: transport).manager()
        try await manager.request(endpoint: TestEndpoint("orders/\(segment: "a/b?c=d&e#f%20ğ")/items"))
        #expect(transport.requests.first?.url.target == "/orders/a%2Fb%3Fc%3Dd%26e%23f%2520%C4%9F/items")
        for value in ["..", ".", ""] {
            let refused = await manager.response(for: TestEndpoint("orders/\(segment: value)", .delete), decoding: .nothing)
            #expect(refused.error?.label == "request.malformedPath")
        }
    }

    @Test("of several base URLs the one of the highest priority counts, of equals the nearest; or none at all")
    func basePriority() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test("https://environment.example", transport: transport)
        channel.modifiers = [BaseURL("https://channel.example"), BaseURL("https://high.example", priority: .high)]
        let manager = channel.manager()
        try await manager.request(endpoint: TestEndpoint(modifiers: [BaseURL("https://endpoint.example")]))
        try await manager.request(endpoint: TestEndpoint(modifiers: [BaseURL("https://endpoint.example", priority: .high)]))
        try await manager.request(endpoint: TestEndpoint("https://whole.example/a?b=1", modifiers: [BaseURL.ignore]))
        #expect(
            transport.requests.map(\.url.string) == [
                "https://high.example/thing", "https://endpoint.example/thing", "https://whole.example/a?b=1",
            ])
        let conflict = TestEndpoint(modifiers: [BaseURL("https://a.example"), BaseURL("https://b.example")])
        #expect(await manager.response(for: conflict, decoding: .nothing).error?.label == "request.conflictingBaseURLs")
        let same = TestEndpoint(modifiers: [
            BaseURL("https://a.example", priority: .max), BaseURL("https://a.example", priority: .max),
        ])
        #expect(await manager.response(for: same, decoding: .nothing).error == nil)
        let relative = TestEndpoint("thing", modifiers: [BaseURL.ignore])
        #expect(await manager.response(for: relative, decoding: .nothing).error?.label == "request.malformedURL")
    }

    @Test("the nearest coder counts, for what is sent, asked for and read; a function hears of it")
    func nearestCoder() async throws {
        struct Named: Codable, Equatable, Sendable { var firstName: String }
        let heard = Shared<[String]>([])
        let transport = RecordingTransport(body: #"{"first_name":"Ada"}"#)
        var channel = Channel.test("https://h.example", transport: transport)
        channel.logger = FunctionLogger { event in
            if case .finished(let response) = event { heard.change { $0.append(response.error?.label ?? "success") } }
        }
        let snake = BodyCoder.json(keys: .convertFromSnakeCase, encodedKeys: .convertToSnakeCase)
        let endpoint = TestEndpoint("a", .post, params: Parameters(Named(firstName: "Bo")), encoding: .body, modifiers: [snake])
        #expect(try await channel.manager().request(endpoint: endpoint, type: Named.self) == Named(firstName: "Ada"))
        guard case .bytes(let sent)? = transport.requests.first?.body else { Issue.record("nothing was sent"); return }
        #expect(String(decoding: sent, as: UTF8.self) == #"{"first_name":"Bo"}"#)
        let plain = TestEndpoint("a", .post, params: Parameters(Named(firstName: "Bo")), encoding: .body)
        #expect(await channel.manager().response(for: plain, as: Named.self).error?.label == "decoding")
        #expect(heard.current == ["success", "decoding"])
    }

    @Test("a query item without a name is an error", arguments: [nil, "1"] as [String?])
    func namelessQueryItem(value: String?) async {
        let manager = Channel.test("https://h.example", transport: RecordingTransport()).manager()
        let response = await manager.response(for: TestEndpoint(modifiers: [QueryItem("", value)]), decoding: .nothing)
        #expect(response.error?.label == "request.namelessQueryItem")
    }

    @Test("enhancers stand where their priorities say, one step more or less included")
    func priorities() async {
        let diary = Diary()
        var channel = Channel.test("https://h.example", transport: RecordingTransport())
        let places: [(String, Priority)] = [
            ("low", .low), ("normal", .normal), ("normal less", .normal.less), ("high", .high), ("core more", .core.more),
            ("custom", .custom(500)), ("max", .max), ("high more", .high.more), ("max more", .max.more),
        ]
        channel.enhancers = places.map { Noting(name: $0.0, diary: diary, instancePriority: $0.1) }
        _ = await channel.manager().response(for: TestEndpoint(), decoding: .nothing)
        let names = ["max", "max more", "core more", "high more", "high", "custom", "normal", "normal less", "low"]
        #expect(diary.all == names.map { "enhance \($0)" } + names.map { "deenhance \($0)" })
    }

    @Test("an endpoint's name holds none of its values, and describing it never runs in circles")
    func endpointName() {
        enum Plain: Endpoint { case list, item(id: String); var path: String { "" }; var method: HTTPRequest.Method { .get } }
        enum Raw: String, Endpoint, CustomStringConvertible {
            case list; var path: String { "" }; var method: HTTPRequest.Method { .get }
        }
        enum Bare: Endpoint, CustomStringConvertible {
            case list; var path: String { "" }; var method: HTTPRequest.Method { .get }
        }
        struct Own: Endpoint { var id = "s3cret"; var path: String { "" }; var method: HTTPRequest.Method { .get } }
        #expect(Plain.list.description == "list")
        #expect(Plain.item(id: "s3cret").description == "item")
        #expect(Raw.list.description == "list")
        #expect(Bare.list.description == "Bare")
        #expect(Own().description == "Own")
    }

    @Test("verifiers: the nearest for status, the first failure of all")
    func verifiers() async {
        func label(_ status: Int, _ type: String?, _ modifiers: [any RequestModifier]) async -> String? {
            let headers: HTTPFields = type.map { [.contentType: $0] } ?? [:]
            var channel = Channel.test("https://h.example", transport: RecordingTransport(status: status, headers: headers))
            channel.modifiers = [StatusCodeResponseVerifier(418)]
            return await channel.manager().response(for: TestEndpoint(modifiers: modifiers), decoding: .nothing).error?.label
        }
        let json = ContentTypeResponseVerifier("application/json", "text/*")
        #expect(await label(418, nil, []) == nil)
        #expect(await label(200, nil, []) == "verification.unacceptableStatus.200")
        #expect(await label(200, nil, [StatusCodeResponseVerifier(200...204)]) == nil)
        #expect(await label(205, nil, [StatusCodeResponseVerifier(200...204)]) == "verification.unacceptableStatus.205")
        #expect(await label(200, nil, [StatusCodeResponseVerifier([200, 201]), json]) == "verification.unacceptableContentType")
        #expect(await label(200, "application/json; charset=utf-8", [StatusCodeResponseVerifier(200), json]) == nil)
        #expect(await label(200, "TEXT/Plain", [StatusCodeResponseVerifier(200), json]) == nil)
        #expect(
            await label(200, "application/xml", [StatusCodeResponseVerifier(200), json]) == "verification.unacceptableContentType"
        )
    }

    struct Only: ErrorHandler {
        let label: String
        let replacement: Trouble
        func canResolve(_ error: APIClientError) -> Bool { error.label == label }
        func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult { .fail(replacement) }
    }

    @Test("of several error handlers the first that can resolve an error is asked")
    func compositeHandler() async {
        var channel = Channel.test("https://h.example", transport: RecordingTransport(status: 500))
        channel.errorHandler = CompositeErrorHandler([
            Only(label: "decoding", replacement: Trouble(code: 1)),
            Only(label: "verification.unacceptableStatus.500", replacement: Trouble(code: 2)),
            Only(label: "verification.unacceptableStatus.500", replacement: Trouble(code: 3)),
        ])
        #expect(await channel.manager().response(for: TestEndpoint(), as: Item.self).error?.app() == Trouble(code: 2))
        channel.transport = RecordingTransport(status: 404)
        #expect(
            await channel.manager().response(for: TestEndpoint(), as: Item.self).error?.label
                == "verification.unacceptableStatus.404")
    }

    @Test("no timeout is too large or too small", arguments: [Duration.seconds(Int64.max), .zero, .seconds(-1), .nanoseconds(1)])
    func extremeTimeouts(timeout: Duration) async {
        var channel = Channel.test("https://h.example", transport: RecordingTransport(status: 401))
        channel.interceptors = [BearerAuthentication { _ in "new" }, RetryPolicy()]
        channel.modifiers = [Timeout(connect: timeout, idle: timeout, total: timeout)]
        #expect(await channel.manager().response(for: TestEndpoint(), decoding: .nothing).error != nil)
    }

    @Test("takes the base URL of the endpoint before the nearest modifier's before the environment's")
    func base() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test("https://environment.example", transport: transport)
        try await channel.manager().request(endpoint: TestEndpoint())
        channel.modifiers = [BaseURL("https://channel.example")]
        try await channel.manager().request(endpoint: TestEndpoint())
        try await channel.manager().request(endpoint: TestEndpoint(modifiers: [BaseURL("https://modifier.example/x/")]))
        try await channel.manager().request(
            endpoint: TestEndpoint(baseURL: "https://own.example", modifiers: [BaseURL("https://m.example")]))
        #expect(
            transport.requests.map(\.url.string) == [
                "https://environment.example/thing", "https://channel.example/thing", "https://modifier.example/x/thing",
                "https://own.example/thing",
            ])
    }

    @Test(
        "says by a cache policy what caches may do",
        arguments: [
            (CachePolicy.protocolDefault, nil), (.revalidate, "no-cache"), (.noStore, "no-store"),
            (.onlyIfCached, "only-if-cached"),
        ] as [(CachePolicy, String?)])
    func cachePolicy(policy: CachePolicy, directive: String?) async throws {
        let transport = RecordingTransport()
        var channel = Channel.test("https://h.example", transport: transport)
        channel.environment.cachePolicy = policy
        try await channel.manager().request(endpoint: TestEndpoint())
        try await channel.manager().request(endpoint: TestEndpoint(headers: ["Cache-Control": "max-age=0"]))
        #expect(transport.requests.map { $0.headers[.cacheControl] } == [directive, "max-age=0"])
    }

    @Test(
        "sends nothing when the request cannot be built, and says what is wrong",
        arguments: [
            (TestEndpoint("a\r\nb"), "request.malformedPath"),
            (TestEndpoint("../x"), "request.malformedPath"),
            (TestEndpoint(baseURL: "nonsense"), "request.malformedURL"),
            (TestEndpoint(baseURL: "file:///etc"), "request.unsupportedScheme"),
            (TestEndpoint(baseURL: "https://"), "request.malformedURL"),
            (TestEndpoint(baseURL: "http://h.example"), "request.insecureConnection"),
            (TestEndpoint(headers: ["X-A": "b\r\nX-Evil: 1"]), "request.malformedHeader"),
            (TestEndpoint(headers: ["X-A": "b\nc"]), "request.malformedHeader"),
            (TestEndpoint(headers: ["X-A": "b\0c"]), "request.malformedHeader"),
            (TestEndpoint(headers: ["X A": "b"]), "request.malformedHeader"),
            (TestEndpoint(headers: ["X-A\r\nEvil": "b"]), "request.malformedHeader"),
            (TestEndpoint(modifiers: [Header("", "b")]), "request.malformedHeader"),
        ])
    func unbuildable(endpoint: TestEndpoint, label: String) async {
        let transport = RecordingTransport()
        var channel = Channel.test("https://h.example", transport: transport)
        channel.environment.allowsInsecureConnections = false
        let response = await channel.manager().response(for: endpoint, as: Item.self)
        #expect(response.error?.label == label)
        #expect(response.attempts.isEmpty)
        #expect(transport.requests.isEmpty)
        #expect(response.error?.localizedDescription.contains("channel test") == true)
        #expect(response.error?.localizedDescription.contains("\n") == false)
    }

    @Test(
        "sends nothing through a channel that is not sound",
        arguments: ["", "nonsense", "ftp://h.example", "http://h.example", "https://h.example?x=1"])
    func unsound(baseURL: String) async {
        let transport = RecordingTransport()
        var channel = Channel.test(baseURL, transport: transport)
        channel.environment.allowsInsecureConnections = false
        #expect(!channel.problems.isEmpty)
        let response = await channel.manager().response(for: TestEndpoint(), as: Item.self)
        #expect(response.error?.label == "channel")
        #expect(transport.requests.isEmpty)
    }

    struct Tripping: RequestEnhancer {
        struct Trip: Error {}
        func enhance(_ request: inout Request) throws { throw Trip() }
    }

    @Test("turns what an enhancer throws into an error of that stage")
    func enhancerThrows() async {
        var channel = Channel.test("https://h.example", transport: RecordingTransport())
        channel.enhancers = [Tripping()]
        let response = await channel.manager().response(for: TestEndpoint(), as: Item.self)
        #expect(response.error?.label == "enhancing")
        #expect(response.error?.underlyingError is Tripping.Trip)
    }

    struct Refusing: RequestInterceptor {
        struct Refusal: Error {}
        func adapt(_ request: inout Request) async throws { throw Refusal() }
    }

    @Test("turns what an interceptor throws into an error of that stage, which others may resolve")
    func interceptorThrows() async {
        let transport = RecordingTransport()
        var channel = Channel.test("https://h.example", transport: transport)
        channel.interceptors = [Refusing()]
        let response = await channel.manager().response(for: TestEndpoint(), as: Item.self)
        #expect(response.error?.label == "adapting")
        #expect(response.error?.underlyingError is Refusing.Refusal)
        #expect(response.attempts.count == 1)
        #expect(transport.requests.isEmpty)
    }

    struct Insatiable: ErrorHandler {
        func canResolve(_ error: APIClientError) -> Bool { true }
        func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult { .retry }
    }

    @Test("makes no more attempts than the channel allows, whoever asks")
    func attemptLimit() async {
        let transport = RecordingTransport(status: 500)
        var channel = Channel.test("https://h.example", transport: transport)
        channel.errorHandler = Insatiable()
        let response = await channel.manager().response(for: TestEndpoint(), as: Item.self)
        #expect(response.attempts.count == 10)
        #expect(transport.requests.map(\.attempt) == Array(1...10))
        channel.limits.attempts = 2
        #expect(await channel.manager().response(for: TestEndpoint(), as: Item.self).attempts.count == 2)
    }

    struct Patient: ErrorHandler {
        func canResolve(_ error: APIClientError) -> Bool { true }
        func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult { .retryAfter(.seconds(3_600)) }
    }

    @Test("does not begin a pause that would pass the deadline")
    func deadline() async {
        var channel = Channel.test("https://h.example", transport: RecordingTransport(status: 503))
        channel.errorHandler = Patient()
        let start = ContinuousClock.now
        let response = await channel.manager().response(for: TestEndpoint(), as: Item.self)
        #expect(response.attempts.count == 1)
        #expect(response.error?.label == "verification.unacceptableStatus.503")
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test("a cancelled pause is a cancelled call")
    func cancelledPause() async {
        var channel = Channel.test("https://h.example", transport: RecordingTransport(status: 503))
        channel.modifiers = [Timeout(total: .seconds(7_200))]
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        channel.errorHandler = Signalling(continuation: continuation)
        let manager = channel.manager()
        let task = Task { await manager.response(for: TestEndpoint(), as: Item.self) }
        for await _ in stream { break }
        task.cancel()
        #expect(await task.value.error?.isCancelled == true)
    }

    struct Signalling: ErrorHandler {
        let continuation: AsyncStream<Void>.Continuation
        func canResolve(_ error: APIClientError) -> Bool { true }
        func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult {
            continuation.yield()
            return .retryAfter(.seconds(3_600))
        }
    }

    struct Trouble: Error, Equatable { var code: Int }

    @Test("brings the app's own error out intact, from a success as from a failure", arguments: [200, 401])
    func appError(status: Int) async {
        var channel = Channel.test("https://h.example", transport: RecordingTransport(status: status, body: #"{"code":7}"#))
        struct Envelope: Decodable { var code: Int? }
        channel.errorFilter = .envelope(Envelope.self) { envelope, _ in envelope.code.map(Trouble.init) }
        let response = await channel.manager().response(for: TestEndpoint(), as: Item.self)
        #expect(response.error?.app(Trouble.self) == Trouble(code: 7))
        #expect(response.error?.context.head?.status.code == status)
        #expect(response.head?.status.code == status)
    }

    @Test("a result handler is told first, delays the caller and changes nothing, even when it throws")
    func resultHandler() async throws {
        let diary = Diary()
        var channel = Channel.test("https://h.example", transport: RecordingTransport(body: #"{"id":7}"#))
        channel.logger = NotingLogger(diary: diary)
        channel.resultHandler = ResultHandler { response in
            diary.write("told \(response.error == nil)")
            throw Trouble(code: 1)
        }
        let item: Item = try await channel.manager().request(endpoint: TestEndpoint())
        diary.write("caller")
        #expect(item.id == 7)
        #expect(diary.all == ["log sending", "told true", "log other", "log finished", "caller"])
    }

    @Test(
        "an empty answer is nil where its status may be empty, an error where a value is needed",
        arguments: [
            (204, true), (205, true), (202, false), (200, false),
        ])
    func emptyBody(status: Int, isNil: Bool) async {
        let channel = Channel.test("https://h.example", transport: RecordingTransport(status: status, body: ""))
        let optional = await channel.manager().response(for: TestEndpoint(), as: Item?.self)
        if isNil {
            #expect(optional.error == nil)
        } else {
            #expect(optional.error?.label == "verification.emptyBody")
        }
        let declared = TestEndpoint(modifiers: [StatusCodeResponseVerifier(200..<300, mayBeEmpty: [status])])
        #expect(await channel.manager().response(for: declared, as: Item?.self).error == nil)
        #expect(await channel.manager().response(for: TestEndpoint(), as: Item.self).error?.label == "verification.emptyBody")
        #expect(await channel.manager().response(for: TestEndpoint(), decoding: .nothing).error == nil)
    }

    @Test("a decoding error shows the path and the JSON around it, shortened and redacted")
    func decodingError() async throws {
        struct Page: Decodable, Sendable { var orders: [Order] }
        struct Order: Decodable, Sendable { var id: Int; var title: String }
        let filler = String(repeating: "x", count: 5_000)
        let body = #"{"orders":[{"id":1,"title":"a"},{"id":"zwei","title":"b","token":"s3cret","filler":"\#(filler)"}]}"#
        let channel = Channel.test("https://h.example", transport: RecordingTransport(body: body))
        let response = await channel.manager().response(for: TestEndpoint(), as: Page.self)
        guard case .decoding(let failure, let context)? = response.error else {
            Issue.record("\(String(describing: response.error))"); return
        }
        #expect(failure.codingPath == "orders[1].id")
        #expect(failure.excerpt.contains("zwei"))
        #expect(failure.excerpt.count < 300)
        #expect(!"\(failure.localizedDescription)".contains("s3cret"))
        #expect(context.body.count == body.utf8.count)
        #expect(response.error?.localizedDescription.contains("orders[1].id") == true)
    }

    @Test(
        "an answer that is not JSON, not UTF-8 or of the wrong shape is a decoding error with its body kept",
        arguments: [
            Data("<html>down</html>".utf8), Data([0xFF, 0xFE, 0x00]), Data("[1,2]".utf8), Data(#"{"id":null}"#.utf8),
            Data(#"{"id":"#.utf8),
        ])
    func undecodable(body: Data) async {
        let transport = RecordingTransport { request in
            Response(request: request, head: ResponseHead(status: .ok), data: body, result: .success(body))
        }
        let response = await Channel.test("https://h.example", transport: transport).manager().response(
            for: TestEndpoint(), as: Item.self)
        #expect(response.error?.label == "decoding")
        #expect(response.data == body)
        #expect(response.error?.context.body == body)
        #expect(response.error?.localizedDescription.isEmpty == false)
    }

    @Test(
        "a decoding error below a secret shows nothing of it",
        arguments: [
            #"{"token":{"value":"s3cret"}}"#, #"{"token":{"value":["s3cret"]}}"#,
        ])
    func secretDecodingError(body: String) async {
        struct Holder: Decodable, Sendable { var token: [String: Int] }
        let channel = Channel.test("https://h.example", transport: RecordingTransport(body: body))
        let error = await channel.manager().response(for: TestEndpoint(), as: Holder.self).error
        #expect(error?.label == "decoding")
        #expect(error?.localizedDescription.contains("s3cret") == false, "\(error?.localizedDescription ?? "")")
    }

    @Test("an error's text is one line, whatever the server says")
    func forgedError() async {
        struct Rude: Error, LocalizedError { var errorDescription: String? { "x\n2026-01-01 error: forged\r" } }
        var channel = Channel.test("https://h.example", transport: RecordingTransport())
        channel.errorFilter = ErrorFilter { _ in Rude() }
        let text = await channel.manager().response(for: TestEndpoint(), decoding: .nothing).error?.localizedDescription ?? ""
        #expect(text.contains("forged") && !text.contains("\n") && !text.contains("\r"))
    }

    @Test("no request, response or event prints a secret by accident")
    func printing() async throws {
        let transport = RecordingTransport(headers: [.setCookie: "a=s3cret"])
        let modifiers: [any RequestModifier] = [Header("Authorization", "Bearer s3cret"), QueryItem("api_key", "s3cret")]
        let manager = Channel.test("https://h.example", transport: transport).manager()
        let endpoint = TestEndpoint(headers: ["Cookie": "s3cret"], params: ["password": "s3cret"], modifiers: modifiers)
        let response = await manager.response(for: endpoint, decoding: .data)
        let request = try #require(response.request)
        let credential = Credential("s3cret", variable: "V")
        var text = "\(request) \(response) \(modifiers) \(NetworkEvent.sending(request)) \(credential)"
        text += "\(NetworkEvent.finished(response.with(.success(())))) \(String(reflecting: request))"
        text += String(reflecting: response) + String(reflecting: credential)
        dump(credential, to: &text)
        #expect(!text.contains("s3cret"), "\(text)")
        #expect(text.contains("thing"))
    }

    @Test("no secret stands in an error's text")
    func redactedError() async {
        let channel = Channel.test("https://h.example", transport: RecordingTransport(status: 500))
        let response = await channel.manager().response(for: TestEndpoint("a?token=s3cret"), as: Item.self)
        #expect(response.error?.localizedDescription.contains("s3cret") == false)
        #expect(response.error?.localizedDescription.contains("token=<redacted>") == true)
    }

    @Test("stays one function of at most 80 lines that names every stage")
    func shape() throws {
        let source = try String(contentsOfFile: SourceTree.path("CoreAPI/Core/Pipeline.swift"), encoding: .utf8)
        let body = try #require(source.firstMatch(of: /func response<[\s\S]*?\n    }\n/)).output
        #expect(body.split(separator: "\n").count <= 80)
        for stage in [
            "build(", "enhance(", "send(adapting", "deenhance(", "errorFilter", "decoding.apply", "settle(", "deliver(",
        ] {
            #expect(body.contains(stage), "the pipeline does not name \(stage)")
        }
    }
}

private func isOnMainActor() -> Bool {
    DispatchQueue.getSpecific(key: mainKey) == true
}

private let mainKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()
