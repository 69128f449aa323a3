public import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes
internal import Synchronization

/// Sends requests over HTTP/1.1 and HTTP/2 with the system's libcurl.
///
/// One transport owns its connections, their limits and its queue; each channel has its own. The threads belong to a
/// ``LoopGroup``, which serves the channels in turn, so that no channel starves another.
///
/// It sends one hop: middleware handles redirects, cookies and credentials. It decodes compressed bodies. After a lost connection
/// it repeats a request only if that is safe (RFC 9110 §9.2.2).
///
/// A call that streams its body uses HTTP/1.1, because libcurl does not bound the memory of a paused HTTP/2 stream. It uses
/// separate connections, because libcurl may mix up the answers on shared ones. Each of the two groups of connections has the
/// channel's ``Limits``.
///
/// The way of an exchange: `CurlAttempt` (below) makes a `PreparedRequest` and its `Exchange`. The `ConnectionPool` asks
/// its `HostQueue` whether it may start, and posts it to a `Loop`. On the loop's thread `LoopRun`, in Loop.swift, hands it to the
/// pool's `PoolWorker`, which starts it or lets it wait in the queue. The worker sets its options on a `CurlHandle`
/// (Exchange+Options.swift) and adds it to its `CurlMulti`. libcurl passes head and body to `CurlCallbacks`. The worker ends
/// the exchange and resumes the task, where `CurlAttempt` reads the response.
///
/// A server may send an HTTP/1.1 answer before any request. If it arrives before the next request is sent, the transport detects
/// it and closes the connection. If it arrives later, it looks like the answer to that request (RFC 9112 §9.3): a server can
/// always lie to its clients.
///
/// ```swift
/// let transport = CurlTransport()
/// let channel = Channel(name: "Shop", environment: environment, transport: transport)
/// await channel.close()
/// ```
///
/// A transport that is released without ``close()`` closes its connections by itself, a little later. The process may exit
/// before.
///
/// Every trust (``ServerTrustManager``) has its own connections: a connection made under one set of authorities, pins and keys
/// never serves another. So does every set of limits on connections (``Limits``). If a channel's trust or limits are replaced,
/// the transport closes the old connections as soon as no request uses them.
public final class CurlTransport: Transport {
    /// `nil` for the limits of each channel.
    private let limits: Limits?
    private let loops: LoopGroup
    let library: CurlLibrary
    private let pools = Mutex(Pools())

    /// What a pool is for. Copies of a channel that reject different addresses keep their own connections.
    private struct Use: Hashable {
        let channel: String
        let streamsBodies: Bool
        let rejected: AddressClass
    }

    /// The number of uses beyond which those without a running request are forgotten. Each may keep connections open.
    private static let uses = 100

    private struct Pools {
        var all: [ConnectionPool] = []
        /// Pools that close their last connections.
        var retiring: [ConnectionPool] = []
        /// The pool of each use. A changed trust or limit replaces it.
        var current: [Use: ConnectionPool] = [:]
        /// The channel of the last request and its pool. Most requests have the same channel, so its trust is rarely compared
        /// again.
        var recent: (channel: Int, pool: ConnectionPool)?
        var isClosed = false

        /// Forgets the uses of pools without a running request, if there are many: a client may have a tenant for each call.
        mutating func forgetIdle() {
            guard current.count >= CurlTransport.uses else { return }
            current = current.filter { $0.value.users.load(ordering: .relaxed) > 0 }
        }

        /// Removes pools that have neither a channel nor a running request.
        mutating func removeRetired() -> [ConnectionPool] {
            let retired = all.filter { pool in
                pool.users.load(ordering: .relaxed) == 0 && !current.values.contains { $0 === pool }
            }
            guard !retired.isEmpty else { return [] }
            all.removeAll { pool in retired.contains { $0 === pool } }
            retiring = retiring.filter(\.isRunning) + retired
            return retired
        }
    }

    /// Makes a transport. Starts no thread and opens no connection yet.
    ///
    /// - Parameters:
    ///   - limits: limits on connections and queue, for each trust; `nil`, the default, for those of the sending channel. The
    ///     limits of a response are always those of the request's own channel.
    ///   - loops: the threads that serve it.
    public init(limits: Limits? = nil, loops: LoopGroup = .shared) {
        self.limits = limits
        self.loops = loops
        library = .linked
    }

    /// - Parameter library: the libcurl to use, as linked or with fewer capabilities.
    package init(limits: Limits? = nil, loops: LoopGroup = .shared, library: CurlLibrary) {
        self.limits = limits
        self.loops = loops
        self.library = library
    }

    deinit {
        for pool in pools.withLock({ $0.all }) { pool.abandon() }
    }

    public func send(_ attempt: Attempt) async -> RawResponse {
        if case .stream = attempt.request.body, let rejection = await library.rejection(ofEmptyStream: attempt) {
            return rejection
        }
        let exchange = CurlAttempt(attempt: attempt, library: library)
        switch begin(exchange, connectsOnly: false) {
        case .failure(let error): return attempt.failed(error)
        case .success(let (pool, exchange)):
            await pool.perform(exchange)
            return end(exchange, exchange, pool)
        }
    }

    public func isolatedCopy() -> any Transport { CurlTransport(limits: limits, loops: loops, library: library) }

    public func close() async {
        let all = pools.withLock { pools in
            pools.isClosed = true
            return pools.all + pools.retiring
        }
        for pool in all { await pool.close() }
    }

    func begin(_ exchange: CurlAttempt, connectsOnly: Bool) -> Result<(ConnectionPool, Exchange), APIClientError> {
        let attempt = exchange.attempt
        let isDedicated = connectsOnly || library.needsDedicatedConnections(attempt)
        guard let (pool, isNew) = take(for: attempt.call.prepared, streamsBodies: isDedicated) else {
            return .failure(.transport(.closed, ErrorContext(attempt.request)))
        }
        if isNew { for warning in attempt.call.channel.warnings { attempt.warn(warning) } }
        let prepared = exchange.prepare(connectsOnly: connectsOnly)
        if case .failure = prepared { giveBack(pool) }
        return prepared.map { (pool, $0) }
    }

    private func end(_ exchange: CurlAttempt, _ exchange: Exchange, _ pool: ConnectionPool) -> RawResponse {
        exchange.read(exchange) { self.giveBack(pool) }
    }

    /// The pool of a channel's trust and limits, and whether this is its first use.
    private func take(for shared: PreparedChannel, streamsBodies: Bool) -> (ConnectionPool, isNew: Bool)? {
        let mode = shared.channel.environment.serverTrustManager.pins.currentMode
        let (found, retired) = pools.withLock { pools -> ((ConnectionPool, Bool)?, [ConnectionPool]) in
            guard !pools.isClosed else { return (nil, []) }
            if let (recent, pool) = pools.recent, recent == shared.number, pool.pinMode == mode,
                pool.streamsBodies == streamsBodies
            {
                pool.users.add(1, ordering: .relaxed)
                return ((pool, false), [])
            }
            let trust = shared.channel.environment.serverTrustManager
            let rejected = shared.channel.limits.rejectedAddresses
            let limits = ConnectionLimits(limits ?? shared.channel.limits)
            let use = Use(channel: shared.channel.name, streamsBodies: streamsBodies, rejected: rejected)
            defer { pools.recent = pools.current[use].map { (shared.number, $0) } }
            let serves = { (pool: ConnectionPool) in
                pool.trust == trust && pool.rejected == rejected && pool.pinMode == mode && pool.limits == limits
                    && pool.streamsBodies == streamsBodies
            }
            if let pool = pools.current[use], serves(pool) {
                pool.users.add(1, ordering: .relaxed)
                return ((pool, false), [])
            }
            let known = pools.all.first(where: serves)
            let pool =
                known
                ?? ConnectionPool(
                    trust: trust, rejected: rejected, pinMode: mode, streamsBodies: streamsBodies, limits: limits, loops: loops,
                    library: library)
            if known == nil {
                pools.all.append(pool)
                pools.forgetIdle()
            }
            pools.current[use] = pool
            pool.users.add(1, ordering: .relaxed)
            return ((pool, known == nil), pools.removeRetired())
        }
        for pool in retired { pool.abandon() }
        return found
    }

    func giveBack(_ pool: ConnectionPool) {
        let retired = pools.withLock { pools in
            let users = pool.users.subtract(1, ordering: .relaxed).newValue
            // A pool that a channel uses, as almost always, needs no search.
            return users == 0 && pools.all.count > 1 ? pools.removeRetired() : []
        }
        for pool in retired { pool.abandon() }
    }
}

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
            guard !Task.isCancelled else { throw .cancelled(ErrorContext(request)) }
            guard library.can(.tls) || request.url.scheme == .http else {
                throw .transport(.unsupported(capability: "https (a libcurl with TLS)"), ErrorContext(request))
            }
            let remaining = ContinuousClock.now.duration(to: request.deadline)
            guard remaining > .zero else {
                throw .transport(.timedOut(.total, after: request.timeout.total), ErrorContext(request))
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
        let context = { ErrorContext(attempt.request, head: head, body: data) }
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
            attempt.notify { $0.pinMismatch(CallEvent.Mismatched(attempt: attempt, mismatch: mismatch)) }
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
        var body = BodyStream(length: length, ChunkSource(isReplayable: false, open: reader.open))
        body.isDecoded = decoder != nil
        return .stream(body)
    }

    /// Reads the head, and checks what only the head reveals.
    private func readHead(
        of exchange: Exchange, into result: inout ResponseHeadParser.Parsed?
    ) -> (ResponseHead?, TransportError?) {
        guard !exchange.outcome.head.isEmpty else {
            // libcurl reports success for an HTTP/2 connection that ends in the orderly way before the answer.
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
                        "a Content-Length of \(expected) and a Exchange-Encoding without chunks that ended after "
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

// MARK: - For tests

extension CurlTransport {
    private var allPools: [ConnectionPool] { pools.withLock { $0.all } }

    /// The number of pools: one for each trust, and for each set of its limits.
    package var poolCount: Int { allPools.count }
    /// Exchanges that libcurl works on.
    package var activeExchanges: Int { allPools.reduce(0) { $0 + $1.active.load(ordering: .acquiring) } }
    /// Exchanges that wait until they may start.
    package var queuedExchanges: Int { allPools.reduce(0) { $0 + $1.queued.load(ordering: .acquiring) } }
    /// Whether a thread holds an exchange or a connection of the transport.
    package var isRunning: Bool { pools.withLock { $0.all + $0.retiring }.contains(where: \.isRunning) }
}
