internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// One exchange over libcurl, as the sending task sees it: prepared before the loop gets it, and read afterwards. The loop
/// supplies only the bytes.
struct CurlAttempt {
    let attempt: Attempt
    let library: CurlLibrary

    /// Prepares the exchange, or returns why it must not happen.
    ///
    /// - Parameter connectsOnly: whether only a connection is wanted.
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
            let prepared = try PreparedRequest(attempt, deadline: deadline, library, connectsOnly: connectsOnly)
            return .success(Exchange(prepared))
        } catch {
            return .failure(error)
        }
    }

    /// Reads the exchange's response.
    ///
    /// - Parameter release: gives the pool back; called when no more bytes follow.
    func read(_ exchange: Exchange, release: @escaping @Sendable () -> Void) -> RawResponse {
        // Moved out instead of copied: no other code reads the exchange again.
        var data = Data()
        swap(&data, &exchange.outcome.body)
        var parsed: ResponseHeadParser.Parsed?
        var (head, defect) = readHead(of: exchange, into: &parsed)
        var body = Body.bytes(data)
        var interimAndTrailers = exchange.outcome.interimAndTrailers
        if exchange.outcome.isStreamed {
            body = .none
            if let parsed, let head, defect == nil {
                do throws(TransportError) {
                    let whole = interimAndTrailers ?? InterimAndTrailers()
                    body = try stream(exchange, parsed, head, whole, release)
                    interimAndTrailers = whole
                } catch {
                    defect = error
                }
            }
            if defect != nil { exchange.stream?.buffer.abandon() }
        } else if let parsed, defect == nil {
            let received = exchange.outcome.bytesOfBody(announced: parsed.contentLength)
            let hasBody = hasBody(parsed, exchange)
            let isEndAnnounced = exchange.outcome.isEndAnnounced
            defect = Self.endError(parsed, hasBody: hasBody, received, isEndAnnounced)
            exchange.outcome.metrics?.isEndAnnounced =
                !hasBody || parsed.contentLength != nil || parsed.isChunked || isEndAnnounced == true
        }
        if case .stream = body {} else { release() }
        notifyMismatches(of: exchange)
        let failure: APIClientError?
        let context = { APIClientError.Context(attempt.request, head: head, body: data) }
        switch exchange.outcome.end {
        case .cancelled: failure = .cancelled(context())
        // With two different lengths, the defect explains more than that the body is shorter than one of them.
        case .failed(.truncated) where defect != nil, .complete: failure = defect.map { .transport($0, context()) }
        case .failed(let error): failure = .transport(error, context())
        }
        let raw = RawResponse(attempt, head: head, body: body, failure: failure, metrics: exchange.outcome.metrics)
        return interimAndTrailers.map { raw.with($0) } ?? raw
    }

    func notifyMismatches(of exchange: Exchange) {
        for mismatch in exchange.outcome.pinMismatches {
            attempt.notify(.pinMismatch(attempt, mismatch))
        }
    }

    private func hasBody(_ parsed: ResponseHeadParser.Parsed, _ exchange: Exchange) -> Bool {
        exchange.request.method != "HEAD" && parsed.head.status.code != 204 && parsed.head.status.code != 304
    }

    /// The response with a streamed body.
    private func stream(
        _ exchange: Exchange, _ parsed: ResponseHeadParser.Parsed, _ head: ResponseHead, _ interimAndTrailers: InterimAndTrailers,
        _ release: @escaping @Sendable () -> Void
    ) throws(TransportError) -> Body {
        guard let stream = exchange.stream else { return .none }
        let hasBody = hasBody(parsed, exchange)
        if !hasBody { exchange.outcome.metrics?.bytesReceived = 0 }
        var decoder: ContentDecoder?
        if exchange.request.decodesContent, hasBody, parsed.namesCodings {
            do {
                decoder = try ContentDecoder(head: exchange.outcome.head)
            } catch {
                throw ContentDecoder.transportError(error, limit: exchange.request.bodyLimit)
            }
        }
        let reader = StreamReader(
            attempt, head, stream, decoder: decoder, interimAndTrailers: interimAndTrailers,
            totalAtHead: exchange.outcome.metrics?.total ?? .zero,
            defect: { received, isEndAnnounced in Self.endError(parsed, hasBody: hasBody, received, isEndAnnounced) },
            release: release)
        let length = decoder == nil && hasBody ? parsed.contentLength : nil
        var body = Body.Stream(length: length, ChunkSource(isReplayable: false, open: reader.open))
        body.isDecoded = decoder != nil
        return .stream(body)
    }

    /// Reads the head, and checks what only the head reveals.
    private func readHead(
        of exchange: Exchange, into result: inout ResponseHeadParser.Parsed?
    ) -> (ResponseHead?, TransportError?) {
        guard !exchange.outcome.head.isEmpty else {
            // libcurl reports success for an HTTP/2 connection that ends in the orderly way before the response.
            return (
                nil,
                .connectionLost(
                    reason: "it ended before the response's head was complete",
                    mayHaveBeenProcessed: !exchange.request.isIdempotent)
            )
        }
        let parsed: ResponseHeadParser.Parsed
        do throws(ResponseHeadParser.Malformed) {
            parsed = try ResponseHeadParser.parse(
                exchange.outcome.head, lines: exchange.outcome.framing, isHEAD: exchange.request.method == "HEAD")
        } catch {
            return (nil, .malformedResponse(reason: error.reason))
        }
        result = parsed
        var head = parsed.head
        let hasBytes = exchange.outcome.isStreamed || exchange.outcome.metrics?.bytesReceived ?? 0 > 0
        if exchange.request.decodesContent, hasBytes, hasBody(parsed, exchange), parsed.namesCodings {
            let codings = ContentDecoder.codings(in: parsed.head.headers[values: .contentEncoding])
            if !codings.known.isEmpty {
                // These fields describe the encoded bytes, which the caller does not see.
                head.headers[.contentEncoding] = codings.unknown.isEmpty ? nil : codings.unknown.joined(separator: ", ")
                head.headers[.contentLength] = nil
            }
            if let unknown = codings.unknown.last {
                let text = "the content coding '\(unknown.shortened().escapingControls)' is not known; the body is as it came"
                attempt.warn(text)
            }
        }
        return (head, headError(head, exchange))
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
    private static func endError(
        _ parsed: ResponseHeadParser.Parsed, hasBody: Bool, _ received: Int64, _ isEndAnnounced: Bool?
    ) -> TransportError? {
        if hasBody, let expected = parsed.contentLength, received < expected {
            guard !parsed.namesIdentity else {
                return .malformedResponse(
                    reason:
                        "a Content-Length of \(expected) and a Transfer-Encoding without chunks that ended after "
                        + "\(received) bytes (RFC 9112 §6.3)")
            }
            return .truncated(received: received, expected: expected)
        }
        // Only the end of the connection or the stream delimits the body, and an intended end is announced (RFC 9112 §9.8, 9113
        // §8.1).
        if hasBody, parsed.contentLength == nil, !parsed.isChunked, isEndAnnounced == false {
            return .truncated(received: received, expected: nil)
        }
        return nil
    }
}
