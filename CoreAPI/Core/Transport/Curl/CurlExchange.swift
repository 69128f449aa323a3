internal import Foundation
internal import HTTPTypes

/// One attempt: the request, and what redirects make of it, until there is an answer. Runs in the task that sends; only the bytes
/// come from the loop.
///
/// Thousands of attempts wait at once, and every one keeps its frame meanwhile. So ``run()`` does nothing but wait, and what is done
/// before and after is in functions that are not inlined into it: each temporary of theirs would be part of the frame. What lasts
/// from one redirect to the next is in this object and not in the frame, where there would be several copies of it. One task has it:
/// access is not checked.
final class CurlExchange {
    private let request: Request
    private let loop: CurlLoop
    private let deadline: LoopClock.Nanoseconds
    /// What the last redirect made of the request.
    @exclusivity(unchecked) private var redirected: Request?
    @exclusivity(unchecked) private var visited: [HTTPURL] = []
    @exclusivity(unchecked) private var metrics: CopyOnWrite<TransferMetrics>?
    @exclusivity(unchecked) private(set) var answer: Response<Data>

    init(_ request: Request, loop: CurlLoop) {
        self.request = request
        self.loop = loop
        // One deadline over everything that the call did before.
        let spent = request.call.started.duration(to: .now).clampedNanoseconds
        deadline = LoopClock.now() + max(0, request.timeout.total.clampedNanoseconds - spent)
        answer = Response(request: request, result: .success(Data()))
    }

    /// Called once; afterwards ``answer`` stands.
    func run() async {
        while let transfer = prepare() {
            await loop.perform(transfer)
            if conclude(transfer.request, transfer.outcome) { return }
        }
    }

    /// Makes the next exchange ready; `nil` when there is to be none.
    @inline(never)
    private func prepare() -> CurlTransfer? {
        do throws(APIClientError) {
            guard !Task.isCancelled else { throw .cancelled(ErrorContext(request)) }
            guard LoopClock.now() < deadline else {
                throw .transport(.timedOut(.total, after: request.timeout.total), ErrorContext(request))
            }
            let hop = redirected ?? request
            return CurlTransfer(try HopRequest(request.takesCookies ? hop.withCookies() : hop, deadline: deadline))
        } catch {
            answer = Response(request: request, result: .failure(error))
            addEarlier()
            return nil
        }
    }

    /// - Returns: whether the answer stands; not when it is a redirect that is followed.
    @inline(never)
    private func conclude(_ hop: HopRequest, _ outcome: CurlOutcome) -> Bool {
        answer = read(hop, outcome)
        addEarlier()
        guard answer.error == nil, let head = answer.head else { return true }
        switch RedirectPolicy.decide(redirected ?? request, head: head, followed: visited.count) {
        case .deliver: return true
        case .refuse(let error):
            let context = ErrorContext(redirected ?? request, head: answer.head, body: answer.data)
            self.answer = answer.with(.failure(.transport(error, context)))
            return true
        case .follow(let next):
            visited.append(next.url)
            redirected = next
            return false
        }
    }

    /// What the exchanges before it cost.
    private func addEarlier() {
        if !visited.isEmpty {
            if let earlier = metrics?.value {
                answer.metrics = answer.metrics.map { $0.adding(earlier: earlier) } ?? earlier
            }
            answer.metrics?.redirects = visited
        }
        metrics = answer.sharedMetrics
    }

    /// What came of one exchange. The response carries the request as it came to the transport.
    private func read(_ hop: HopRequest, _ outcome: CurlOutcome) -> Response<Data> {
        var response = Response(
            call: request.call, request: request, data: outcome.body, result: .success(outcome.body), metrics: outcome.metrics)
        let current = redirected ?? request
        for mismatch in outcome.pinMismatches { request.call.channel.logger.log(.pinMismatch(mismatch, current)) }
        let defect = read(outcome, of: hop, for: current, into: &response)
        // Of a redirect as well: what it sets goes along to where it leads.
        if let head = response.head { current.keepCookies(of: head) }
        func failed(_ error: TransportError) -> Response<Data> {
            response.with(.failure(.transport(error, ErrorContext(current, head: response.head, body: response.data))))
        }
        switch outcome.end {
        case .cancelled: return response.with(.failure(.cancelled(ErrorContext(response))))
        // That a body is shorter than one of two lengths is the lesser half of the truth.
        case .failed(.truncated) where defect != nil: break
        case .failed(let error): return failed(error)
        case .complete: break
        }
        return defect.map(failed) ?? response
    }

    /// Reads the head, and checks what can be known only from it.
    private func read(
        _ outcome: CurlOutcome, of hop: HopRequest, for current: Request, into response: inout Response<Data>
    ) -> TransportError? {
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
        let received = outcome.metrics?.value.bytesReceived ?? 0
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
        if head.status.code == 206, current.headers[.range] == nil {
            return .malformedResponse(reason: "a part (206) of what was asked for whole (RFC 9110 §15.3.7)")
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
}

extension HTTPFields {
    /// Whether a coding was applied that libcurl takes off again.
    fileprivate var isEncoded: Bool {
        self[values: .contentEncoding].flatMap { $0.split(separator: ",") }
            .contains { !["", "identity", "none"].contains($0.trimmingHTTPWhitespace().lowercased()) }
    }
}
