internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// One exchange over libcurl, as the sending task sees it: prepared before the loop gets it, and read afterwards. The loop
/// supplies only the bytes.
struct CurlAttempt {
    let attempt: Attempt
    let library: CurlLibrary

    func prepare(connectsOnly: Bool) -> Result<Exchange, APIClientError> {
        let request = attempt.request
        do throws(APIClientError) {
            guard !Task.isCancelled else { throw .cancelled(APIClientError.Context(request)) }
            guard library.can(.tls) || request.url.scheme == .http else {
                throw .transport(.unsupported(capability: "https (a libcurl with TLS)"), APIClientError.Context(request))
            }
            let remaining = ContinuousClock.now.duration(to: request.deadline)
            guard remaining > .zero else {
                throw .transport(.timedOut(.total, after: request.timeout.total), APIClientError.Context(request))
            }
            let deadline = LoopClock.now() + remaining.clampedNanoseconds
            return .success(Exchange(try PreparedRequest(attempt, deadline: deadline, library, connectsOnly: connectsOnly)))
        } catch {
            return .failure(error)
        }
    }

    /// - Parameter release: gives the pool back; called when no more bytes follow.
    func read(_ exchange: Exchange, release: @escaping @Sendable () -> Void) -> RawResponse {
        let outcome = exchange.outcome
        // Moved out instead of copied: no other code reads the exchange again.
        var data = Data()
        swap(&data, &outcome.body)
        var (parsed, defect) = readHead(of: exchange)
        var body = outcome.isStreamed ? Body.none : .bytes(data)
        var interimAndTrailers = outcome.interimAndTrailers
        if let parsed, defect == nil {
            if outcome.isStreamed {
                do throws(TransportError) {
                    let whole = interimAndTrailers ?? InterimAndTrailers()
                    body = try stream(exchange, parsed, whole, release)
                    interimAndTrailers = whole
                } catch {
                    defect = error
                }
            } else {
                defect = Self.endError(parsed, outcome.bytesOfBody(announced: parsed.contentLength), outcome.isEndAnnounced)
                outcome.metrics?.isEndAnnounced =
                    !parsed.hasBody || parsed.contentLength != nil || parsed.isChunked || outcome.isEndAnnounced == true
            }
        }
        if outcome.isStreamed, defect != nil { exchange.stream?.buffer.abandon() }
        if case .stream = body {} else { release() }
        notifyMismatches(of: exchange)
        let failure: APIClientError?
        let context = { APIClientError.Context(attempt.request, head: parsed?.head, body: data) }
        switch outcome.end {
        case .cancelled: failure = .cancelled(context())
        // With two different lengths, the defect explains more than that the body is shorter than one of them.
        case .failed(.truncated) where defect != nil, .complete: failure = defect.map { .transport($0, context()) }
        case .failed(let error): failure = .transport(error, context())
        }
        let raw = RawResponse(attempt, head: parsed?.head, body: body, failure: failure, metrics: outcome.metrics)
        return interimAndTrailers.map { raw.with($0) } ?? raw
    }

    func notifyMismatches(of exchange: Exchange) {
        for mismatch in exchange.outcome.pinMismatches {
            attempt.notify(.pinMismatch(attempt, mismatch))
        }
    }

    private func stream(
        _ exchange: Exchange, _ parsed: ResponseHeadParser.Parsed, _ interimAndTrailers: InterimAndTrailers,
        _ release: @escaping @Sendable () -> Void
    ) throws(TransportError) -> Body {
        guard let stream = exchange.stream else { return .none }
        if !parsed.hasBody { exchange.outcome.metrics?.bytesReceived = 0 }
        let isCoded = exchange.request.decodesContent && parsed.hasBody && parsed.namesCodings
        let decoder = isCoded ? try ContentDecoder(head: exchange.outcome.head) : nil
        let reader = StreamReader(
            attempt, parsed, stream, decoder: decoder, interimAndTrailers: interimAndTrailers,
            totalAtHead: exchange.outcome.metrics?.total ?? .zero, release: release)
        let length = decoder == nil && parsed.hasBody ? parsed.contentLength : nil
        var body = Body.Stream(length: length, ChunkSource(isReplayable: false, open: reader.open))
        body.isDecoded = decoder != nil
        return .stream(body)
    }

    private func readHead(of exchange: Exchange) -> (ResponseHeadParser.Parsed?, TransportError?) {
        let outcome = exchange.outcome
        guard !outcome.head.isEmpty else {
            // libcurl reports success for an HTTP/2 connection that ends in the orderly way before the response.
            let reason = "it ended before the response's head was complete"
            return (nil, .connectionLost(reason: reason, mayHaveBeenProcessed: !exchange.request.isIdempotent))
        }
        var parsed: ResponseHeadParser.Parsed
        do throws(TransportError) {
            let isHEAD = exchange.request.method == "HEAD"
            parsed = try ResponseHeadParser.parse(outcome.head, lines: outcome.framing, isHEAD: isHEAD)
        } catch {
            return (nil, error)
        }
        let hasBytes = outcome.isStreamed || outcome.metrics?.bytesReceived ?? 0 > 0
        if exchange.request.decodesContent, hasBytes, parsed.hasBody, parsed.namesCodings {
            let codings = ContentDecoder.codings(in: parsed.head.headers[values: .contentEncoding])
            if !codings.known.isEmpty {
                // These fields describe the encoded bytes, which the caller does not see.
                parsed.head.headers[.contentEncoding] = codings.unknown.isEmpty ? nil : codings.unknown.joined(separator: ", ")
                parsed.head.headers[.contentLength] = nil
            }
            if let unknown = codings.unknown.last?.shortened().escapingControls {
                attempt.warn("the content coding '\(unknown)' is not known; the body is as it came")
            }
        }
        return (parsed, headError(parsed.head, exchange))
    }

    private func headError(_ head: ResponseHead, _ exchange: Exchange) -> TransportError? {
        // In clear text only a proxy answers 407 (RFC 9110 §15.5.8). A proxy that tunnels rejects before there is a head.
        if head.status.code == 407, attempt.request.url.scheme == .http, let proxy = exchange.request.proxy {
            let reason = proxy.hasCredentials ? "it rejects the credentials" : "it asks for credentials"
            return .proxy(host: proxy.host, source: proxy.source, status: 407, reason: reason)
        }
        return head.partError(to: attempt.request)
    }

    /// The defect of a body's end. libcurl detects most of them itself.
    static func endError(
        _ parsed: ResponseHeadParser.Parsed, _ received: Int64, _ isEndAnnounced: Bool?
    ) -> TransportError? {
        guard parsed.hasBody else { return nil }
        if let expected = parsed.contentLength, received < expected {
            guard parsed.namesIdentity else { return .truncated(received: received, expected: expected) }
            let reason = "a Content-Length of \(expected) and a Transfer-Encoding without chunks that ended after"
            return .malformedResponse(reason: "\(reason) \(received) bytes (RFC 9112 §6.3)")
        }
        // If only the end of the connection or the stream delimits the body, an intended end is announced (RFC 9112 §9.8, 9113
        // §8.1).
        let isCut = parsed.contentLength == nil && !parsed.isChunked && isEndAnnounced == false
        return isCut ? .truncated(received: received, expected: nil) : nil
    }
}
