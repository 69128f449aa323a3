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
    /// Whether it is sent on a connection whose server has said that it sends nothing more.
    var isCutOff: Bool {
        guard stage == .active, isSent, let handle, let connection else { return false }
        return handle.library.has(.endToldOnce) && connection.isHTTP2 && connection.hasCloseNotify
    }
}
