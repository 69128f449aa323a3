internal import CoreAPIHTTP
public import Foundation

/// Why an exchange failed between the kit and the server.
public enum TransportError: Error, Sendable, LocalizedError {
    /// Name resolution found no address of the host.
    case cannotResolveHost(String)
    /// No address of the host accepts a connection.
    case cannotConnect(host: String, reason: String)
    /// A proxy failed: it could not be reached, rejected the connection, or asks for credentials (407, RFC 9110 §15.5.8).
    ///
    /// `host` has the proxy's port and no credentials; `source` is the variable that names the proxy, such as `https_proxy`;
    /// `status` is that of the proxy's own response. Credentials belong into it: `http://user:password@host:port`.
    case proxy(host: String, source: String, status: Int?, reason: String)
    /// The handshake failed, or ordinary certificate verification rejected the server.
    case tls(host: String, reason: String)
    /// No certificate of the server matches the environment's pins for it.
    case pinMismatch(host: String, reason: String)
    /// A clock ran out; see ``Timeout``.
    case timedOut(TimeoutPhase, after: Duration)
    /// The connection ended before a complete response.
    ///
    /// `mayHaveBeenProcessed` is true if the server may have acted on the request. Then the caller decides whether to repeat it.
    /// An HTTP/2 server may report that it did not process a request (RFC 9113 §8.7). The kit then sends it up to six times
    /// before this error, whatever its method; see ``ExchangeMetrics/resends``.
    case connectionLost(reason: String, mayHaveBeenProcessed: Bool)
    /// The body ended early; the response keeps the received part. Over TLS also a body that only the end of the connection
    /// ended, without `close_notify` (RFC 9112 §9.8).
    case truncated(received: Int64, expected: Int64?)
    /// The body has more bytes than ``Limits/responseBodySize``.
    case responseTooLarge(limit: Int)
    /// The response's head has more bytes than ``Limits/responseHeadSize``.
    case headTooLarge(limit: Int)
    /// The response's head has more lines than ``Limits/responseHeadLines``.
    case tooManyHeadLines(limit: Int)
    /// The channel rejects all addresses of the host; see ``Limits/rejectedAddresses``.
    case addressRejected(host: String)
    /// The response is not HTTP, breaks its rules, or is a part (206) or another protocol (101) that the request did not ask for.
    case malformedResponse(reason: String)
    /// The response is one redirect more than ``Limits/redirects``.
    case tooManyRedirects(limit: Int)
    /// A redirect that must not be followed: to a scheme other than http and https, to a malformed address, from https to http.
    case redirectRejected(to: String, reason: String)
    /// The queue holds ``Limits/queuedRequests`` requests already.
    case queueFull(limit: Int)
    /// The transport, or its libcurl, lacks a capability that the request needs.
    case unsupported(capability: String)
    /// The request's own body could not be read.
    case bodyUnreadable(any Error)
    /// The transport was closed before or while the request ran.
    case closed
    /// No fixture matches, or a fixture's file cannot be read.
    case fixture(FixtureError)
    /// Anything else that the library below the transport reports, libcurl's codes for ``CurlTransport``.
    case other(code: Int, message: String)

    /// Which clock ran out.
    public enum TimeoutPhase: String, Sendable {
        /// The clock of ``Timeout/connect``.
        case connect
        /// The clock of ``Timeout/idle``.
        case idle
        /// The clock of ``Timeout/total``.
        case total
    }

    /// A name for metrics, without any part of the request.
    public var label: String {
        switch self {
        case .cannotResolveHost: "cannotResolveHost"
        case .cannotConnect: "cannotConnect"
        case .proxy: "proxy"
        case .tls: "tls"
        case .pinMismatch: "pinMismatch"
        case .timedOut(let phase, _): "timedOut.\(phase.rawValue)"
        case .connectionLost: "connectionLost"
        case .truncated: "truncated"
        case .responseTooLarge: "responseTooLarge"
        case .headTooLarge: "headTooLarge"
        case .tooManyHeadLines: "tooManyHeadLines"
        case .addressRejected: "addressRejected"
        case .malformedResponse: "malformedResponse"
        case .tooManyRedirects: "tooManyRedirects"
        case .redirectRejected: "redirectRejected"
        case .queueFull: "queueFull"
        case .unsupported: "unsupported"
        case .bodyUnreadable: "bodyUnreadable"
        case .closed: "closed"
        case .fixture: "fixture"
        case .other(let code, _): "other.\(code)"
        }
    }

    public var errorDescription: String? {
        switch self {
        case .cannotResolveHost(let host): "the host '\(host)' is not known to DNS"
        case .cannotConnect(let host, let reason): "no connection to '\(host)': \(reason)"
        case .proxy(let host, let source, _, let reason): "the proxy '\(host)' (from \(source)) failed: \(reason)"
        case .tls(let host, let reason): "the TLS handshake with '\(host)' failed: \(reason)"
        case .pinMismatch(let host, let reason): "the certificate of '\(host)' matches none of its pins: \(reason)"
        case .timedOut(.connect, let limit): "no connection within \(limit)"
        case .timedOut(.idle, let limit): "no byte of a body and no whole line of a head sent or received for \(limit)"
        case .timedOut(.total, let limit): "the call was not finished within \(limit)"
        case .connectionLost(let reason, let ambiguous):
            "the connection ended early: \(reason)" + (ambiguous ? "; the server may have processed the request" : "")
        case .truncated(let received, let expected):
            "the body ended early: expected \(expected.map { "\($0) bytes" } ?? "the end of its chunks or its coding"), got \(received) bytes"
        case .responseTooLarge(let limit): "the body is larger than the channel's limit of \(limit) bytes"
        case .headTooLarge(let limit): "the response's head and trailers are larger than the channel's limit of \(limit) bytes"
        case .tooManyHeadLines(let limit): "the response's head and trailers have more lines than the channel's limit of \(limit)"
        case .addressRejected(let host):
            "'\(host)' is at an address that the channel does not connect to (Limits.rejectedAddresses)"
        case .malformedResponse(let reason): "the response breaks the protocol: \(reason)"
        case .tooManyRedirects(let limit): "more than \(limit) redirects in a row"
        case .redirectRejected(let address, let reason): "the redirect to '\(address)' is rejected: \(reason)"
        case .queueFull(let limit): "\(limit) requests are waiting already; this one was rejected"
        case .unsupported(let capability): "not supported: \(capability)"
        case .bodyUnreadable(let error): "the request's body cannot be read: \(error.readableDescription)"
        case .closed: "the transport is closed"
        case .fixture(let error): error.readableDescription
        case .other(let code, let message): "error \(code) of the transport's library: \(message)"
        }
    }
}

/// Why there is no response from a fixture.
public enum FixtureError: Error, Sendable, LocalizedError {
    /// No folder or file has this name.
    case notFound(name: String, searched: [String], available: [String])
    /// A file that is no fixture; `line` is the first line that is wrong.
    case unreadable(file: String, line: Int, reason: String)
    /// No fixture matches the request.
    case unmatched(request: String, available: [String], nearest: String?)

    public var errorDescription: String? {
        switch self {
        case .notFound(let name, let searched, let available):
            "no fixtures named '\(name)' in \(searched.joined(separator: ", ")); available: \(list(available))"
        case .unreadable(let file, let line, let reason): "the fixture \(file), line \(line), cannot be read: \(reason)"
        case .unmatched(let request, let available, let nearest):
            "no fixture answers \(request)" + (nearest.map { "; the nearest is \($0)" } ?? "") + "; available: \(list(available))"
        }
    }

    private func list(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }
}
