import CoreAPICurl
import TestSupport

@testable import CoreAPICore

@Suite("Listeners", .closing, .timeLimit(.minutes(1)))
struct ListenerTests {
    struct Recorder: Listener {
        let diary: Diary

        func notify(_ event: CallEvent) { diary.write(line(of: event)) }

        private func line(of event: CallEvent) -> String {
            switch event {
            case .built(let attempt): "built \(attempt.request.url.path)"
            case .started(let attempt): "started \(attempt.number)"
            case .queued(let attempt): "queued \(attempt.request.url.path)"
            case .sent(_, let queued): "sent \(queued >= .zero)"
            case .resolved(_, let duration): "resolved \(duration > .zero)"
            case .connected(_, _, let address): "connected \(address ?? "?")"
            case .secured(_, let duration): "secured \(duration > .zero)"
            case .informational(_, let head): "informational \(head.status.code)"
            case .head(_, let head): "head \(head.status.code)"
            case .body(_, let received, _): "body \(received)"
            case .exchanged(_, let response): "exchanged \(response.status ?? 0)"
            case .redirected(_, let status, let url): "redirected \(status) \(url.path)"
            case .cached(let attempt): "cached \(attempt.request.url.path)"
            case .read(_, let error): "read \(error?.label ?? "value")"
            case .retrying(let response, _): "retrying \(response.error?.label ?? "?")"
            case .pinMismatch: "mismatch"
            case .warning(_, let text): "warning \(text)"
            case .finished(let response): "finished \(response.error?.label ?? "success")"
            case .resultHandlerFailed: "result handler failed"
            }
        }
    }

    /// The sample of the page "Around a call": asks with the validator that it has, and answers a 304 with what it kept.
    private actor ETagCache: Middleware {
        private var kept: [String: RawResponse] = [:]

        func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
            let key = attempt.request.url.target
            let known = kept[key]
            let reply = await next(attempt.with { $0.headers[.ifNoneMatch] = known?.head?.headers[.eTag] })
            if reply.status == 304, let known {
                attempt.notify(.cached(attempt))
                return RawResponse(attempt, head: known.head, body: known.body)
            }
            if reply.failure == nil, reply.status == 200, reply.head?.headers[.eTag] != nil { kept[key] = reply }
            return reply
        }
    }

    @Test("several receive a call's events in one order: name, connection, TLS, redirect, retry, cache and decoding")
    func order() async throws {
        let failures = Shared(0)
        let server = try LoopbackServer.test(tls: ServerTLS()) { request in
            if request.path == "/thing" { return .redirect(to: "/there") }
            guard request.headers["if-none-match"] == "\"1\"" else { return .json(#"{"id":7}"#, headers: ["ETag": "\"1\""]) }
            return failures.next() == 0 ? .status(503, body: Data("busy".utf8)) : .status(304)
        }
        let (one, other) = (Diary(), Diary())
        var channel = Channel.test(server)
        channel.interceptors = [RetryPolicy(base: .zero)]
        channel.attemptMiddleware = [ETagCache()]
        // Fills the cache over connections of its own.
        #expect(try await closing(channel.with { $0.transport = CurlTransport() }).item().value == Item(id: 7))
        channel.listeners = [Recorder(diary: one), Recorder(diary: other)]
        #expect(try await channel.item().value == Item(id: 7))
        let first = ["queued /thing", "sent true", "resolved true", "connected 127.0.0.1", "secured true", "head 302"]
        let again = ["queued /thing", "sent true", "head 302"]
        let redirect = ["exchanged 302", "redirected 302 /there", "queued /there", "sent true"]
        let rejection = "verification.unacceptableStatus.503"
        #expect(
            one.all == ["built /thing", "started 1"] + first + redirect
                + ["head 503", "body 4", "exchanged 503", "read \(rejection)", "retrying \(rejection)", "started 2"] + again
                + redirect + ["head 304", "exchanged 304", "cached /there", "read value", "finished success"])
        #expect(other.all == one.all)
    }

    @Test("hear of a failed attempt before the pause that follows it")
    func beforeThePause() async {
        let (heard, tell) = AsyncStream.makeStream(of: Int.self)
        var channel = Channel.test(RecordingTransport(status: 503))
        channel.modifiers = [Timeout(total: .seconds(86_400))]
        channel.interceptors = [RetryPolicy(base: .seconds(3_600), cap: .seconds(3_600))]
        channel.listeners = [
            Hearing { event in
                if case .retrying(let response, _) = event { tell.yield(response.attempts.count) }
            }
        ]
        let manager = channel.manager
        let call = Task { await manager.response(for: TestEndpoint(), as: .nothing) }
        #expect(await heard.first { _ in true } == 1)
        call.cancel()
        #expect(await call.value.error?.label == "cancelled")
    }

    @Test("a cache around the call answers without an attempt")
    func aroundTheCall() async throws {
        let diary = Diary()
        var channel = Channel.test(RecordingTransport(body: #"{"id":7}"#))
        let known = Shared<RawResponse?>(nil)
        channel.callMiddleware = [
            Around { attempt, next in
                if let reply = known.current {
                    attempt.notify(.cached(attempt))
                    return RawResponse(attempt, head: reply.head, body: reply.body)
                }
                let reply = await next(attempt)
                known.change { $0 = reply }
                return reply
            }
        ]
        channel.listeners = [Recorder(diary: diary)]
        for _ in 0..<2 { #expect(try await channel.item().value == Item(id: 7)) }
        #expect(
            diary.all == [
                "built /thing", "started 1", "queued /thing", "head 200", "body 8", "exchanged 200", "read value",
                "finished success",
            ] + ["built /thing", "cached /thing", "read value", "finished success"])
    }

    @Test("one that ignores its events has no effect, and a logger beside it still logs")
    func beside() async {
        let diary = Diary()
        var channel = Channel.test(RecordingTransport(status: 404))
        channel.listeners = [Hearing { _ in }, Recorder(diary: diary)]
        channel.logger = NotingLogger(diary: diary)
        _ = await channel.error()
        #expect(
            diary.all == [
                "built /thing", "log started", "started 1", "queued /thing", "head 404", "body 2", "exchanged 404",
                "read verification.unacceptableStatus.404", "log finished", "finished verification.unacceptableStatus.404",
            ])
    }
}
