import TestSupport

@testable import CoreAPIHTTP

@Suite("The retry policy", .closing)
struct RetryPolicyTests {
    private func attempts(
        _ method: HTTPRequest.Method = .get, headers: Headers = [:], policy: RetryPolicy = RetryPolicy(base: .milliseconds(1)),
        _ answer: @escaping @Sendable (Request) async -> Response<Data>
    ) async -> Int {
        let channel = Channel.test(RecordingTransport(answer)) { $0.interceptors = [policy] }
        return await channel.manager.response(for: TestEndpoint("x", method, headers: headers), as: .nothing).attempts
            .count
    }

    private static func failing(_ error: TransportError) -> @Sendable (Request) async -> Response<Data> {
        { Response(request: $0, result: .failure(.transport(error, APIClientError.Context($0)))) }
    }

    @Test("repeats idempotent methods after the listed statuses", arguments: [408, 425, 429, 500, 502, 503, 504])
    func statuses(status: Int) async {
        #expect(await attempts { .answer(to: $0, status: status) } == 3)
        #expect(await attempts(.put) { .answer(to: $0, status: status) } == 3)
        #expect(await attempts(.post) { .answer(to: $0, status: status) } == 1)
        #expect(await attempts(.post, headers: ["Idempotency-Key": "k"]) { .answer(to: $0, status: status) } == 3)
    }

    @Test("does not repeat after any other status", arguments: [200, 400, 401, 404, 501])
    func otherStatuses(status: Int) async { #expect(await attempts { .answer(to: $0, status: status) } == 1) }

    @Test("does not repeat a request that may have been processed, unless it has an idempotency key")
    func ambiguous() async {
        let lost = Self.failing(.connectionLost(reason: "", mayHaveBeenProcessed: true))
        #expect(await attempts(.post, lost) == 1)
        #expect(await attempts(.post, headers: ["Idempotency-Key": "k"], lost) == 3)
        #expect(await attempts(.get, lost) == 3)
        #expect(await attempts(.post, Self.failing(.cannotConnect(host: "h", reason: ""))) == 3)
        #expect(await attempts(.post, Self.failing(.timedOut(.idle, after: .seconds(1)))) == 1)
        #expect(await attempts(.get, Self.failing(.tls(host: "h", reason: ""))) == 1)
    }

    @Test(
        "rounds a fraction of a second up, takes a date, too, and the longest of several",
        arguments: [
            ("1.5", 2), ("0.2", 1), (".5", 1), ("2.0", 2), ("2.", 2), (" 3 ", 3), ("4, 4", 4), ("1, 5.1, 2", 6),
            ("86399.5", 86_400), ("99999999999999999999.9", 86_400), ("0", 0), ("0.0", 0), ("-1", nil), ("-0.5", nil),
            ("+1", nil), ("1.5.1", nil), (".", nil), ("soon", nil), ("", nil), ("1e3", nil), ("٣", nil),
            // A date in every unambiguous form, alone and in a list. It never waits longer than a day.
            ("Sat, 06 Nov 2094 08:49:37 GMT", 86_400), ("Saturday, 06-Nov-2094 08:49:37 GMT", 86_400),
            ("Sat Nov  6 08:49:37 2094", 86_400), ("sat, 06 nov 2094 08:49:37 utc", 86_400),
            ("Sat, 06 Nov 2094 08:49:37 +0000", 86_400), ("06 Nov 2094 08:49:37 GMT", 86_400),
            (" Sat, 06 Nov 2094 08:49:37 GMT ", 86_400), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT, Sat, 06 Nov 2094 08:49:37 GMT", 86_400), ("5, Sun, 06 Nov 1994 08:49:37 GMT", 5),
            ("Sat, 06 Nov 2094 08:49:37 CET", nil), ("2094-11-06T08:49:37Z", nil), ("Wed, 31 Feb 2094 08:49:37 GMT", nil),
            (",", nil),
        ])
    func pause(value: String, seconds: Int?) { #expect(RetryAfter.pause(value) == seconds.map { .seconds($0) }) }

    @Test(
        "waits as long as the longest of several Retry-After lines asks", arguments: [["0.2", "0.2"], ["0", "0.5"], ["0, 0.5"]])
    func severalLines(lines: [String]) async throws {
        let server = try LoopbackServer.start { request in
            guard request.connection == 0, request.exchange == 0 else { return .ok() }
            var headers = HeaderLines()
            for line in lines { headers.append("Retry-After", line) }
            return .status(503, headers: headers)
        }
        let channel = Channel.test(server.url) { $0.interceptors = [RetryPolicy(base: .milliseconds(1))] }
        let attempts = await channel.manager.response(for: TestEndpoint(), as: .nothing).attempts
        #expect(attempts.count == 2 && attempts.last.map { $0.delay >= .seconds(1) } == true)
    }

    @Test("waits at least Retry-After, in seconds or as a date, and gives up if that passes the deadline")
    func retryAfter() async {
        let start = ContinuousClock.now
        let once: @Sendable (Request) async -> Response<Data> = {
            .answer(to: $0, status: $0.attempt == 1 ? 503 : 200, headers: [.retryAfter: "1"])
        }
        #expect(await attempts(.get, once) == 2)
        #expect(ContinuousClock.now - start >= .seconds(1))
        for (value, count) in [
            ("3600", 1), ("Sun, 06 Nov 2094 08:49:37 GMT", 1), ("Sun, 06 Nov 1994 08:49:37 GMT", 3),
            ("999999999999999999999", 1), ("+1", 3), ("9223372036854775807", 1), ("-5", 3),
        ] { #expect(await attempts { .answer(to: $0, status: 503, headers: [.retryAfter: value]) } == count, "\(value)") }
    }

    @Test("never traps, with any settings")
    func extremes() async {
        let policy = RetryPolicy(attempts: .max, base: .seconds(Int64.max), cap: .seconds(Int64.max))
        #expect(await attempts(policy: policy) { .answer(to: $0, status: 503) } == 1)
        #expect(await attempts(policy: RetryPolicy(attempts: -1, base: .seconds(-1))) { .answer(to: $0, status: 503) } == 1)
    }

    @Test("waits a random part of a doubling pause")
    func jitter() async {
        var channel = Channel.test(RecordingTransport(status: 503))
        channel.interceptors = [RetryPolicy(attempts: 6, base: .milliseconds(2), cap: .milliseconds(8))]
        let attempts = await channel.manager.response(for: TestEndpoint(), as: .nothing).attempts
        #expect(attempts.map(\.delay).first == .zero)
        for (attempt, ceiling) in zip(attempts.dropFirst(), [2, 4, 8, 8, 8]) { #expect(attempt.delay <= .milliseconds(ceiling)) }
    }
}
