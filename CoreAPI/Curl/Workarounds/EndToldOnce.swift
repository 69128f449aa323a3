internal import CoreAPICore

extension Defect {
    /// libcurl tells one stream of an HTTP/2 connection that TLS's `close_notify` has arrived, and forgets the others. They wait
    /// for the connection's FIN, which may never arrive: a server on Python's asyncio waits for the client to close.
    ///
    /// The kit hears the alert (``TLSConnection``). libcurl first hands over what it has read; then the kit ends the streams that
    /// can receive no more data. Without a view of their ends (``HTTP2StreamMonitor``) the timeouts end them. Shown by
    /// `HostileAnswerTests.closedByTLSAlone`.
    static let endToldOnce = Defect(11, in: .every)
}

extension CurlTransfer {
    /// Notes why it can receive no more data, if its server has closed the connection by TLS. An answer that has ended is whole;
    /// libcurl has not handed it over yet.
    ///
    /// - Returns: whether that is so.
    @discardableResult
    func noteCutOff(in multi: CurlMulti) -> Bool {
        guard isCutOff, let handle else { return false }
        // A newer libcurl ends the streams without an answer itself.
        let hasNoAnswer = !hasStreamAnswered && !hasHead
        guard hasNoAnswer || multi.hasEndedStream(handle) == false else { return false }
        streamFailure = streamFailure ?? .connectionClosed
        return true
    }

    /// Whether it is sent on a connection whose server has said that it sends nothing more.
    private var isCutOff: Bool {
        guard stage == .active, isSent, let handle, let connection else { return false }
        return handle.library.has(.endToldOnce) && connection.isHTTP2 && connection.hasCloseNotify
    }
}
