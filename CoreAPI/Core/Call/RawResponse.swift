public import CoreAPIHTTP
public import Foundation
public import HTTPTypes

/// The result of an attempt: head, body and times, or a failure with everything that had arrived. Immutable.
///
/// Every ``Transport`` and every ``Middleware`` returns one. A ``Response`` has the decoded value besides.
public final class RawResponse: Sendable {
    /// The call that the response belongs to.
    public let call: Call
    /// The attempt as it was sent; after redirects, the one before the first of them. ``ExchangeMetrics/redirects`` has the
    /// addresses. `nil` when the request could not be built.
    public let attempt: Attempt?
    /// Status and fields; `nil` if no head arrived.
    public let head: ResponseHead?
    /// The body, decompressed: bytes for a call that wants it whole, a stream for a call that reads it as it arrives.
    public let body: Body
    /// Why the attempt failed. Only call middleware sees a rejected status or a decoding error here.
    public let failure: APIClientError?
    /// The cost of the exchange. Until a streamed body ends, it is the cost up to the head.
    public var metrics: ExchangeMetrics? {
        guard var metrics = metricsOfHead, let rest = interimAndTrailers?.streamed else { return metricsOfHead }
        metrics.bytesReceived = rest.received
        metrics.total += rest.afterHead
        return metrics
    }
    private let metricsOfHead: ExchangeMetrics?
    /// How far the body was decoded. An attempt's own failure stays here, whatever error replaces it later.
    let reading: Reading
    /// The attempts that redirects led to, in order, each as it was sent.
    let hops: [Attempt]
    /// `nil` for almost every response.
    let interimAndTrailers: InterimAndTrailers?

    enum Reading: Sendable {
        case unread
        /// Unread, and a middleware has failed it for a reason that the body does not hold.
        case unreadable
        case value(any Sendable)
        case failed(APIClientError)
        /// A hook supplied the value although the attempt had failed.
        case resolved(any Sendable, after: APIClientError)
    }

    /// The response that a transport returns, with what arrived of it; `failure` is the reason why it is not complete. See
    /// ``Attempt/failed(_:stage:)`` for a failure without a head.
    public convenience init(
        _ attempt: Attempt, head: ResponseHead? = nil, body: Body = .none, failure: APIClientError? = nil,
        metrics: ExchangeMetrics? = nil
    ) { self.init(call: attempt.call, attempt: attempt, head: head, body: body, failure: failure, metrics: metrics) }

    init(
        call: Call, attempt: Attempt? = nil, head: ResponseHead? = nil, body: Body = .none, failure: APIClientError? = nil,
        metrics: ExchangeMetrics? = nil, reading: Reading = .unread, hops: [Attempt] = [],
        interimAndTrailers: InterimAndTrailers? = nil
    ) {
        (self.call, self.attempt, self.head, self.body, self.failure) = (call, attempt, head, body, failure)
        (metricsOfHead, self.reading, self.hops, self.interimAndTrailers) = (metrics, reading, hops, interimAndTrailers)
    }

    convenience init(_ call: Call, failure: APIClientError) { self.init(call: call, failure: failure, reading: .failed(failure)) }
    /// Bytes that are read as a response although no request was sent.
    convenience init(_ call: Call, parsing data: Data) { self.init(call: call, body: .bytes(data)) }

    /// Status, or `nil` when no head arrived.
    public var status: Int? { head?.status.code }
    /// The request of the attempt, or `nil` if no attempt was made.
    public var request: Request? { attempt?.request }
    /// The body's bytes; empty for a streamed body.
    public var data: Data { if case .bytes(let data) = body { data } else { Data() } }
    /// The heads before the final one, such as a 103 with links (RFC 8297). A 100 is not among them.
    public var informational: [ResponseHead] { interimAndTrailers?.informational ?? [] }
    /// The fields after the body (RFC 9110 §6.5); `nil` without any, and for a streamed body before its end was read.
    public var trailers: HTTPFields? { interimAndTrailers?.trailers }
    /// The same response with another head. A response that was decoded is verified and decoded again.
    public func with(head: ResponseHead?) -> RawResponse { copy(head: head, reading: readAgain) }
    /// The same response with another body. A response that was decoded is verified and decoded again.
    public func with(body: Body) -> RawResponse { copy(body: body, reading: readAgain) }
    private var readAgain: Reading? { if case .value = reading { .unread } else { nil } }
    package func with(_ interimAndTrailers: InterimAndTrailers) -> RawResponse { copy(interimAndTrailers: interimAndTrailers) }
    /// The same response as a failure.
    public func failed(_ failure: APIClientError) -> RawResponse { copy(failure: failure) }

    var attempts: [Attempt.Outcome] {
        guard let attempt else { return [] }
        switch reading {
        case .unread, .unreadable: return attempt.earlier
        case .value: return attempt.earlier + [outcome(attempt, nil)]
        case .failed(let error), .resolved(_, let error): return attempt.earlier + [outcome(attempt, error)]
        }
    }

    private func outcome(_ attempt: Attempt, _ error: APIClientError?) -> Attempt.Outcome {
        Attempt.Outcome(
            number: attempt.earlier.count + 1, status: status, error: error, metrics: metrics, delay: attempt.delay)
    }

    /// The same response as a failure whose reason its body does not hold, such as a failed token refresh after a 401. The
    /// channel's filter does not look at it, because it would read the rejection's error from the body.
    package func failed(instead error: any Error) -> RawResponse {
        copy(failure: APIClientError(error, APIClientError.Context(self), stage: APIClientError.app), reading: .unreadable)
    }

    func copy(
        call: Call? = nil, attempt: Attempt?? = nil, head: ResponseHead?? = nil, body: Body? = nil,
        failure: APIClientError?? = nil, metrics: ExchangeMetrics?? = nil, reading: Reading? = nil, hops: [Attempt]? = nil,
        interimAndTrailers: InterimAndTrailers? = nil
    ) -> RawResponse {
        RawResponse(
            call: call ?? self.call, attempt: attempt ?? self.attempt, head: head ?? self.head, body: body ?? self.body,
            failure: failure ?? self.failure, metrics: metrics ?? metricsOfHead, reading: reading ?? self.reading,
            hops: hops ?? self.hops, interimAndTrailers: interimAndTrailers ?? self.interimAndTrailers)
    }

    /// Discards the body of a response that is not handed on. It reads a small rest, so that the connection can be reused, and
    /// abandons a large one, or one that takes more than a second. The returned response has the bytes that were read.
    // Not inlined: four instants of its deadline would lie in the frame of each call.
    @inline(never)
    @discardableResult
    package func discardBody() async -> RawResponse {
        guard case .stream = body else { return self }
        return copy(body: .bytes(await body.gather(upTo: Self.discardLimit, until: min(deadline, .now + Self.discardTime)).0))
    }

    /// The bytes that are read of a body that is not needed, and for how long.
    package static var discardLimit: Int { 65_536 }
    package static var discardTime: Duration { .seconds(1) }

    /// The same response with its whole body in memory, within the channel's limit and the call's deadline, or for at most
    /// `time`. A failure keeps the bytes before it. A response that has failed keeps its failure.
    func collected(within time: Duration? = nil) async -> RawResponse {
        guard !body.isInMemory else { return self }
        let limit = call.channel.limits.responseBodySize
        let (data, end) = await body.gather(upTo: limit, until: time.map { min(deadline, .now + $0) } ?? deadline)
        let collected = copy(body: .bytes(data))
        guard failure == nil, let end else { return collected }
        let error: any Error =
            switch end {
            case BodyError.tooLarge: TransportError.responseTooLarge(limit: limit)
            case is Body.DeadlinePassed: TransportError.timedOut(.total, after: request?.timeout.total ?? .zero)
            default: end
            }
        return collected.failed(APIClientError(error, APIClientError.Context(collected)))
    }

    private var deadline: ContinuousClock.Instant { request?.deadline ?? call.started + Timeout().total }
}

/// Status and header fields of a response.
public struct ResponseHead: Sendable, Hashable {
    /// The status code and its reason.
    public var status: HTTPResponse.Status
    private var fields: Fields

    /// The header fields. Parsed on first access.
    public var headers: HTTPFields {
        get { fields.value }
        set { fields = Fields(newValue) }
    }

    /// Makes a head from its parts.
    public init(status: HTTPResponse.Status, headers: HTTPFields = [:]) {
        self.status = status
        fields = Fields(headers)
    }

    /// Makes a head whose fields `read` parses on first access.
    package init(status: HTTPResponse.Status, bytes: [UInt8], read: @escaping @Sendable ([UInt8]) -> HTTPFields) {
        self.status = status
        fields = Fields(bytes, read)
    }

    public static func == (one: ResponseHead, other: ResponseHead) -> Bool {
        one.status == other.status && one.headers == other.headers
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(headers)
    }

    /// Why a part (206) is not the one that the request asked for; `nil` for any other head. A transport must reject such a part:
    /// its bytes would be taken for the complete resource, or appended at the wrong offset.
    package func partError(to request: Request) -> TransportError? {
        guard status.code == 206 else { return nil }
        guard let range = request.headers[.range] else {
            return .malformedResponse(
                reason: "expected the whole resource, found a part (206); the request has no Range (RFC 9110 §15.3.7)")
        }
        // Several ranges come as parts with a `Content-Range` each (§15.3.7.2).
        if mediaType?.essence == "multipart/byteranges" { return nil }
        guard let found = headers[.contentRange] else {
            return .malformedResponse(reason: "a part (206) without Content-Range (RFC 9110 §15.3.7.1)")
        }
        guard let asked = range.firstByte, asked != found.firstByte else { return nil }
        return .malformedResponse(
            reason: "expected the part from byte \(asked), found Content-Range '\(found.shortened(to: 100).escapingControls)'")
    }

    /// The media type of the body: the last readable one of all `Content-Type` lines, by the Fetch standard; `nil` without one.
    public var mediaType: MediaType? { MediaType(headers) }
}

/// Header fields, or their unparsed bytes. Most calls read no field, and parsing a field costs some 4,000 instructions.
private final class Fields: Sendable {
    private enum State {
        case read(HTTPFields)
        case unread([UInt8], @Sendable ([UInt8]) -> HTTPFields)
    }

    private let state: Mutex<State>

    init(_ fields: HTTPFields) { state = Mutex(.read(fields)) }
    init(_ bytes: [UInt8], _ read: @escaping @Sendable ([UInt8]) -> HTTPFields) { state = Mutex(.unread(bytes, read)) }

    var value: HTTPFields {
        state.withLock { state in
            switch state {
            case .read(let fields): return fields
            case .unread(let bytes, let read):
                let fields = read(bytes)
                state = .read(fields)
                return fields
            }
        }
    }
}

extension String {
    /// The first byte of a range, in `Range` or `Content-Range` (RFC 9110 §14.1.2, §14.4); `nil` for a range that counts from the
    /// end, for several ranges, and for other units.
    fileprivate var firstByte: Int64? {
        let text = lowercased()
        guard text.hasPrefix("bytes"), !text.contains(Character(",")) else { return nil }
        return Int64(text.dropFirst("bytes".count).drop { " =\t".contains($0) }.prefix { ("0"..."9").contains($0) })
    }
}

/// What a response has besides its head and body. A streamed body brings its trailers and its size when its end is read.
package final class InterimAndTrailers: Sendable {
    /// A streamed body, as known at its end: the bytes that arrived, before decompression, and the time since the head.
    package typealias Streamed = (received: Int64, afterHead: Duration)

    package let informational: [ResponseHead]
    private let late: Mutex<(trailers: HTTPFields?, streamed: Streamed?)>

    package init(informational: [ResponseHead] = [], trailers: HTTPFields? = nil) {
        self.informational = informational
        late = Mutex((trailers, nil))
    }

    package var trailers: HTTPFields? {
        get { late.withLock { $0.trailers } }
        set { late.withLock { $0.trailers = newValue } }
    }

    package var streamed: Streamed? {
        get { late.withLock { $0.streamed } }
        set { late.withLock { $0.streamed = newValue } }
    }
}

/// The cost of one attempt on the wire. If redirects were followed, DNS, TCP, TLS and first byte are those of the last exchange.
/// An exchange that middleware repeated, as with a new token, is not included.
public struct ExchangeMetrics: Sendable, Hashable {
    /// From joining the kit's queue to leaving it.
    public var queued: Duration = .zero
    /// DNS; `nil` when the connection was reused (`CURLINFO_NAMELOOKUP_TIME`).
    public var nameLookup: Duration?
    /// TCP; `nil` when the connection was reused (`CURLINFO_CONNECT_TIME` less name lookup).
    public var connect: Duration?
    /// TLS; `nil` when the connection was reused or clear text (`CURLINFO_APPCONNECT_TIME` less connect).
    public var tls: Duration?
    /// From the request's first byte to the response's first byte (`CURLINFO_STARTTRANSFER_TIME` less pretransfer).
    public var firstByte: Duration?
    /// The whole attempt on the wire, redirects included, without the time in the queue. For a streamed body it is the time until
    /// the head; after the body's end ``RawResponse/metrics`` has the whole time.
    public var total: Duration = .zero
    /// Request body bytes sent.
    public var bytesSent: Int64 = 0
    /// Response body bytes received, before decompression; `nil` if they are not known, as for a streamed body before its end was
    /// read (``RawResponse/metrics`` then has them, without those of redirects).
    public var bytesReceived: Int64?
    /// Whether an open connection served the exchange.
    public var isConnectionReused = false
    /// How often the transport itself sent the request again, because its connection had ended before the first byte of a
    /// response. ``CurlTransport`` does that once for an idempotent request, and up to five times for any request whose stream an
    /// HTTP/2 server rejects, because that server has done nothing (RFC 9113 §8.7).
    public var resends = 0
    /// `HTTP/1.1`, `HTTP/2` …
    public var httpVersion: String?
    /// The address of the server or the proxy, as numbers (`CURLINFO_PRIMARY_IP`).
    public var remoteAddress: String?
    /// The port at that address (`CURLINFO_PRIMARY_PORT`).
    public var remotePort: Int?
    /// Whether the server marked the end of the body: by a length, a last chunk, HTTP/2's END_STREAM or TLS's `close_notify`.
    /// `nil` without a response, for a streamed body, and if the transport does not know.
    ///
    /// `false` if the body ended only with its connection or its stream, so that a cut looks like its end: in clear text without
    /// a length, and over HTTP/2 without a length if nghttp2 is no shared library, which hides END_STREAM.
    public var isEndAnnounced: Bool?
    /// The addresses that redirects led to, in order.
    public var redirects: [HTTPURL] = []
    /// Makes metrics without any time, for a transport to fill in.
    public init() {}
}
