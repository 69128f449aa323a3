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
        let response = await next(attempt.with { $0.headers[.ifNoneMatch] = known?.head?.headers[.eTag] })
        if response.status == 304, let known {
            attempt.notify(.cached(attempt))
            return RawResponse(attempt, head: known.head, body: known.body)
        }
        if response.failure == nil, response.status == 200, response.head?.headers[.eTag] != nil { kept[key] = response }
        return response
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
            let response = await flight.value
            if case .transport(let error, _)? = response.failure { return attempt.failed(error) }
            // This call verifies and decodes the response itself.
            let failure = response.head == nil ? response.failure : nil
            return RawResponse(attempt, head: response.head, body: response.body, failure: failure, metrics: response.metrics)
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
        let response = await next(attempt)
        // The caller's decision says nothing about the server.
        if response.failure?.isCancelled == true { return response }
        failures = response.failure != nil || (response.status ?? 0) >= 500 ? failures + 1 : 0
        if failures >= 5 { (failures, openUntil) = (0, .now + pause) }
        return response
    }
}

/// Signs what goes over the wire, each redirect's request anew.
func signer(_ sign: @escaping @Sendable (_ target: String) throws -> String) -> RequestSigning {
    RequestSigning { request in
        try request.setHeader("X-Signature", sign("\(request.method) \(request.url.target)"))
    }
}
