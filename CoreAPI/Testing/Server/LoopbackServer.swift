internal import Foundation

/// A scripted server on 127.0.0.1, for HTTP/1.1 and HTTP/2, with and without TLS. It does exactly what a test says, including
/// what no decent server would do.
///
/// It uses real sockets, so a client under test goes through its real connect, send, receive and close. Every server has its own
/// port and shares no state, so parallel tests do not see each other.
///
/// ```swift
/// let server = try LoopbackServer.start(script: [.resetBeforeHead, .json(#"{"id":1}"#)])
/// defer { server.close() }
/// // the call under test goes to server.url and is expected to try twice
/// #expect(server.requests.count == 2)
/// ```
///
/// A request is read to its end (both `Content-Length` and chunked bodies; `Expect: 100-continue` is answered) before its reply
/// is chosen. The connection then stays open for the next request unless the reply closes it, or the request asked for that.
///
/// Each connection has its own thread with a small stack: for up to some hundreds of connections at a time. Beyond that, the
/// process first reaches its limit of open files, two per connection.
public final class LoopbackServer: Sendable {
    /// The port the server listens on.
    public let port: UInt16
    /// The settings that a client of the server trusts and shows; nil in clear text.
    public let tls: ServerTLS?
    private let address: LoopbackAddress
    private let engine: ServerEngine

    private init(on address: LoopbackAddress, port: UInt16, _ settings: ServerSettings) throws(LoopbackServerError) {
        engine = try ServerEngine(settings)
        let listener = try ListeningSocket(on: address, port: port)
        (self.address, tls, self.port) = (address, settings.tls, listener.port)
        engine.start(listener)
    }

    deinit { close() }

    /// Starts a server that asks a function for each reply.
    ///
    /// - Parameters:
    ///   - address: the address to listen on; 127.0.0.1 by default.
    ///   - tls: the TLS settings, which include HTTP/2; nil for clear text, with HTTP/2 for a client that begins with it.
    ///   - faults: the faults of requests; none by default.
    ///   - onConnect: played as soon as a connection is accepted, before TLS and before reading; empty by default. `[.stall]`
    ///     holds a TLS handshake, `[.reset]` drops the connection at once.
    ///   - port: the port to listen on; 0 takes any free one.
    ///   - answersEarly: whether a reply over HTTP/2 begins after half of the request's body; by default after the whole body.
    ///   - bodyLimit: how many bytes of a request's body the server keeps. It reads the rest and drops it;
    ///     ``ReceivedRequest/bodyLength`` counts all. No limit by default.
    ///   - keepsRequests: whether ``requests`` has every request, the default. A server that runs for long should keep none. Then
    ///     ``requests`` is empty, and ``waitForRequests(_:timeout:)`` times out.
    ///   - handler: called once for each completely read request (with `answersEarly`, half read), on that connection's or
    ///     stream's thread. It may block; then it delays only its own connection, over HTTP/2 only its own stream.
    /// - Throws: ``LoopbackServerError/systemCall(_:code:)`` if the port is taken or the process has no descriptors left,
    ///   ``LoopbackServerError/missing(function:)`` if TLS needs OpenSSL and it is not loaded.
    public static func start(
        on address: LoopbackAddress = .ipv4, tls: ServerTLS? = nil, faults: FaultPlan = .none, onConnect: ServerReply = [],
        port: UInt16 = 0, answersEarly: Bool = false, bodyLimit: Int = .max, keepsRequests: Bool = true,
        _ handler: @escaping @Sendable (ReceivedRequest) -> ServerReply
    ) throws(LoopbackServerError) -> LoopbackServer {
        let settings = ServerSettings(
            tls: tls, faults: faults, onConnect: onConnect, answersEarly: answersEarly, bodyLimit: bodyLimit,
            keepsRequests: keepsRequests
        ) { request, _ in
            handler(request)
        }
        return try LoopbackServer(on: address, port: port, settings)
    }

    /// Starts a server that plays one reply after another, in the order in which requests were completely read, on any
    /// connection. A request beyond the script is answered with a 500 that explains it.
    /// `script` has the replies, first to last. The other parameters are those of
    /// ``start(on:tls:faults:onConnect:port:answersEarly:bodyLimit:keepsRequests:_:)``, which also says what is thrown.
    public static func start(
        script: [ServerReply], tls: ServerTLS? = nil, faults: FaultPlan = .none, onConnect: ServerReply = [], port: UInt16 = 0
    ) throws(LoopbackServerError) -> LoopbackServer {
        let settings = ServerSettings(tls: tls, faults: faults, onConnect: onConnect) { request, turn in
            turn < script.count ? script[turn] : .scriptRanOut(after: script.count, at: request)
        }
        return try LoopbackServer(on: .ipv4, port: port, settings)
    }

    /// Starts a server that accepts every connection and then neither reads nor writes, so that a TLS handshake hangs. For a
    /// connection that is never accepted see ``StalledListener``.
    ///
    /// - Throws: ``LoopbackServerError/systemCall(_:code:)`` if the process has no descriptors left.
    public static func startSilent() throws(LoopbackServerError) -> LoopbackServer {
        try start(onConnect: [.stall]) { _ in .closeWithoutReply }
    }

    /// The server's base URL, without a final slash: `http://127.0.0.1:PORT`, with TLS `https://localhost:PORT`.
    public var url: String { if let tls { "https://\(tls.host):\(port)" } else { "http://\(address.host):\(port)" } }
    /// Every request of which at least one byte was read, in the order in which reading ended. Incomplete and malformed requests
    /// are included, with the reason in ``ReceivedRequest/error``.
    public var requests: [ReceivedRequest] { engine.ledger.value.requests }
    /// How many connections were accepted so far.
    public var connectionsAccepted: Int { engine.ledger.value.accepted }
    /// How many connections ended in their TLS handshake.
    public var handshakesFailed: Int { engine.ledger.value.failedHandshakes }
    /// How many accepted connections the server has not closed yet.
    public var openConnections: Int { engine.ledger.value.open }
    /// The largest number of connections that were open at the same time.
    public var peakConnections: Int { engine.ledger.value.peak }

    /// Waits until at least `count` requests were read, and returns all read requests.
    ///
    /// - Throws: ``LoopbackServerError/timedOut(_:)`` if they do not arrive in time, ``LoopbackServerError/closed(_:)`` if the
    ///   server is closed meanwhile, `CancellationError` if the task is cancelled.
    @discardableResult
    public func waitForRequests(_ count: Int, timeout: Duration = .seconds(5)) async throws -> [ReceivedRequest] {
        try await wait(timeout, for: "\(count) requests") { $0.requests.count >= count }.requests
    }

    /// Waits until at least `count` connections were accepted since the start; throws as ``waitForRequests(_:timeout:)``.
    public func waitForConnections(_ count: Int, timeout: Duration = .seconds(5)) async throws {
        _ = try await wait(timeout, for: "\(count) accepted connections") { $0.accepted >= count }
    }

    /// Waits until at most `count` connections are open; with 0, until the client has closed all of them. Closing the server
    /// closes all connections, too.
    ///
    /// - Throws: ``LoopbackServerError/timedOut(_:)`` if they stay open, `CancellationError` if the task is cancelled.
    public func waitForOpenConnections(atMost count: Int, timeout: Duration = .seconds(5)) async throws {
        _ = try await wait(timeout, for: "at most \(count) open connections", endsWithServer: false) { $0.open <= count }
    }

    /// Closes the listener and every connection, cuts waits and stalls short, and returns when the server's threads are done.
    ///
    /// It does not wait longer than five seconds for a handler that blocks; a call from inside a handler does not wait at all. A
    /// second call does nothing. A released server closes itself.
    public func close() { engine.close() }
    /// Closes the listener, and each connection as soon as it has no exchange; returns when the server's threads are done.
    ///
    /// A client sees the orderly end: GOAWAY over HTTP/2, TLS's `close_notify`, FIN. Exchanges that take longer than `grace` are
    /// cut, as ``close()`` does. After ``close()`` it does nothing.
    public func stop(within grace: Duration) async { await engine.stop(within: grace) }

    private func wait(
        _ timeout: Duration, for what: String, endsWithServer: Bool = true,
        until condition: @escaping @Sendable (ServerLedger) -> Bool
    ) async throws -> ServerLedger {
        let isMet = try await engine.ledger.wait(timeout) { condition($0) || (endsWithServer && $0.isClosed) }
        let ledger = engine.ledger.value
        let report = "waited for \(what); \(ledger.summary)"
        guard isMet else { throw LoopbackServerError.timedOut("\(report), after \(timeout)") }
        guard condition(ledger) || !endsWithServer else { throw LoopbackServerError.closed(report) }
        return ledger
    }
}

/// A failure of the loopback server itself, as opposed to one that a test asked for.
public enum LoopbackServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A call to the operating system failed: its name, and its `errno`.
    case systemCall(String, code: Int32)
    /// An expected event did not happen in time; the text says what was expected and what happened.
    case timedOut(String)
    /// The server was closed during a wait; the text says what was expected and what happened.
    case closed(String)
    /// The server needs a function of a library that this process has not loaded. TLS and certificates need libcurl's OpenSSL,
    /// HTTP/2 its nghttp2.
    case missing(function: String)
    /// OpenSSL rejected a request; the text names it.
    case rejectedByOpenSSL(String)

    /// The error as text.
    public var description: String {
        switch self {
        case .systemCall(let name, let code): "\(name) failed: \(String(cString: strerror(code))) (errno \(code))"
        case .timedOut(let report): "timed out: \(report)"
        case .closed(let report): "the server was closed: \(report)"
        case .missing(let function): "\(function) is in no library that this process has loaded"
        case .rejectedByOpenSSL(let what): "OpenSSL rejected \(what)"
        }
    }

    /// The failure of the last call on this thread.
    static func last(_ name: String) -> LoopbackServerError { .systemCall(name, code: errno) }
}
