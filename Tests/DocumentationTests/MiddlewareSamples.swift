import CoreAPI
import Foundation

// Shown on the page "Around a call"; what they do is tested in MiddlewareSamplesTests.

/// Asks with the validator that it has, and answers a 304 with what it kept (RFC 9110 §13.1.2).
actor ETagCache: Middleware {
    private var kept: [HTTPURL: Reply] = [:]

    func handle(_ attempt: Attempt, next: Next) async -> Reply {
        guard attempt.request.method == .get, !attempt.streamsBody else { return await next(attempt) }
        let url = attempt.request.url
        let known = kept[url]
        let reply = await next(attempt.with { $0.headers[.ifNoneMatch] = known?.head?.headers[.eTag] })
        if reply.status == 304, let known {
            attempt.tell { $0.cached(CallEvent.Cached(attempt)) }
            return Reply(attempt, head: known.head, body: known.body)
        }
        if reply.status == 200, reply.head?.headers[.eTag] != nil { kept[url] = reply }
        return reply
    }
}

/// Sends one request for all calls that ask for the same at the same time.
actor SingleFlight: Middleware {
    private var flights: [HTTPURL: Task<Reply, Never>] = [:]

    func handle(_ attempt: Attempt, next: Next) async -> Reply {
        guard attempt.request.method == .get, !attempt.streamsBody else { return await next(attempt) }
        let url = attempt.request.url
        if let flight = flights[url] {
            let reply = await flight.value
            return Reply(attempt, head: reply.head, body: reply.body, failure: reply.failure, metrics: reply.metrics)
        }
        let flight = Task { await next(attempt) }
        flights[url] = flight
        defer { flights[url] = nil }
        return await flight.value
    }
}

/// Sends nothing for a while after five failures in a row.
actor Breaker: Middleware {
    struct IsOpen: Error {}
    private var failures = 0
    private var openUntil = ContinuousClock.now

    func handle(_ attempt: Attempt, next: Next) async -> Reply {
        guard openUntil <= .now else { return attempt.failed(IsOpen(), stage: APIClientError.adapting) }
        let reply = await next(attempt)
        let hasFailed = reply.failure.map { !$0.isCancelled } ?? ((reply.status ?? 0) >= 500)
        failures = hasFailed ? failures + 1 : 0
        if failures >= 5 { (failures, openUntil) = (0, .now + .seconds(10)) }
        return reply
    }
}

/// Signs what goes over the wire, each redirect's request anew.
struct Signer: Middleware {
    let sign: @Sendable (_ target: String) throws -> String

    func handle(_ attempt: Attempt, next: Next) async -> Reply {
        do {
            let signature = try sign("\(attempt.request.method) \(attempt.request.url.target)")
            return await next(try attempt.with { try $0.setHeader("X-Signature", signature) })
        } catch {
            return attempt.failed(error, stage: APIClientError.adapting)
        }
    }
}
