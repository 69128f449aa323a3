internal import CoreAPICore
internal import Foundation
internal import HTTPTypes

/// One exchange over libcurl, as the task that sends it sees it: made ready before the loop has it, and read after. Only the
/// bytes come from the loop.
struct CurlExchange {
    let attempt: Attempt
    let library: CurlLibrary

    /// Makes the exchange ready, or says why it must not happen.
    func prepare() -> Result<CurlTransfer, APIClientError> {
        let request = attempt.request
        do throws(APIClientError) {
            guard !Task.isCancelled else { throw .cancelled(ErrorContext(request)) }
            guard library.can(.tls) || request.url.scheme == .http else {
                throw .transport(.unsupported(capability: "https (a libcurl with TLS)"), ErrorContext(request))
            }
            let remaining = ContinuousClock.now.duration(to: request.deadline)
            guard remaining > .zero else {
                throw .transport(.timedOut(.total, after: request.timeout.total), ErrorContext(request))
            }
            let deadline = LoopClock.now() + remaining.clampedNanoseconds
            return .success(CurlTransfer(try PreparedRequest(attempt, deadline: deadline)))
        } catch {
            return .failure(error)
        }
    }

    /// What came of it.
    ///
    /// - Parameter release: gives the connections back; called when nothing more comes over them.
    func read(_ transfer: CurlTransfer, release: @escaping @Sendable () -> Void) -> Reply {
        // Taken out, and not copied: no other code looks at the transfer again.
        var data = Data()
        swap(&data, &transfer.outcome.body)
        var parsed: ResponseHeadParser.Parsed?
        var (head, defect) = readHead(of: transfer, into: &parsed)
        var body = Body.bytes(data)
        if transfer.isStreaming {
            body = .none
            if let parsed, let head, defect == nil {
                do throws(TransportError) {
                    body = try stream(transfer, parsed, head, release)
                } catch {
                    defect = error
                }
            }
            if defect != nil { transfer.stream?.buffer.abandon() }
        } else if let parsed, defect == nil {
            let received = transfer.bytesOfBody(announced: parsed.contentLength)
            let hasBody = hasBody(parsed, transfer)
            let isEndAnnounced = transfer.outcome.isEndAnnounced
            defect = Self.endDefect(parsed, hasBody: hasBody, received, isEndAnnounced)
            transfer.outcome.metrics?.isEndAnnounced =
                !hasBody || parsed.contentLength != nil || parsed.isChunked || isEndAnnounced == true
        }
        if case .stream = body {} else { release() }
        for mismatch in transfer.outcome.pinMismatches {
            attempt.tell { $0.pinMismatch(CallEvent.Mismatched(attempt: attempt, mismatch: mismatch)) }
        }
        let failure: APIClientError?
        let context = { ErrorContext(attempt.request, head: head, body: data) }
        switch transfer.outcome.end {
        case .cancelled: failure = .cancelled(context())
        // That a body is shorter than one of two lengths is the lesser half of the truth.
        case .failed(.truncated) where defect != nil, .complete: failure = defect.map { .transport($0, context()) }
        case .failed(let error): failure = .transport(error, context())
        }
        return Reply(attempt, head: head, body: body, failure: failure, metrics: transfer.outcome.metrics)
    }

    private func hasBody(_ parsed: ResponseHeadParser.Parsed, _ transfer: CurlTransfer) -> Bool {
        transfer.request.method != "HEAD" && parsed.head.status.code != 204 && parsed.head.status.code != 304
    }

    /// The body as it comes.
    private func stream(
        _ transfer: CurlTransfer, _ parsed: ResponseHeadParser.Parsed, _ head: ResponseHead,
        _ release: @escaping @Sendable () -> Void
    ) throws(TransportError) -> Body {
        guard let stream = transfer.stream else { return .none }
        let hasBody = hasBody(parsed, transfer)
        var decoder: ContentDecoder?
        if transfer.request.decodesContent, hasBody, parsed.namesCodings {
            do {
                decoder = try ContentDecoder(head: transfer.outcome.head)
            } catch {
                throw .malformedResponse(reason: "\(error)")
            }
        }
        let reader = StreamReader(
            attempt, head, stream, decoder: decoder,
            defect: { received, isEndAnnounced in Self.endDefect(parsed, hasBody: hasBody, received, isEndAnnounced) },
            release: release)
        let length = decoder == nil && hasBody ? parsed.contentLength : nil
        return .stream(BodyStream(length: length, ChunkSource(isReplayable: false, open: reader.open)))
    }

    /// Reads the head, and checks what can be known only from it.
    private func readHead(
        of transfer: CurlTransfer, into result: inout ResponseHeadParser.Parsed?
    ) -> (ResponseHead?, TransportError?) {
        guard !transfer.outcome.head.isEmpty else {
            // An HTTP/2 connection that ends in the orderly way before the answer is a success to libcurl.
            return (
                nil,
                .connectionLost(
                    reason: "it ended before the response's head was complete",
                    mayHaveBeenProcessed: !transfer.request.isIdempotent)
            )
        }
        let parsed: ResponseHeadParser.Parsed
        do throws(ResponseHeadParser.Malformed) {
            parsed = try ResponseHeadParser.parse(
                transfer.outcome.head, lines: transfer.outcome.framing, isHEAD: transfer.request.method == "HEAD")
        } catch {
            return (nil, .malformedResponse(reason: error.reason))
        }
        result = parsed
        var head = parsed.head
        let hasBytes = transfer.isStreaming || transfer.outcome.metrics?.bytesReceived ?? 0 > 0
        if transfer.request.decodesContent, hasBytes, hasBody(parsed, transfer), parsed.namesCodings {
            let codings = ContentDecoder.codings(in: parsed.head.headers[values: .contentEncoding])
            if !codings.known.isEmpty {
                // They describe the bytes on the wire, which the caller does not get to see.
                head.headers[.contentEncoding] = codings.unknown.isEmpty ? nil : codings.unknown.joined(separator: ", ")
                head.headers[.contentLength] = nil
            }
            if let unknown = codings.unknown.last {
                let text = "the content coding '\(unknown.shortened().escapingControls)' is not known; the body is as it came"
                attempt.warn(text)
            }
        }
        return (head, headDefect(head.status.code, transfer))
    }

    private func headDefect(_ status: Int, _ transfer: CurlTransfer) -> TransportError? {
        // In clear text only a proxy asks for credentials so (RFC 9110 §15.5.8). One that tunnels has refused before there is a
        // head.
        if status == 407, attempt.request.url.scheme == .http, let proxy = transfer.request.proxy {
            return .proxy(host: proxy.host, source: proxy.source, status: 407, reason: "it asks for credentials")
        }
        if status == 206, attempt.request.headers[.range] == nil {
            return .malformedResponse(reason: "a part (206) of what was asked for whole (RFC 9110 §15.3.7)")
        }
        return nil
    }

    /// What is wrong with how a body ended. libcurl finds most of it itself.
    private static func endDefect(
        _ parsed: ResponseHeadParser.Parsed, hasBody: Bool, _ received: Int64, _ isEndAnnounced: Bool?
    ) -> TransportError? {
        if hasBody, let expected = parsed.contentLength, received < expected {
            guard !parsed.namesIdentity else {
                return .malformedResponse(
                    reason:
                        "a Content-Length of \(expected) and a Transfer-Encoding without chunks that ended after \(received) bytes"
                        + " (RFC 9112 §6.3)")
            }
            return .truncated(received: received, expected: expected)
        }
        // Nothing but the end of the connection or the stream delimits it, and one that was meant is announced (RFC 9112 §9.8,
        // 9113 §8.1).
        if hasBody, parsed.contentLength == nil, !parsed.isChunked, isEndAnnounced == false {
            return .truncated(received: received, expected: nil)
        }
        return nil
    }
}
