internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPITrust

extension Exchange {
    /// The exchange's end, after libcurl has reported it as over.
    func end(_ code: CURLcode, at now: LoopClock.Nanoseconds) -> ExchangeOutcome.End {
        if let failure { return .failed(failure) }
        // libcurl may report an orderly end for a connection that nghttp2 gave up.
        let hasFailed = code != CURLE_OK || http2.failure != nil
        // libcurl has dropped the body of a rejected expectation, unless the write callback has some of it. A redirect that ended
        // well leaves its handle to others.
        if isOver(in: code) || isExpectationRejected && bodyEnd.taken == 0 || bodyEnd.isRedirect && hasFailed {
            bodyEnd.isDecided = true
        }
        guard let handle, hasFailed, !bodyEnd.isDecided else {
            // The message is complete, but its encoded content is not.
            guard bodyEnd.isRedirect || body.decoder?.isFinished ?? true else {
                return .failed(.truncated(received: handle?.receivedBytes ?? 0, expected: nil))
            }
            return .complete
        }
        let connecting = [CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT]
        if route.hasRejectedAddress, connecting.contains(code), sendings.count == 0 {
            return .failed(.addressRejected(host: request.url.host))
        }
        // If both timeouts expire together, the total one explains more.
        if code == CURLE_OPERATION_TIMEDOUT, now >= request.deadline {
            return .failed(.timedOut(.total, after: request.request.timeout.total))
        }
        return .failed(ExchangeFailure.error(for: code, facts(about: code, handle)))
    }

    private func facts(about code: CURLcode, _ handle: CurlHandle) -> ExchangeFailure.Facts {
        let message = handle.message(for: code)
        return ExchangeFailure.Facts(
            host: request.url.host, timeout: request.request.timeout, proxy: request.proxy,
            connectStatus: handle.number(CURLINFO_HTTP_CONNECTCODE),
            message: code == CURLE_COULDNT_CONNECT ? route.socketRejection ?? message : message,
            mayBeSentAgain: mayBeSentAgain, streamFailure: http2.failure, headTooLargeForHTTP2: headTooLargeForHTTP2,
            resetCode: http2.hasAnswered ? http2.resetCode : nil, wasSent: sendings.count > 0, hasHead: hasHead,
            isFirstOnConnection: handle.number(CURLINFO_NUM_CONNECTS) > 0, headLimit: request.limits.responseHeadSize,
            received: Int64(body.data.count), announced: handle.announcedBytes)
    }

    /// Fills the outcome of an exchange whose body was collected.
    ///
    /// - Parameters:
    ///   - metrics: `nil` if it never left the queue.
    ///   - isEndAnnounced: as ``ExchangeOutcome/isEndAnnounced``.
    /// - Returns: the end; that of a pin mismatch, if it is the cause.
    func fillOutcome(_ end: ExchangeOutcome.End, _ metrics: ExchangeMetrics?, isEndAnnounced: Bool?) -> ExchangeOutcome.End {
        if let handle, handle.head.isComplete { outcome.keep(handle.head) }
        outcome.metrics = metrics
        swap(&outcome.body, &body.data)
        outcome.isEndAnnounced = bodyEnd.isRedirect ? nil : isEndAnnounced
        outcome.isEndDecided = bodyEnd.isDecided
        guard let check = route.pinCheck else { return end }
        let isRejected = if case .failed(.tls) = end { true } else { false }
        outcome.pinMismatches = check.takeMismatches(isRejected: isRejected, since: clock.activated)
        guard let own = outcome.pinMismatches.last, own.isEnforced else { return end }
        return .failed(.pinMismatch(host: own.host, reason: own.reason))
    }
}
