internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// The functions that libcurl calls while an exchange runs, on the loop's thread. They call back into libcurl for getters,
/// `CURLOPT_FORBID_REUSE` and `CURLOPT_HEADER` only, and neither start nor end an exchange.
enum CurlCallbacks {
    /// `CURLOPT_HEADERFUNCTION`: one line at a time.
    static var header: curl_write_callback {
        { bytes, size, count, context in
            guard let context, let bytes else { return 0 }
            // Kept alive by its exchange: retaining it costs as much as the rest of the work for a line.
            return Unmanaged<CurlHandle>.fromOpaque(context)._withUnsafeGuaranteedRef {
                $0.receive(line: UnsafeRawBufferPointer(start: bytes, count: size * count))
            }
        }
    }

    /// `CURLOPT_WRITEFUNCTION`: a piece of the body.
    static var write: curl_write_callback {
        { bytes, size, count, context in
            guard let context, let bytes else { return 0 }
            return Unmanaged<CurlHandle>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.receive(bytes, count: size * count) }
        }
    }

    /// `CURLOPT_READFUNCTION`: room for the next piece of the request's body.
    static var read: curl_read_callback {
        { buffer, size, count, context in
            guard let handle = CurlHandle.behind(context), let exchange = handle.exchange, let buffer else {
                return ccurl_readfunc_abort
            }
            do {
                let room = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
                // A read that finds nothing is no activity: the loop makes one now and then (``CurlDefect/missedResponse``).
                guard let count = try exchange.upload.read(into: room) else {
                    handle.connections.hasHeldUpload = true
                    return ccurl_readfunc_pause
                }
                handle.noteActivity()
                return count
            } catch {
                exchange.failure = .bodyUnreadable(error)
                return ccurl_readfunc_abort
            }
        }
    }

    /// `CURLOPT_XFERINFOFUNCTION`, for uploads: libcurl takes up to 64 KiB of the body at once, and sends them bit by bit.
    static var progress: curl_xferinfo_callback {
        { context, _, _, _, uploaded in
            Exchange.behind(context)?.clock.note(uploaded: Int64(uploaded))
            return 0
        }
    }

    /// `CURLOPT_SEEKFUNCTION`: libcurl needs the body from its beginning, to send it once more.
    static var seek: curl_seek_callback {
        { context, offset, origin in
            guard let exchange = Exchange.behind(context), offset == 0, origin == SEEK_SET else { return ccurl_seekfunc_fail }
            return exchange.mayResend() ? ccurl_seekfunc_ok : ccurl_seekfunc_fail
        }
    }

    /// `CURLOPT_SSL_CTX_FUNCTION`: libcurl is about to open a connection. Its context is the ``PinCheck`` of its host, if it has
    /// pins.
    static var secure: curl_ssl_ctx_callback {
        { easy, context, pinCheck in
            guard let openSSL = OpenSSL.linked, let context else { return CURLE_ABORTED_BY_CALLBACK }
            if let easy, let handle = CurlHandle.owner(of: easy) { TLSConnection.watch(context, handle.connections) }
            if let pinCheck { openSSL.setVerify(context, PinCheck.verified, pinCheck) }
            return CURLE_OK
        }
    }

    /// `CURLOPT_PREREQFUNCTION`: the connection is open, and the request is about to be sent. Called a second time if libcurl
    /// sends it again; see `Workarounds/SilentResend.swift`.
    static var prerequest: curl_prereq_callback {
        { context, remoteAddress, _, remotePort, localPort in
            guard let exchange = Exchange.behind(context) else { return ccurl_prereqfunc_abort }
            exchange.clock.lastActivity = LoopClock.now()
            if exchange.isExpectationRejected { return ccurl_prereqfunc_abort }
            if let remoteAddress {
                let ends = LoopConnections.Ends(remoteAddress: remoteAddress, ports: .init(remote: remotePort, local: localPort))
                exchange.sendings.isOnStaleConnection = exchange.isConnectionStale(ends)
                // Nothing was sent: the loop takes a fresh connection, whatever the method.
                if exchange.sendings.isOnStaleConnection { return ccurl_prereqfunc_abort }
            }
            guard exchange.sendings.count == 0 || exchange.mayResend() else { return ccurl_prereqfunc_abort }
            exchange.sendings.count += 1
            exchange.http2.beginSending()
            exchange.clock.sent = exchange.clock.lastActivity
            return ccurl_prereqfunc_ok
        }
    }
}

extension CurlHandle {
    /// Takes a line of the head or of the trailers. Returns the number of bytes taken; fewer than given end the exchange with
    /// `CURLE_WRITE_ERROR`.
    fileprivate func receive(line: UnsafeRawBufferPointer) -> Int {
        noteActivity()
        let kind = head.append(line)
        let failure = firstField.isOver ? nil : checkFirstField(isEnd: head.isComplete)
        // Most lines do not concern the exchange.
        if case .other = kind, failure == nil { return line.count }
        guard let exchange else { return 0 }
        if let failure { return exchange.stop(failure) }
        switch kind {
        case .other: return line.count
        case .tooLarge: return exchange.stop(.headTooLarge(limit: exchange.request.limits.responseHeadSize))
        case .tooMany: return exchange.stop(.tooManyHeadLines(limit: exchange.request.limits.headLines))
        // The following bytes belong to another protocol, and would be read as a body without an end.
        case .switching:
            let reason = "it switches protocols (101), which the kit does not follow (RFC 9110 §15.2.2)"
            return exchange.stop(.malformedResponse(reason: reason))
        case .status:
            // The server's status line is no proof: over HTTP/1.1 a cut body would pass for a stream that ended.
            if head.isMultiplexed, !exchange.isOverHTTP2 {
                return exchange.stop(.malformedResponse(reason: "a status line of HTTP/2 over HTTP/1.1"))
            }
            if exchange.clock.responded == 0 { exchange.clock.responded = exchange.clock.lastActivity }
            if exchange.ticket?.multiplexes != head.isMultiplexed {
                connections.note(exchange, multiplexes: head.isMultiplexed)
            }
            return line.count
        case .end: return endHead(of: exchange) ? line.count : 0
        }
    }

    /// The final head is complete. Returns whether libcurl continues with the body.
    private func endHead(of exchange: Exchange) -> Bool {
        exchange.noteConnection()
        exchange.noteEarlyHead(in: connections)
        if exchange.stream != nil {
            connections.withHead.append(exchange)
        } else if (300...399).contains(head.status), exchange.request.attempt.follows(status: head.status), head.namesLocation {
            let time = min(RawResponse.discardTime, exchange.request.request.timeout.idle)
            exchange.bodyEnd.redirectDue = exchange.clock.lastActivity + time.clampedNanoseconds
            connections.withHead.append(exchange)
        }
        if head.framing.isFaulty, !head.isMultiplexed { try? forbidReuse() }
        let mayMissEnd = head.status == 204 || head.status == 205 || head.framing.mayMissBodyEnd
        guard mayMissEnd, !exchange.isOverHTTP2 else { return true }
        do throws(TransportError) {
            try exchange.bodyEnd.find(for: exchange.request, self)
            return !exchange.bodyEnd.isDecided
        } catch {
            return exchange.stop(error) > 0
        }
    }

    /// Takes a piece of the body, as a line.
    fileprivate func receive(_ bytes: UnsafeMutablePointer<CChar>, count: Int) -> Int {
        guard let exchange, exchange.failure == nil else { return 0 }
        // A line that libcurl shows does not belong to the body.
        guard firstField.isOver else {
            guard firstField.mayKeep(UnsafeRawBufferPointer(start: bytes, count: count)) else {
                return exchange.stop(.malformedResponse(reason: ExchangeFailure.continuationFirst))
            }
            return count
        }
        let count = exchange.bodyEnd.remaining.map { Int(min(Int64(count), $0)) } ?? count
        let taken = bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
            deliver(UnsafeBufferPointer(start: $0, count: count), to: exchange)
        }
        guard taken == count else { return taken }
        exchange.bodyEnd.take(count)
        // libcurl would read on to the connection's end.
        return exchange.bodyEnd.isDecided ? 0 : count
    }

    private func deliver(_ bytes: UnsafeBufferPointer<UInt8>, to exchange: Exchange) -> Int {
        noteActivity()
        guard !connections.mustPauseForTurn(self, after: bytes.count) else { return ccurl_writefunc_pause }
        if let stream = exchange.stream {
            stream.isHeld = !stream.buffer.hasRoom()
            // libcurl keeps the piece, and hands it over again after the pause.
            guard !stream.isHeld else { return ccurl_writefunc_pause }
            stream.buffer.add(UnsafeRawBufferPointer(bytes))
            connections.noteChunk(of: stream)
            return bytes.count
        }
        let limit = exchange.bodyLimit
        do throws(TransportError) {
            let fits = try exchange.body.add(bytes, of: exchange.request, head, limit: limit, announced: announcedBytes)
            return fits ? bytes.count : exchange.stopBody(.responseTooLarge(limit: limit))
        } catch {
            return exchange.stopBody(error)
        }
    }
}

extension Exchange {
    /// The exchange that the handle behind a callback's context serves.
    static func behind(_ context: UnsafeMutableRawPointer?) -> Exchange? { CurlHandle.behind(context)?.exchange }

    /// Checks a connection that was used before. If it multiplexes, bytes may arrive at any time, but its end may not.
    fileprivate func isConnectionStale(_ ends: LoopConnections.Ends) -> Bool {
        guard let handle else { return false }
        let connections = handle.connections
        let isSecure = request.url.scheme == .https
        guard handle.number(CURLINFO_NUM_CONNECTS) == 0 else {
            let new = connections.claim(ends, of: route.sockets)
            if isSecure {
                (new.tls, new.isHTTP2) = (handle.openSSLSession.flatMap(TLSConnection.behind), handle.speaksHTTP2 == true)
            }
            route.connection = new
            return false
        }
        let connection = connections.connection(between: ends)
        route.connection = connection
        // Only the connection itself knows. The history of its host may belong to another connection, or be missing.
        let isHTTP2 = isSecure && handle.speaksHTTP2 ?? (ticket?.multiplexes == true)
        let isStale =
            connection.isMarkedForClose || connection.hasCloseNotify
            || (isHTTP2
                ? connection.hasSilentEnd : resendsOnOpenConnection || connection.hasUnreadBytes(isSecure ? handle : nil))
        // Rejecting the request alone would leave a bad HTTP/2 connection for the next request to find. libcurl reads this flag
        // when the exchange is over. Without it, each later request would find the connection unusable and open another.
        if isStale { try? handle.forbidReuse() }
        return isStale
    }

    /// Whether the connection negotiated HTTP/2; `true` if the kit cannot see that.
    fileprivate var isOverHTTP2: Bool {
        http2.hasResponded || (request.url.scheme == .https && handle?.speaksHTTP2 ?? true)
    }

    /// TLS's report at the end of the connection decides whether the body's end is a cut. The parser of the head decides whether
    /// there are chunks.
    fileprivate func noteConnection() {
        guard route.tls == nil, request.url.scheme == .https, let handle, handle.announcedBytes < 0,
            handle.speaksHTTP2 == false, let session = handle.openSSLSession
        else { return }
        route.tls = TLSConnection.behind(session)
    }

    /// Keeps the reason, and returns the value that makes libcurl end the exchange with `CURLE_WRITE_ERROR`.
    fileprivate func stop(_ reason: TransportError?) -> Int {
        failure = failure ?? reason
        // Further bytes would be read forever under the next request. libcurl reads this flag when it ends the exchange.
        try? handle?.forbidReuse()
        return 0
    }

    /// As ``stop(_:)``, for a body that is too large or cannot be decoded. A redirect leads on without it.
    fileprivate func stopBody(_ reason: TransportError) -> Int {
        guard bodyEnd.isRedirect else { return stop(reason) }
        bodyEnd.isDecided = true
        return stop(nil)
    }

    fileprivate var bodyLimit: Int { bodyEnd.isRedirect ? min(RawResponse.discardLimit, request.bodyLimit) : request.bodyLimit }
}

/// A body that is collected, and decoded while it arrives.
struct CollectedBody {
    var data = Data()
    /// Decodes the body's codings; `nil` before the body's first byte, and for a body without codings.
    private(set) var decoder: ContentDecoder?
    private var hasLookedForCoding = false

    /// Adds a piece. The limit is enforced here, because `CURLOPT_MAXFILESIZE` checks the announced size, and a few kilobytes of
    /// gzip can become gigabytes. Returns whether all bytes of a body without codings are within the limit.
    ///
    /// - Parameter announced: the `Content-Length`, or -1.
    mutating func add(
        _ bytes: UnsafeBufferPointer<UInt8>, of request: PreparedRequest, _ head: borrowing HeadCollector, limit: Int,
        announced: @autoclosure () -> Int64
    ) throws(TransportError) -> Bool {
        if !hasLookedForCoding {
            hasLookedForCoding = true
            if request.decodesContent, head.framing.mayNameCodings { decoder = try ContentDecoder(head: head.bytes) }
        }
        if data.isEmpty {
            let length = Int(clamping: max(0, announced()))
            // Nearly every API response arrives in one piece.
            if decoder == nil, length == bytes.count, length <= limit {
                data = Data(buffer: bytes)
                return true
            }
            // Never so much that a lying `Content-Length` costs more than a real response.
            data.reserveCapacity(min(length, request.bodyLimit, 8 * 1_024 * 1_024))
        }
        if let decoder {
            try decoder.decode(bytes, into: &data, limit: limit)
            return true
        }
        let room = max(0, limit - data.count)
        if let start = bytes.baseAddress { data.append(start, count: min(bytes.count, room)) }
        return bytes.count <= room
    }

    mutating func forgetDecoder() { (decoder, hasLookedForCoding) = (nil, false) }
}

/// Where a body ends.
struct BodyEnd {
    private(set) var taken: Int64 = 0
    /// Bytes still expected, if libcurl ignores the body's length.
    var remaining: Int64?
    /// Whether the kit ends the body, whatever libcurl still expects: all bytes are here, or the others are not wanted. libcurl's
    /// code then means nothing, and its handle serves no other exchange.
    var isDecided = false
    /// When a redirect's collected body is given up, if the call follows it: its body is not needed.
    var redirectDue = LoopClock.never
    /// Whether the call follows the response.
    var isRedirect: Bool { redirectDue != LoopClock.never }

    /// Counts bytes that libcurl has handed over, and ends the body after the last one expected.
    mutating func take(_ count: Int) {
        taken += Int64(count)
        guard let expected = remaining else { return }
        remaining = expected - Int64(count)
        isDecided = remaining == 0
    }
}
