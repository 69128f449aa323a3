internal import CCurl
internal import CoreAPICore

// libcurl tells one stream of an HTTP/2 connection that TLS's `close_notify` has arrived, and forgets the others. They wait
// for the connection's FIN, which may never arrive: a server on Python's asyncio waits for the client to close.
//
// The kit hears the alert (`TLSConnection`). libcurl first hands over what it has read; then the kit ends the streams that can
// receive no more data. Without a view of their ends (`HTTP2StreamMonitor`) the timeouts end them. Also
// `HostileAnswerTests.closedByTLSAlone`.

extension CurlMulti {
    /// Notes why an exchange can receive no more data, if its server has closed the connection by TLS. A response that has ended
    /// is whole; libcurl has not handed it over yet. Returns whether that is so.
    @discardableResult
    func noteCutOff(_ exchange: Exchange) -> Bool {
        guard let handle = exchange.handle, isCutOff(exchange, handle) else { return false }
        exchange.http2.failure = exchange.http2.failure ?? .connectionClosed
        return true
    }

    private func isCutOff(_ exchange: Exchange, _ handle: CurlHandle) -> Bool {
        guard exchange.phase.isActive, exchange.sendings.isSent, let connection = exchange.route.connection, connection.isHTTP2
        else { return false }
        if connection.hasCloseNotify { return monitor?.hasEnded(handle) == false }
        // A newer libcurl closes the connection and ends all streams, before it reports one. Only on a reused connection does
        // that count as a stale one, as an older libcurl has it.
        return connection.hadCloseNotify && !exchange.http2.hasResponded && !exchange.hasHead
            && handle.number(CURLINFO_NUM_CONNECTS) == 0
    }
}
