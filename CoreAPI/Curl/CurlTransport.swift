public import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPITrust
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
/// separate connections, because libcurl may mix up the responses on shared ones. Each of the two groups of connections has the
/// channel's ``Limits``.
///
/// A server may send an HTTP/1.1 response before any request. If it arrives before the next request is sent, the transport
/// detects it and closes the connection. If it arrives later, it looks like the response to that request (RFC 9112 §9.3): a
/// server can always lie to its clients.
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
        let rejected: Limits.AddressClass
    }

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

        /// Makes a pool. If there are many, those without a running request are forgotten: a client may have a tenant for each
        /// call, and each may keep connections open.
        mutating func add(_ kind: PoolKind, _ loops: LoopGroup, _ library: CurlLibrary) -> ConnectionPool {
            let pool = ConnectionPool(kind, loops: loops, library: library)
            all.append(pool)
            if current.count >= 100 { current = current.filter { $0.value.users.load(ordering: .relaxed) > 0 } }
            return pool
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
    public convenience init(limits: Limits? = nil, loops: LoopGroup = .shared) {
        self.init(limits: limits, loops: loops, library: .linked)
    }

    /// - Parameter library: the libcurl to use, as linked or with fewer capabilities.
    package init(limits: Limits? = nil, loops: LoopGroup = .shared, library: CurlLibrary) {
        self.limits = limits
        self.loops = loops
        self.library = library
    }

    deinit { for pool in pools.withLock({ $0.all }) { pool.abandon() } }

    public func send(_ attempt: Attempt) async -> RawResponse {
        if case .stream = attempt.request.body, let rejection = await attempt.rejectionOfEmptyStream() {
            return rejection
        }
        switch begin(attempt, connectsOnly: false) {
        case .failure(let error): return attempt.failed(error)
        case .success(let (pool, exchange)):
            await pool.perform(exchange)
            return exchange.response { self.giveBack(pool) }
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

    /// Takes a pool, and makes the exchange that its loop gets.
    func begin(_ attempt: Attempt, connectsOnly: Bool) -> Result<(ConnectionPool, Exchange), APIClientError> {
        let isDedicated = connectsOnly || attempt.needsDedicatedConnections
        guard let (pool, isNew) = take(for: attempt.call.prepared, streamsBodies: isDedicated) else {
            return .failure(.transport(.closed, APIClientError.Context(attempt.request)))
        }
        if isNew { for warning in attempt.call.channel.warnings { attempt.warn(warning) } }
        let prepared = Result { () throws(APIClientError) in try prepare(attempt, connectsOnly: connectsOnly) }
        if case .failure = prepared { giveBack(pool) }
        return prepared.map { (pool, $0) }
    }

    private func prepare(_ attempt: Attempt, connectsOnly: Bool) throws(APIClientError) -> Exchange {
        let request = attempt.request
        guard !Task.isCancelled else { throw .cancelled(APIClientError.Context(request)) }
        guard library.can(.tls) || request.url.scheme == .http else {
            throw .transport(.unsupported(capability: "https (a libcurl with TLS)"), APIClientError.Context(request))
        }
        let remaining = ContinuousClock.now.duration(to: request.deadline)
        guard remaining > .zero else {
            throw .transport(.timedOut(.total, after: request.timeout.total), APIClientError.Context(request))
        }
        let deadline = LoopClock.now() + remaining.clampedNanoseconds
        return Exchange(try PreparedRequest(attempt, deadline: deadline, library, connectsOnly: connectsOnly))
    }

    /// The pool of a channel's trust and limits, and whether this is its first use.
    private func take(for shared: PreparedChannel, streamsBodies: Bool) -> (ConnectionPool, isNew: Bool)? {
        let mode = shared.channel.environment.serverTrustManager.pins.currentMode
        let (found, retired) = pools.withLock { pools -> ((ConnectionPool, Bool)?, [ConnectionPool]) in
            guard !pools.isClosed else { return (nil, []) }
            if let (recent, pool) = pools.recent, recent == shared.number, pool.kind.pinMode == mode,
                pool.kind.streamsBodies == streamsBodies
            {
                pool.users.add(1, ordering: .relaxed)
                return ((pool, false), [])
            }
            let rejected = shared.channel.limits.rejectedAddresses
            let kind = PoolKind(
                trust: shared.channel.environment.serverTrustManager, rejected: rejected, pinMode: mode,
                streamsBodies: streamsBodies, limits: ConnectionLimits(limits ?? shared.channel.limits))
            let use = Use(channel: shared.channel.name, streamsBodies: streamsBodies, rejected: rejected)
            let current = pools.current[use]
            let known = current?.kind == kind ? current : pools.all.first { $0.kind == kind }
            let pool = known ?? pools.add(kind, loops, library)
            pool.users.add(1, ordering: .relaxed)
            pools.current[use] = pool
            pools.recent = (shared.number, pool)
            return ((pool, known == nil), pool === current ? [] : pools.removeRetired())
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

// MARK: - The response

extension Exchange {
    /// The response of an exchange that has ended, or whose head has arrived. The loop supplies only the bytes.
    ///
    /// - Parameter release: gives the pool back; called when no more bytes follow.
    fileprivate func response(release: @escaping @Sendable () -> Void) -> RawResponse {
        let attempt = request.attempt
        // Moved out instead of copied: no other code reads the exchange again.
        var data = Data()
        swap(&data, &outcome.body)
        var (parsed, cause) = readHead()
        var body = outcome.isStreamed ? Body.none : .bytes(data)
        var interimAndTrailers = outcome.interimAndTrailers
        if let parsed, cause == nil {
            if outcome.isStreamed {
                do throws(TransportError) {
                    let late = interimAndTrailers ?? InterimAndTrailers()
                    body = try streamedBody(parsed, late, release)
                    interimAndTrailers = late
                } catch {
                    cause = error
                }
            } else {
                cause = parsed.endError(outcome.bytesOfBody(announced: parsed.contentLength), outcome.isEndAnnounced)
                outcome.metrics?.isEndAnnounced =
                    !parsed.hasBody || parsed.contentLength != nil || parsed.isChunked || outcome.isEndAnnounced == true
            }
        }
        if outcome.isStreamed, cause != nil { stream?.buffer.abandon() }
        if case .stream = body {} else { release() }
        notifyMismatches()
        let failure: APIClientError?
        let context = { APIClientError.Context(attempt.request, head: parsed?.head, body: data) }
        switch outcome.end {
        case .cancelled: failure = .cancelled(context())
        // With two different lengths, the head's error explains more than that the body is shorter than one of them.
        case .failed(.truncated) where cause != nil, .complete: failure = cause.map { .transport($0, context()) }
        case .failed(let error): failure = .transport(error, context())
        }
        let raw = RawResponse(attempt, head: parsed?.head, body: body, failure: failure, metrics: outcome.metrics)
        return interimAndTrailers.map { raw.with($0) } ?? raw
    }

    func notifyMismatches() {
        for mismatch in outcome.pinMismatches { request.attempt.notify(.pinMismatch(request.attempt, mismatch)) }
    }

    private func streamedBody(
        _ parsed: ResponseHeadParser.Parsed, _ interimAndTrailers: InterimAndTrailers, _ release: @escaping @Sendable () -> Void
    ) throws(TransportError) -> Body {
        guard let stream else { return .none }
        if !parsed.hasBody { outcome.metrics?.bytesReceived = 0 }
        let isCoded = request.decodesContent && parsed.hasBody && parsed.namesCodings
        let decoder = isCoded ? try ContentDecoder(head: outcome.head) : nil
        let reader = StreamReader(
            request.attempt, parsed, stream, decoder: decoder, interimAndTrailers: interimAndTrailers,
            totalAtHead: outcome.metrics?.total ?? .zero, release: release)
        let length = decoder == nil && parsed.hasBody ? parsed.contentLength : nil
        var body = Body.Stream(length: length, ChunkSource(isReplayable: false, open: reader.open))
        body.isDecoded = decoder != nil
        return .stream(body)
    }

    private func readHead() -> (ResponseHeadParser.Parsed?, TransportError?) {
        guard !outcome.head.isEmpty else {
            // libcurl reports success for an HTTP/2 connection that ends in the orderly way before the response.
            let reason = "it ended before the response's head was complete"
            return (nil, .connectionLost(reason: reason, mayHaveBeenProcessed: !request.isIdempotent))
        }
        var parsed: ResponseHeadParser.Parsed
        do throws(TransportError) {
            parsed = try ResponseHeadParser.parse(outcome.head, lines: outcome.framing, isHEAD: request.method == "HEAD")
        } catch {
            return (nil, error)
        }
        let hasBytes = outcome.isStreamed || outcome.metrics?.bytesReceived ?? 0 > 0
        if request.decodesContent, hasBytes, parsed.hasBody, parsed.namesCodings {
            let codings = ContentDecoder.codings(in: parsed.head.headers[values: .contentEncoding])
            if !codings.known.isEmpty {
                // These fields describe the encoded bytes, which the caller does not see.
                parsed.head.headers[.contentEncoding] = codings.unknown.isEmpty ? nil : codings.unknown.joined(separator: ", ")
                parsed.head.headers[.contentLength] = nil
            }
            if let unknown = codings.unknown.last?.shortened().escapingControls {
                request.attempt.warn("the content coding '\(unknown)' is not known; the body is as it came")
            }
        }
        return (parsed, headError(parsed.head))
    }

    private func headError(_ head: ResponseHead) -> TransportError? {
        // In clear text only a proxy answers 407 (RFC 9110 §15.5.8). A proxy that tunnels rejects before there is a head.
        if head.status.code == 407, request.url.scheme == .http, let proxy = request.proxy {
            let reason = proxy.hasCredentials ? "it rejects the credentials" : "it asks for credentials"
            return .proxy(host: proxy.host, source: proxy.source, status: 407, reason: reason)
        }
        // Asked here first, because a request by value is copied.
        return head.status.code == 206 ? head.partError(to: request.request) : nil
    }
}

extension ResponseHeadParser.Parsed {
    /// Why a body that ended is not complete; `nil` if it is. libcurl detects most cut bodies itself.
    func endError(_ received: Int64, _ isEndAnnounced: Bool?) -> TransportError? {
        guard hasBody else { return nil }
        if let expected = contentLength, received < expected {
            guard namesIdentity else { return .truncated(received: received, expected: expected) }
            let reason = "a Content-Length of \(expected) and a Transfer-Encoding without chunks that ended after"
            return .malformedResponse(reason: "\(reason) \(received) bytes (RFC 9112 §6.3)")
        }
        // If only the end of the connection or the stream delimits the body, an intended end is announced (RFC 9112 §9.8, 9113
        // §8.1).
        let isCut = contentLength == nil && !isChunked && isEndAnnounced == false
        return isCut ? .truncated(received: received, expected: nil) : nil
    }
}

// MARK: - For tests

extension CurlTransport {
    private var allPools: [ConnectionPool] { pools.withLock { $0.all } }
    package var poolCount: Int { allPools.count }
    /// Those that libcurl works on, and those that wait until they may start.
    package var activeExchanges: Int { allPools.reduce(0) { $0 + $1.active.load(ordering: .acquiring) } }
    package var queuedExchanges: Int { allPools.reduce(0) { $0 + $1.queued.load(ordering: .acquiring) } }
    /// Whether a thread holds an exchange or a connection of the transport.
    package var isRunning: Bool { pools.withLock { $0.all + $0.retiring }.contains(where: \.isRunning) }
}
