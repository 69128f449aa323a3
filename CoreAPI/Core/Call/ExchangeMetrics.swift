public import CoreAPIHTTP

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
    /// How often the transport itself sent the request again, because its connection had ended before the first byte of an
    /// answer. ``CurlTransport`` does that once for an idempotent request, and up to five times for any request whose stream an
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
    /// a length, and over HTTP/2 without a length if nghttp2 is not a shared library, so that the transport cannot see
    /// END_STREAM.
    public var isEndAnnounced: Bool?
    /// The addresses that redirects led to, in order.
    public var redirects: [HTTPURL] = []
    /// Makes metrics without any time, for a transport to fill in.
    public init() {}
}
