import CoreAPI
import Foundation

// Shown on the page "Around a call"; what they do is tested in MiddlewareSamplesTests.

/// Asks with the validator that it has, and answers a 304 with what it kept (RFC 9110 §13.1.2).
actor ETagCache: Middleware {
    private var kept: [[String?]: RawResponse] = [:]

    func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        guard attempt.request.method == .get, !attempt.streamsBody else { return await next(attempt) }
        // A response belongs to the token that it was asked with.
        let key = [attempt.request.url.string, attempt.request.headers[.authorization]]
        let known = kept[key]
        let reply = await next(attempt.with { $0.headers[.ifNoneMatch] = known?.head?.headers[.eTag] })
        if reply.status == 304, let known {
            attempt.notify { $0.cached(CallEvent.Cached(attempt)) }
            return RawResponse(attempt, head: known.head, body: known.body)
        }
        if reply.failure == nil, reply.status == 200, reply.head?.headers[.eTag] != nil { kept[key] = reply }
        return reply
    }
}

/// Sends one request for all calls that ask for the same at the same time.
actor SingleFlight: Middleware {
    struct Key: Hashable { let url: HTTPURL, headers: HTTPFields }
    private var flights: [Key: Task<RawResponse, Never>] = [:]

    func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        guard attempt.request.method == .get, !attempt.streamsBody else { return await next(attempt) }
        let key = Key(url: attempt.request.url, headers: attempt.request.headers)
        if let flight = flights[key] {
            let reply = await flight.value
            if case .transport(let error, _)? = reply.failure { return attempt.failed(error) }
            // This call verifies and decodes the response itself.
            let failure = reply.head == nil ? reply.failure : nil
            return RawResponse(attempt, head: reply.head, body: reply.body, failure: failure, metrics: reply.metrics)
        }
        let flight = Task { await next(attempt) }
        flights[key] = flight
        defer { flights[key] = nil }
        return await flight.value
    }
}

/// Sends nothing for a while after five failures in a row.
actor Breaker: Middleware {
    struct IsOpen: Error {}
    private let pause: Duration
    private var failures = 0
    private var openUntil = ContinuousClock.now

    init(pause: Duration = .seconds(10)) { self.pause = pause }

    func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        guard openUntil <= .now else { return attempt.failed(IsOpen(), stage: APIClientError.adapting) }
        let reply = await next(attempt)
        // The caller's decision says nothing about the server.
        if reply.failure?.isCancelled == true { return reply }
        failures = reply.failure != nil || (reply.status ?? 0) >= 500 ? failures + 1 : 0
        if failures >= 5 { (failures, openUntil) = (0, .now + pause) }
        return reply
    }
}

/// Signs what goes over the wire, each redirect's request anew.
func signer(_ sign: @escaping @Sendable (_ target: String) throws -> String) -> RequestSigning {
    RequestSigning { request in
        try request.setHeader("X-Signature", sign("\(request.method) \(request.url.target)"))
    }
}
