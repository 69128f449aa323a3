internal import Foundation
internal import HTTPTypes

/// One attempt: the request, and what redirects make of it, until there is an answer. Runs in the task that sends; only the bytes
/// come from the loop.
struct CurlExchange {
    private let request: Request
    private let loop: CurlLoop
    private let deadline: LoopClock.Nanoseconds

    init(_ request: Request, loop: CurlLoop) {
        self.request = request
        self.loop = loop
        // One deadline over everything that the call did before.
        let spent = request.call.started.duration(to: .now).clampedNanoseconds
        deadline = LoopClock.now() + max(0, request.timeout.total.clampedNanoseconds - spent)
    }

    func run() async -> Response<Data> {
        var hop = request
        var visited: [HTTPURL] = []
        var metrics: TransferMetrics?
        while true {
            var answer = await perform(hop)
            if let earlier = metrics {
                answer.metrics = answer.metrics.map { $0.adding(earlier: earlier) } ?? earlier
            }
            answer.metrics?.redirects = visited
            metrics = answer.metrics
            guard answer.error == nil, let head = answer.head else { return answer }
            switch RedirectPolicy.decide(hop, head: head, followed: visited.count) {
            case .deliver: return answer
            case .refuse(let error): return failed(answer, .transport(error, context(answer)))
            case .follow(let next):
                visited.append(next.url)
                hop = next
            }
        }
    }

    /// One exchange without its redirect. The response carries the request as it came to the transport.
    private func perform(_ hop: Request) async -> Response<Data> {
        var response = Response(request: request, result: .success(Data()))
        guard !Task.isCancelled else { return failed(response, .cancelled(context(response))) }
        guard LoopClock.now() < deadline else {
            return failed(response, .transport(.timedOut(.total, after: request.timeout.total), context(response)))
        }
        let prepared: HopRequest
        do throws(APIClientError) {
            prepared = try HopRequest(request.takesCookies ? hop.withCookies() : hop, deadline: deadline)
        } catch {
            return failed(response, error)
        }
        let outcome = await loop.perform(CurlTransfer(prepared))
        response.data = outcome.body
        response.metrics = outcome.metrics
        for mismatch in outcome.pinMismatches { request.call.channel.logger.log(.pinMismatch(mismatch, hop)) }
        let defect = read(outcome, of: prepared, into: &response)
        // Of a redirect as well: what it sets goes along to where it leads.
        if let head = response.head { hop.keepCookies(of: head) }
        switch outcome.end {
        case .cancelled: return failed(response, .cancelled(context(response)))
        // That a body is shorter than one of two lengths is the lesser half of the truth.
        case .failed(.truncated) where defect != nil: break
        case .failed(let error): return failed(response, .transport(error, context(response)))
        case .complete: break
        }
        if let defect { return failed(response, .transport(defect, context(response))) }
        response.result = .success(response.data)
        return response
    }

    /// Reads the head, and checks what can be known only from it.
    private func read(_ outcome: CurlOutcome, of hop: HopRequest, into response: inout Response<Data>) -> TransportError? {
        guard !outcome.head.isEmpty else {
            // An HTTP/2 connection that ends in the orderly way before the answer is a success to libcurl.
            return .connectionLost(
                reason: "it ended before the response's head was complete", mayHaveBeenProcessed: !hop.isIdempotent)
        }
        let parsed: ResponseHeadParser.Parsed
        do throws(ResponseHeadParser.Malformed) {
            parsed = try ResponseHeadParser.parse(outcome.head)
        } catch {
            return .malformedResponse(reason: error.reason)
        }
        var head = parsed.head
        let received = outcome.metrics?.bytesReceived ?? 0
        let hasBody = hop.method != "HEAD" && ![204, 304].contains(head.status.code)
        if hop.decodesContent, hasBody, received > 0, parsed.namesCodings, head.headers.isEncoded {
            // They describe the bytes on the wire, which the caller does not get to see.
            head.headers[.contentEncoding] = nil
            head.headers[.contentLength] = nil
        }
        response.head = head
        if [204, 205].contains(head.status.code), received > 0 || (parsed.contentLength ?? 0) > 0 {
            return .malformedResponse(reason: "a body with status \(head.status.code), which has none (RFC 9110 §15.3.5–6)")
        }
        // libcurl finds most of these itself.
        if hasBody, let expected = parsed.contentLength, received < expected {
            return .truncated(received: received, expected: expected)
        }
        // Nothing but the end of the connection or the stream delimits it, and one that was meant is announced (RFC 9112 §9.8, 9113 §8.1).
        if hasBody, parsed.contentLength == nil, !parsed.isChunked, outcome.isEndAnnounced == false {
            return .truncated(received: received, expected: nil)
        }
        return nil
    }

    private func context(_ response: Response<Data>) -> ErrorContext {
        ErrorContext(response)
    }

    private func failed(_ response: Response<Data>, _ error: APIClientError) -> Response<Data> {
        response.with(.failure(error))
    }
}

extension HTTPFields {
    /// Whether a coding was applied that libcurl takes off again.
    fileprivate var isEncoded: Bool {
        self[values: .contentEncoding].flatMap { $0.split(separator: ",") }
            .contains { !["", "identity", "none"].contains($0.trimmingHTTPWhitespace().lowercased()) }
    }
}
