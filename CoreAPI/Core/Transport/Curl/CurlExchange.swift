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

    private enum Step {
        case exchange(CurlTransfer)
        case answer(Response<Data>)
    }

    init(_ request: Request, loop: CurlLoop) {
        self.request = request
        self.loop = loop
        // One over everything that the call does.
        deadline = request.call.began + request.timeout.total.clampedNanoseconds
    }

    /// Called once.
    func run() async -> Response<Data> {
        while true {
            switch prepare() {
            case .answer(let answer): return answer
            case .exchange(let transfer):
                await loop.perform(transfer)
                if let answer = conclude(transfer) { return answer }
            }
        }
    }

    /// Makes the next exchange ready, or tells why there is to be none.
    @inline(never)
    private func prepare() -> Step {
        do throws(APIClientError) {
            guard !Task.isCancelled else { throw .cancelled(ErrorContext(request)) }
            guard LoopClock.now() < deadline else {
                throw .transport(.timedOut(.total, after: request.timeout.total), ErrorContext(request))
            }
            let hop = redirected ?? request
            let current = request.takesCookies ? hop.withCookies() : hop
            return .exchange(CurlTransfer(try HopRequest(current, recent: loop.recentFieldLines, deadline: deadline)))
        } catch {
            return .answer(addingEarlier(Response(request: request, result: .failure(error))))
        }
    }

    /// - Returns: the answer, unless it is a redirect that is followed.
    @inline(never)
    private func conclude(_ transfer: CurlTransfer) -> Response<Data>? {
        let answer = addingEarlier(read(transfer))
        guard let status = answer.statusCode, RedirectPolicy.isRedirect(status), answer.error == nil, let head = answer.head
        else {
            return answer
        }
        switch RedirectPolicy.decide(redirected ?? request, head: head, followed: visited.count) {
        case .deliver: return answer
        case .refuse(let error):
            let context = ErrorContext(redirected ?? request, head: head, body: answer.data)
            return answer.with(.failure(.transport(error, context)))
        case .follow(let next):
            visited.append(next.url)
            redirected = next
            metrics = answer.sharedMetrics
            return nil
        }
    }

    /// An answer with what the exchanges before it cost.
    private func addingEarlier(_ answer: consuming Response<Data>) -> Response<Data> {
        guard !visited.isEmpty else { return answer }
        var answer = answer
        if let earlier = metrics?.value {
            answer.metrics = answer.metrics.map { $0.adding(earlier: earlier) } ?? earlier
        }
        answer.metrics?.redirects = visited
        return answer
    }

    /// What came of one exchange. The response carries the request as it came to the transport.
    private func read(_ transfer: CurlTransfer) -> Response<Data> {
        // Taken out, and not copied: nobody looks at the transfer again.
        var (body, metrics): (Data, CopyOnWrite<TransferMetrics>?) = (Data(), nil)
        swap(&body, &transfer.outcome.body)
        swap(&metrics, &transfer.outcome.metrics)
        var response = Response(
            call: request.call, request: request, data: body, result: .success(body), metrics: metrics)
        let current = redirected ?? request
        for mismatch in transfer.outcome.pinMismatches { request.call.channel.logger.log(.pinMismatch(mismatch, current)) }
        let defect = readHead(of: transfer, for: current, into: &response)
        // Of a redirect as well: what it sets goes along to where it leads.
        current.keepCookies(of: response)
        let failure: TransportError?
        switch transfer.outcome.end {
        case .cancelled: return response.with(.failure(.cancelled(ErrorContext(response))))
        // That a body is shorter than one of two lengths is the lesser half of the truth.
        case .failed(.truncated) where defect != nil: failure = defect
        case .failed(let error): failure = error
        case .complete: failure = defect
        }
        guard let failure else { return response }
        return response.with(.failure(.transport(failure, ErrorContext(current, head: response.head, body: response.data))))
    }

    /// Reads the head, and checks what can be known only from it.
    private func readHead(
        of transfer: CurlTransfer, for current: Request, into response: inout Response<Data>
    ) -> TransportError? {
        guard !transfer.outcome.head.isEmpty else {
            // An HTTP/2 connection that ends in the orderly way before the answer is a success to libcurl.
            return .connectionLost(
                reason: "it ended before the response's head was complete", mayHaveBeenProcessed: !transfer.request.isIdempotent)
        }
        let parsed: ResponseHeadParser.Parsed
        do throws(ResponseHeadParser.Malformed) {
            parsed = try ResponseHeadParser.parse(
                transfer.outcome.head, lines: transfer.outcome.framing, isHEAD: transfer.request.method == "HEAD")
        } catch {
            return .malformedResponse(reason: error.reason)
        }
        let status = parsed.head.status.code
        response.head = parsed.head
        let received = response.bytesReceived
        let hasBody = transfer.request.method != "HEAD" && status != 204 && status != 304
        if transfer.request.decodesContent, hasBody, received > 0, parsed.namesCodings {
            let codings = ContentDecoder.codings(in: parsed.head.headers[values: .contentEncoding])
            if !codings.known.isEmpty {
                // They describe the bytes on the wire, which the caller does not get to see.
                response.head?.headers[.contentEncoding] = codings.unknown.isEmpty ? nil : codings.unknown.joined(separator: ", ")
                response.head?.headers[.contentLength] = nil
            }
            if let unknown = codings.unknown.last {
                let text = "the content coding '\(unknown.shortened().escapingControls)' is not known; the body is as it came"
                request.call.channel.logger.log(.warning(text, current))
            }
        }
        // In clear text only a proxy asks for credentials so (RFC 9110 §15.5.8). One that tunnels has refused before there is a
        // head.
        if status == 407, current.url.scheme == .http, let proxy = transfer.request.proxy {
            return .proxy(host: proxy.host, source: proxy.source, status: 407, reason: "it asks for credentials")
        }
        if status == 206, current.headers[.range] == nil {
            return .malformedResponse(reason: "a part (206) of what was asked for whole (RFC 9110 §15.3.7)")
        }
        // libcurl finds most of these itself.
        if hasBody, let expected = parsed.contentLength, received < expected {
            guard !parsed.namesIdentity else {
                return .malformedResponse(
                    reason:
                        "a Content-Length of \(expected) and a Transfer-Encoding without chunks that ended after \(received) bytes"
                        + " (RFC 9112 §6.3)")
            }
            return .truncated(received: received, expected: expected)
        }
        // Nothing but the end of the connection or the stream delimits it, and one that was meant is announced (RFC 9112 §9.8, 9113 §8.1).
        if hasBody, parsed.contentLength == nil, !parsed.isChunked, transfer.outcome.isEndAnnounced == false {
            return .truncated(received: received, expected: nil)
        }
        return nil
    }
}
