internal import CCurl
internal import CoreAPICore

extension CurlHandle {
    /// Bytes of both bodies on the wire so far.
    var uploadedBytes: Int64 { offset(CURLINFO_SIZE_UPLOAD_T) }
    var receivedBytes: Int64 { offset(CURLINFO_SIZE_DOWNLOAD_T) }
    /// The response's `Content-Length`, or -1.
    var announcedBytes: Int64 { offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) }

    /// The cost of the exchange. libcurl's times are cumulative, in microseconds from the start: name lookup → connect → TLS →
    /// pretransfer → first byte. For a reused connection the times of connecting are 0, which does not mean fast.
    ///
    /// The kit measures first byte and total itself. For an upload, `CURLINFO_STARTTRANSFER_TIME_T` is the time when the body
    /// began to be sent. `CURLINFO_TOTAL_TIME_T` includes work that libcurl does before it handles the exchange.
    func metrics(of exchange: Exchange, at now: LoopClock.Nanoseconds) -> ExchangeMetrics {
        var metrics = ExchangeMetrics()
        metrics.queued = .nanoseconds(exchange.clock.activated - exchange.clock.submitted)
        metrics.resends = max(0, exchange.sendings.count - 1)
        metrics.total = .nanoseconds(now - exchange.clock.activated)
        // Until libcurl has handled the exchange, its figures are those of the handle's last one.
        guard exchange.hasBegun else { return metrics }
        if exchange.upload.length != 0 { metrics.bytesSent = uploadedBytes }
        metrics.bytesReceived = receivedBytes
        let connections = number(CURLINFO_NUM_CONNECTS)
        metrics.isConnectionReused = exchange.sendings.count > 0 && connections == 0
        if connections > 0 {
            let lookup = offset(CURLINFO_NAMELOOKUP_TIME_T)
            let connect = offset(CURLINFO_CONNECT_TIME_T)
            let handshake = offset(CURLINFO_APPCONNECT_TIME_T)
            if lookup > 0 { metrics.nameLookup = .microseconds(lookup) }
            if connect > 0 { metrics.connect = .microseconds(max(0, connect - lookup)) }
            if handshake > 0 { metrics.tls = .microseconds(max(0, handshake - connect)) }
        }
        if exchange.clock.answered > 0 { metrics.firstByte = .nanoseconds(exchange.clock.answered - exchange.clock.sent) }
        metrics.httpVersion = Self.name(ofHTTPVersion: number(CURLINFO_HTTP_VERSION))
        metrics.remoteAddress =
            exchange.route.connection?.remoteAddress ?? string(CURLINFO_PRIMARY_IP).flatMap { $0.isEmpty ? nil : $0 }
        let port = exchange.route.connection.map { Int($0.ports.remote) } ?? number(CURLINFO_PRIMARY_PORT)
        metrics.remotePort = port > 0 ? port : nil
        return metrics
    }

    private static func name(ofHTTPVersion version: Int) -> String? {
        switch version {
        case 1: "HTTP/1.0"  // CURL_HTTP_VERSION_1_0
        case 2: "HTTP/1.1"
        case 3: "HTTP/2"
        case 30: "HTTP/3"
        default: nil
        }
    }
}
