internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// Makes a call an upgrade to WebSocket (RFC 6455 §4): each attempt opens a connection through the channel's transport,
/// and sends the request on it.
struct Upgrade: TransportModifier {
    let options: WebSocket.Options

    func transport(over transport: any Transport) -> any Transport { UpgradeTransport(base: transport, options: options) }
}

/// Sends an attempt as an upgrade. The body of a 101 is the connection. Any other response is complete, so redirects, refreshed
/// credentials and error filters work as for any call.
private struct UpgradeTransport: Transport {
    let base: any Transport
    let options: WebSocket.Options

    var reachesNetwork: Bool { base.reachesNetwork }

    func send(_ attempt: Attempt) async -> RawResponse {
        do {
            guard let base = base as? any ConnectingTransport else {
                let name = "\(type(of: base))"
                throw TransportError.unsupported(capability: "a WebSocket through \(name), which opens no connections")
            }
            let key = Handshake.key()
            let options = try Handshake.options(options, of: attempt.request.headers)
            let sent = try prepare(attempt, key, options)
            let head = try Self.head(of: sent.request)
            return await exchange(sent, head, over: try await base.connect(sent), key, options)
        } catch {
            return attempt.failed(error)
        }
    }

    /// The attempt with the fields of the handshake. A subprotocol of its own is among the options.
    private func prepare(_ attempt: Attempt, _ key: String, _ options: WebSocket.Options) throws -> Attempt {
        guard attempt.request.method == .get, attempt.request.body.isNone else {
            throw TransportError.unsupported(
                capability: "a WebSocket opened by \(attempt.request.method) or with a body; it is opened by GET (RFC 6455 §4.1)")
        }
        let offer = try Handshake.offer(options, key: key)
        return attempt.with { request in
            request.headers[.secWebSocketProtocol] = nil
            for field in offer { request.headers[field.name] = field.value }
        }
    }

    // MARK: - The request

    /// The request's bytes.
    private static func head(of request: Request) throws(RequestError) -> Data {
        var lines = ["GET \(request.url.target) HTTP/1.1"]
        if !request.headers.contains(where: { $0.name.canonicalName == "host" }) {
            lines.append("Host: \(request.url.authority)")
        }
        if request.headers[.userAgent] == nil { lines.append("User-Agent: \(Kit.userAgent)") }
        for field in request.headers where !notSent.contains(field.name) { lines.append("\(field.name.rawName): \(field.value)") }
        let cookies = request.headers[values: .cookie]
        if !cookies.isEmpty { lines.append("Cookie: \(cookies.joined(separator: "; "))") }
        for line in lines where line.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) {
            let name = String(line.prefix { $0 != ":" }).escapingControls
            throw .malformedHeader(name: name, reason: "it holds CR, LF or NUL, which would end it early (RFC 9110 §5.5)")
        }
        return Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private static let notSent: Set<HTTPField.Name> = [.cookie, .contentLength, .transferEncoding]

    // MARK: - The response

    private func exchange(
        _ attempt: Attempt, _ head: Data, over connection: any RawConnection, _ key: String, _ options: WebSocket.Options
    ) async -> RawResponse {
        let clock = AnswerClock(attempt.request, connection)
        var reader = AnswerReader(
            attempt.call.channel.limits, discardsBody: { attempt.bodyLimit(of: $0).isDiscarded }
        ) { try await clock.run { try await connection.read() } }
        var metrics = connection.metrics
        let began = ContinuousClock.now
        do {
            try await clock.run { try await connection.write(head) }
            let answer = try await reader.read()
            metrics?.firstByte = began.duration(to: .now)
            metrics?.total += began.duration(to: .now)
            metrics?.httpVersion = "HTTP/1.1"
            guard answer.head.status.code == 101 else {
                connection.close()
                metrics?.bytesReceived = Int64(answer.body.count)
                return RawResponse(attempt, head: readable(answer.head), body: .bytes(answer.body), metrics: metrics)
            }
            let agreement = try Handshake.check(answer.head.headers, key: key, options)
            let upgraded = UpgradedConnection(connection, answer.rest, agreement)
            return RawResponse(attempt, head: answer.head, body: Body(upgraded), metrics: metrics)
        } catch {
            connection.close()
            let head = reader.head.map(readable)
            let failure = APIClientError(error, APIClientError.Context(attempt.request, head: head))
            return RawResponse(attempt, head: head, failure: failure, metrics: metrics)
        }
    }

    /// A redirect may name a `ws:` or `wss:` address, which has the origin of the `http:` or `https:` one (RFC 6455 §3).
    private func readable(_ head: ResponseHead) -> ResponseHead {
        guard head.headers[.location] != nil else { return head }
        var head = head
        // One by one: joined to one address, two of them would be followed.
        head.headers[values: .location] = head.headers[values: .location].map(\.withHTTPScheme)
        return head
    }
}

/// Ends a connection if a step takes longer than the call's timeouts allow.
private struct AnswerClock: Sendable {
    private let request: Request
    private let connection: any RawConnection

    init(_ request: Request, _ connection: any RawConnection) {
        self.request = request
        self.connection = connection
    }

    func run<Value>(_ step: () async throws -> Value) async throws -> Value {
        let left = ContinuousClock.now.duration(to: request.deadline)
        let isTotal = left < request.timeout.idle
        let isOver = Mutex(false)
        let clock = Task { [connection] in
            try await Task.sleep(for: isTotal ? left : request.timeout.idle)
            isOver.withLock { $0 = true }
            connection.close()
        }
        defer { clock.cancel() }
        do {
            return try await step()
        } catch {
            guard isOver.withLock({ $0 }) else { throw error }
            throw isTotal
                ? TransportError.timedOut(.total, after: request.timeout.total)
                : TransportError.timedOut(.idle, after: request.timeout.idle)
        }
    }
}

/// A connection after its handshake. Some of its bytes may be in a buffer already.
final class UpgradedConnection: RawConnection {
    let agreement: Handshake.Agreement
    private let connection: any RawConnection
    private let rest: Mutex<Data>

    init(_ connection: any RawConnection, _ rest: Data, _ agreement: Handshake.Agreement) {
        self.agreement = agreement
        self.connection = connection
        self.rest = Mutex(rest)
    }

    /// A server must not take an open socket that no app got, or kept, for a lost one.
    deinit {
        connection.finish(with: FrameWriter(role: .client).close(.normal, "")) {}
        connection.close()
    }

    var metrics: ExchangeMetrics? { connection.metrics }

    func read() async throws -> Data? {
        let rest = rest.withLock { rest in
            defer { rest = Data() }
            return rest
        }
        return rest.isEmpty ? try await connection.read() : rest
    }

    func write(_ data: Data) async throws { try await connection.write(data) }

    func finish(with last: Data, sent: @escaping @Sendable () -> Void) { connection.finish(with: last, sent: sent) }

    func close() { connection.close() }
}

extension String {
    /// Replaces `ws:` and `wss:` by `http:` and `https:` (RFC 6455 §3); any other text is unchanged.
    package var withHTTPScheme: String {
        let start = prefix(6).lowercased()
        if start == "wss://" { return "https://" + dropFirst(6) }
        return start.hasPrefix("ws://") ? "http://" + dropFirst(5) : self
    }
}
