import CoreAPIHTTP
import HTTPTypes
import Logging
import TestSupport

@Suite("Request logging", .closing)
struct CoreNetworkLoggerTests {
    struct Line: Sendable {
        var level: Logger.Level
        var message: String
        var metadata: Logger.Metadata
        var text: String { metadata.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "\n") }
    }

    struct Handler: LogHandler {
        let pages: Shared<[Line]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            let line = Line(level: event.level, message: event.message.description, metadata: event.metadata ?? [:])
            pages.change { $0.append(line) }
        }
    }

    private func logger(_ pages: Shared<[Line]>, level: Logger.Level = .trace) -> CoreNetworkLogger {
        var logger = Logger(label: "test") { _ in Handler(pages: pages) }
        logger.logLevel = level
        return CoreNetworkLogger(subsystem: "com.example", category: "test", logger: logger)
    }

    private func log(
        _ options: RequestLogging? = nil, level: Logger.Level = .trace, statuses: [Int] = [200], body: String = #"{"page":1}"#,
        endpoint: TestEndpoint = TestEndpoint("a?token=s3cret&page=1"), prepare: (inout Channel) -> Void = { _ in }
    ) async -> [Line] {
        let pages = Shared<[Line]>([])
        var channel = Channel.test(RecordingTransport(statuses: statuses, body: body))
        channel.logger = logger(pages, level: level)
        if let options { channel.modifiers.append(options) }
        prepare(&channel)
        _ = await channel.error(endpoint)
        return pages.current
    }

    @Test("has static messages, metadata, and one id for all lines of a call")
    func lines() async {
        let lines = await log(statuses: [503, 200]) { $0.interceptors = [RetryPolicy(base: .zero)] }
        #expect(lines.map(\.message) == ["request sent", "request retried", "request sent", "request finished"])
        #expect(lines.map(\.level) == [.debug, .notice, .debug, .info])
        #expect(Set(lines.map { "\($0.metadata["call"] ?? "")" }).count == 1)
        #expect(lines.last?.metadata["channel"] == "test" && lines.last?.metadata["endpoint"] == "thing")
        #expect(lines.last?.metadata["attempt"] == "2" && lines.last?.metadata["status"] == "200")
        #expect(lines.last?.metadata["elapsed_ms"].flatMap { Double("\($0)") } != nil)
        #expect(lines.last?.metadata["url"] == "https://h.example/a?token=<redacted>&page=1")
    }

    @Test(
        "writes the lines of its options",
        arguments: [
            (RequestLogging.url, ["url"]), (.time, ["elapsed_ms"]), (.status, ["status"]), (.requestHeaders, ["request.headers"]),
            (.responseHeaders, ["response.headers"]), (.requestBody, ["request.body"]), (.responseBody, ["response.body"]),
        ])
    func options(option: RequestLogging, keys: [String]) async {
        let optional: Set = [
            "url", "elapsed_ms", "status", "request.headers", "response.headers", "request.body", "response.body",
        ]
        let lines = await log(
            option, endpoint: TestEndpoint("a", .post, headers: ["X-A": "1"], params: ["page": 1], encoding: .body))
        #expect(Set(lines.flatMap(\.metadata.keys)).intersection(optional) == Set(keys))
    }

    @Test("is off if the nearest level is off, and otherwise has the options of all levels")
    func levels() async {
        #expect(await log(.all, endpoint: TestEndpoint(modifiers: [RequestLogging.off])).isEmpty)
        let lines = await log(.status, endpoint: TestEndpoint(modifiers: [RequestLogging.url]))
        #expect(lines.last?.metadata["status"] == "200" && lines.last?.metadata["url"] != nil)
        #expect(lines.last?.metadata["elapsed_ms"] == nil)
    }

    @Test(
        "a rejected status is a notice, a cancelled call is debug, any other failure is an error; a channel can change that",
        arguments: [404, 503])
    func failureLevels(status: Int) async {
        #expect(await log(statuses: [status]).last?.level == .notice)
        let pages = Shared<[Line]>([])
        var own = logger(pages)
        own.level = { _ in .critical }
        let lines = await log(statuses: [status]) { [own] in $0.logger = own }
        #expect(lines.isEmpty && pages.current.last?.level == .critical)
        let request = Request(call: Call(channel: .test(), endpoint: "x"), method: .get, url: try! HTTPURL("https://h.example"))
        func context(_ status: Int) -> APIClientError.Context {
            APIClientError.Context(request, head: ResponseHead(status: .init(code: status)))
        }
        for (error, level) in [
            (.cancelled(context(200)), .debug), (.app(Trouble(code: 1), context(409)), .notice),
            (.app(Trouble(code: 1), context(503)), .notice), (.app(Trouble(code: 1), context(200)), .error),
            (.transport(.closed, context(200)), .error),
        ] as [(APIClientError, Logger.Level)] { #expect(CoreNetworkLogger.level(of: error) == level) }
    }

    @Test("says each thing about a failed call once", arguments: [false, true])
    func once(isTranslated: Bool) async throws {
        let lines = await log(statuses: [404], endpoint: TestEndpoint("orders/7", .post)) {
            if isTranslated { $0.errorFilter = ErrorFilter.none.translating { _ in Trouble(code: 4_711) } }
        }
        let line = try #require(lines.last)
        let error = line.metadata["error"].map { "\($0)" } ?? ""
        #expect(error.contains(isTranslated ? "because of verification.unacceptableStatus.404" : "404"), "\(error)")
        #expect(error.contains("4711") == isTranslated)
        for name in ["url", "call", "endpoint", "method"] {
            let value = line.metadata[name].map { "\($0)" } ?? ""
            #expect(!value.isEmpty && line.text.components(separatedBy: value).count == 2, "\(name): \(line.text)")
        }
        #expect(!error.contains("channel") && !error.contains("attempt"), "\(error)")
    }

    @Test("says where a redirect led that failed")
    func redirected() async throws {
        let transport = RecordingTransport { request in
            guard request.url.path == "/a" else { return .answer(to: request, status: 404, body: "") }
            return .answer(to: request, status: 302, body: "", headers: [.location: "/b?token=s3cret"])
        }
        for (options, isShown) in [(RequestLogging.standard, true), (.status, false)] {
            let lines = await log(options, endpoint: TestEndpoint("a")) { $0.transport = transport }
            let error = lines.last?.metadata["error"].map { "\($0)" } ?? ""
            #expect(error.contains("404") && error.contains("[at https://h.example/b?token=<redacted>]") == isShown, "\(error)")
        }
    }

    @Test("has the times of name lookup, connection, TLS and first byte in milliseconds, and the received bytes")
    func times() async throws {
        let server = try await NginxServer(http2: true)
        let pages = Shared<[Line]>([])
        let channel = Channel.test(server.url, authority: server.authority) { $0.logger = logger(pages) }
        for _ in 0..<2 { #expect(await channel.error(TestEndpoint("1k")) == nil) }
        let lines = pages.current.filter { $0.message == "request finished" }.map(\.metadata)
        let first = try #require(lines.first)
        for key in ["elapsed_ms", "queue_ms", "dns_ms", "connect_ms", "tls_ms", "first_byte_ms"] {
            let text = first[key].map { "\($0)" } ?? ""
            let time = try #require(Double(text), "\(key)")
            #expect((0..<60_000).contains(time) && (text.split(separator: ".").last?.count ?? 9) <= 3, "\(key)=\(text)")
        }
        #expect(first["bytes_received"] == "1024")
        // The second call reuses the first one's connection.
        let second = try #require(lines.last)
        #expect(second["first_byte_ms"] != nil && second["tls_ms"] == nil && second["dns_ms"] == nil)
        #expect(lines.count == 2 && first["elapsed"] == nil)
    }

    @Test("leaves out the bytes of a streamed response, which are not known at its head")
    func streamed() async throws {
        let server = try LoopbackServer.test { _ in .ok("12345") }
        let pages = Shared<[Line]>([])
        let channel = Channel.test(server) { $0.logger = logger(pages) }
        #expect(try await channel.manager.stream(TestEndpoint("a")).value.collect(upTo: 10).count == 5)
        let line = try #require(pages.current.first { $0.message == "request finished" }?.metadata)
        #expect(line["first_byte_ms"] != nil && line["bytes_received"] == nil)
    }

    @Test("cannot be forged by a server's line breaks")
    func forging() async {
        let lines = await log(.responseBody, body: #"{"a":"ok\n2026-01-01 error: forged\r\n","b\n":1,"c\u2028":1}"#)
        #expect(lines.contains { $0.text.contains("forged") })
        #expect(lines.allSatisfy { !$0.text.contains("\n20") && !$0.text.contains("\r") })
    }

    @Test("formats only text that is written")
    func level() async {
        let lines = await log(.all, level: .info)
        #expect(lines.map(\.message) == ["request finished"])

        struct Counting: Error, LocalizedError, CustomStringConvertible {
            let asked = Shared(0)
            var description: String { "counted \(asked.next())" }
            var errorDescription: String? { description }
        }
        for (level, isWritten) in [(Logger.Level.critical, false), (.error, true)] {
            let error = Counting()
            let lines = await log(.all, level: level) { $0.errorFilter = ErrorFilter { _ in error } }
            #expect(lines.isEmpty != isWritten && (error.asked.current > 0) == isWritten)
        }
    }

    @Test("shortens long bodies after hiding their secrets")
    func cutting() async {
        let text = String(repeating: "x", count: CoreNetworkLogger.bodyLimit - 20)
        let body = #"{"a":"\#(text)","token":"s3cret-s3cret","b":[\#(String(repeating: "1,", count: 5_000))1]}"#
        let line = await log(.responseBody, body: body).map(\.text).joined()
        #expect(!line.contains("s3c") && line.contains("… (\(body.utf8.count) bytes)"))
        #expect(line.count < CoreNetworkLogger.bodyLimit + 500)
    }

    @Test(
        "hides secrets in a body of any encoding",
        arguments: [String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf32BigEndian])
    func encodings(encoding: String.Encoding) async throws {
        let body = try #require(#"{"password":"hunter2","page":7}"#.data(using: encoding))
        let transport = RecordingTransport { request in
            Response(request: request, head: ResponseHead(status: .ok), data: body, result: .success(body))
        }
        let text = await log(.responseBody) { $0.transport = transport }.map(\.text).joined()
        #expect(text.contains(#"response.body={"password":"<redacted>","page":7}"#), "\(text)")
    }

    @Test("goes to a function as well, with the options of all levels, or the standard ones if no level has any")
    func function() async throws {
        let lines = Shared<[String]>([])
        var channel = Channel.test(RecordingTransport(body: #"{"a":"hello"}"#))
        channel.logger = CoreNetworkLogger { line in lines.change { $0.append(line) } }
        _ = await channel.error()
        let standard = try #require(lines.current.last)
        #expect(standard.hasPrefix("request finished") && standard.contains("status=200") && !standard.contains("hello"))
        channel.modifiers = [RequestLogging.status]
        let manager = channel.manager.attaching(RequestLogging.responseBody)
        _ = await manager.response(for: TestEndpoint(modifiers: [RequestLogging.url]), as: .nothing)
        let union = try #require(lines.current.last)
        #expect(
            union.contains("status=200") && union.contains("url=https://h.example/thing")
                && union.contains(#"response.body={"a":"hello"}"#)
        )
        #expect(!union.contains("elapsed"))
    }
}
