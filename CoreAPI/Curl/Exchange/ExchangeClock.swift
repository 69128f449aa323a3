internal import CCurl
internal import CoreAPICore

/// When an exchange did what, and when libcurl last moved a byte of it.
struct ExchangeClock {
    /// When it joined the queue and when it left it.
    var submitted: LoopClock.Nanoseconds = 0
    var activated: LoopClock.Nanoseconds = 0
    /// When sending of the request last began, and when the response's first line arrived; 0 until then.
    var sent: LoopClock.Nanoseconds = 0
    var answered: LoopClock.Nanoseconds = 0
    /// When a byte was last received or sent.
    var lastActivity: LoopClock.Nanoseconds = 0
    /// Bytes of the request's body that have been sent.
    private var uploaded: Int64 = 0
    /// The turn of the loop in which libcurl got the exchange; libcurl handles it in the next, or later in the same.
    var launchTurn: UInt = 0

    mutating func note(uploaded count: Int64) {
        guard count != uploaded else { return }
        uploaded = count
        lastActivity = LoopClock.now()
    }
}

extension Exchange {
    /// Whether libcurl has handled the exchange: in a later turn, or in the turn of its launch if a message began that turn.
    var hasBegun: Bool { sendings.isSent || handle.map { $0.connections.turn != clock.launchTurn } ?? false }

    /// When the whole call must be over. A streamed body has no deadline, because its reader sets the pace.
    private var deadline: LoopClock.Nanoseconds {
        phase.isDelivered ? LoopClock.never : min(request.deadline, bodyEnd.redirectDue)
    }

    /// When the loop must check the exchange next.
    func due(_ now: LoopClock.Nanoseconds) -> LoopClock.Nanoseconds {
        guard phase.isActive else { return request.deadline }
        if stream?.isHeld == true || phase.raw != nil { return deadline }
        let idle = request.request.timeout.idle.clampedNanoseconds
        if upload.isHeld {
            let resumed = upload.resumeDue(now, handle?.library)
            return min(deadline, resumed, phase.isDelivered ? clock.lastActivity + idle : LoopClock.never)
        }
        // The idle clock is stopped while it connects, but may start at any moment.
        return min(deadline, (sendings.isSent ? clock.lastActivity : now) + idle)
    }

    /// Whether less than a fiftieth of the queue wait is left before the deadline: the last 1.2 s of a minute. Starting the
    /// exchange would open a connection only to time out.
    func isTooLate(_ now: LoopClock.Nanoseconds) -> Bool { request.deadline - now <= (now - clock.submitted) / 50 }

    /// The timeout that has expired, if any.
    func expired(_ now: LoopClock.Nanoseconds) -> TransportError? {
        let timeout = request.request.timeout
        if now >= deadline { return .timedOut(.total, after: timeout.total) }
        // A raw connection may be silent for hours; its protocol has clocks of its own.
        guard phase.isActive, sendings.isSent, phase.raw == nil else { return nil }
        // The task is slow, not the peer. Once the task waits for the response's body, the peer's silence counts again.
        guard stream?.isHeld != true, !upload.isHeld || phase.isDelivered else {
            clock.lastActivity = now
            return nil
        }
        let silence = now - clock.lastActivity
        return silence >= max(timeout.idle.clampedNanoseconds, 1_000_000) ? .timedOut(.idle, after: timeout.idle) : nil
    }
}

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
