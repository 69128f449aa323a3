internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// Makes a call an upgrade to WebSocket (RFC 6455 §4): each attempt opens a connection through the channel's transport, and sends
/// the request on it.
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

    /// In bytes, because a field may have any charset, and a cookie declares none.
    private static func head(of request: Request) throws(RequestError) -> Data {
        var lines = [Array("GET \(request.url.target) HTTP/1.1".utf8)]
        func add(_ name: String, _ value: some Sequence<UInt8>) { lines.append(Array("\(name): ".utf8) + value) }
        if !request.headers.contains(where: { $0.name.canonicalName == "host" }) { add("Host", request.url.authority.utf8) }
        if request.headers[.userAgent] == nil { add("User-Agent", Kit.userAgent.utf8) }
        for field in request.headers where !notSent.contains(field.name) {
            field.withUnsafeBytesOfValue { add(field.name.rawName, $0) }
        }
        let cookies = request.headers[fields: .cookie].map { $0.withUnsafeBytesOfValue { Array($0) } }
        if !cookies.isEmpty { add("Cookie", cookies.joined(separator: "; ".utf8)) }
        for line in lines where line.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) {
            let name = String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).escapingControls
            throw .malformedHeader(name: name, reason: "it holds CR, LF or NUL, which would end it early (RFC 9110 §5.5)")
        }
        return Data((lines + [[], []]).joined(separator: "\r\n".utf8))
    }

    private static let notSent: Set<HTTPField.Name> = [.cookie, .contentLength, .transferEncoding]

    private func exchange(
        _ attempt: Attempt, _ head: Data, over connection: any RawConnection, _ key: String, _ options: WebSocket.Options
    ) async -> RawResponse {
        let request = attempt.request
        let clock = HandshakeClock(request, connection)
        var reader = ResponseReader(
            attempt.call.channel.limits, discardsBody: { attempt.bodyLimit(of: $0).isDiscarded }
        ) { try await clock.limit { try await connection.read() } }
        var metrics = connection.metrics
        let began = ContinuousClock.now
        func measure() {
            metrics?.total = (connection.metrics?.total ?? .zero) + began.duration(to: .now)
            metrics?.bytesReceived = Int64(reader.body.count)
        }
        do {
            try await clock.limit { try await connection.write(head) }
            let response = try await reader.read()
            metrics?.firstByte = began.duration(to: .now)
            metrics?.httpVersion = "HTTP/1.1"
            measure()
            guard response.head.status.code == 101 else {
                connection.close()
                return RawResponse(attempt, head: readable(response.head), body: .bytes(reader.body), metrics: metrics)
            }
            let agreement = try Handshake.check(response.head.headers, key: key, options)
            let upgraded = UpgradedConnection(connection, response.rest, agreement)
            return RawResponse(attempt, head: response.head, body: Body(upgraded), metrics: metrics)
        } catch {
            connection.close()
            measure()
            let head = reader.head.map(readable)
            let failure = APIClientError(error, APIClientError.Context(request, head: head, body: reader.body))
            return RawResponse(attempt, head: head, body: .bytes(reader.body), failure: failure, metrics: metrics)
        }
    }

    /// A redirect may name a `ws:` or `wss:` address, which has the origin of the `http:` or `https:` one (RFC 6455 §3).
    private func readable(_ head: ResponseHead) -> ResponseHead {
        guard head.headers[.location] != nil else { return head }
        var head = head
        // One by one: joined to one address, two of them would be followed.
        head.headers[fields: .location] = head.headers[fields: .location].map { field in
            let address = field.value.withHTTPScheme
            return address == field.value ? field : HTTPField(name: .location, value: address)
        }
        return head
    }
}

/// The call's clocks, for the steps of a handshake.
private final class HandshakeClock: Sendable {
    private let request: Request
    private let connection: any RawConnection
    /// The timeout of any step.
    private let expired = Mutex<TransportError?>(nil)

    init(_ request: Request, _ connection: any RawConnection) { (self.request, self.connection) = (request, connection) }

    /// Ends the connection if a step takes longer than the call's timeouts allow.
    func limit<Value>(_ step: () async throws -> Value) async throws -> Value {
        let (left, timeout) = (ContinuousClock.now.duration(to: request.deadline), request.timeout)
        let clock = Task {
            try await Task.sleep(for: min(left, timeout.idle))
            expired.withLock {
                $0 = left < timeout.idle ? .timedOut(.total, after: timeout.total) : .timedOut(.idle, after: timeout.idle)
            }
            connection.close()
        }
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await step())
        } catch {
            outcome = .failure(error)
        }
        // The clock may have fired just now: then the connection is closed, also after a step that succeeded.
        clock.cancel()
        _ = await clock.result
        if let error = expired.withLock({ $0 }) { throw error }
        return try outcome.get()
    }
}

/// A connection after its handshake. Some of its bytes may be in a buffer already.
final class UpgradedConnection: RawConnection {
    let agreement: Handshake.Agreement
    private let connection: any RawConnection
    private let rest: Mutex<Data>

    init(_ connection: any RawConnection, _ rest: Data, _ agreement: Handshake.Agreement) {
        (self.connection, self.agreement) = (connection, agreement)
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

extension Body {
    /// The bytes of a connection after its response switched protocols (101).
    init(_ connection: any RawConnection) {
        let source = ChunkSource(isReplayable: false, connection: connection) { { try await connection.read() } }
        self = .stream(Body.Stream(length: nil, source))
    }
}

extension String {
    /// Replaces `ws:` and `wss:` by `http:` and `https:` (RFC 6455 §3); any other text is unchanged.
    package var withHTTPScheme: String {
        let start = prefix(6).lowercased()
        if start == "wss://" { return "https://" + dropFirst(6) }
        return start.hasPrefix("ws://") ? "http://" + dropFirst(5) : self
    }
}

/// Reads a server's response to an upgrade from a connection: a head and, unless the response switches protocols, a body (RFC
/// 9112). Strict: unknown syntax is an error.
struct ResponseReader {
    struct Parsed {
        let head: ResponseHead
        /// The bytes after a 101, which belong to the new protocol.
        let rest: Data
    }

    private(set) var head: ResponseHead?
    /// The bytes of the body so far.
    private(set) var body = Data()
    private let discardsBody: (ResponseHead) -> Bool
    private let next: () async throws -> Data?
    private let limits: Limits
    private var pending: [UInt8] = []
    /// Of all heads so far: interim responses must have an end, too.
    private var (headSize, headLines) = (0, 0)

    /// A body that is not needed, such as that of a followed redirect, is not read.
    init(
        _ limits: Limits, discardsBody: @escaping (ResponseHead) -> Bool = { _ in false },
        _ next: @escaping () async throws -> Data?
    ) { (self.limits, self.discardsBody, self.next) = (limits, discardsBody, next) }

    mutating func read() async throws -> Parsed {
        while true {
            let head = try await readHead()
            let code = head.status.code
            if code == 101 || code >= 200 { self.head = head }
            if code == 101 { return Parsed(head: head, rest: Data(pending)) }
            // Interim responses precede the final one (RFC 9110 §15.2).
            guard code >= 200 else { continue }
            if code != 204, code != 304, !discardsBody(head) { try await readBody(head.headers) }
            return Parsed(head: head, rest: Data())
        }
    }

    private var headTooLarge: TransportError { .headTooLarge(limit: limits.responseHeadSize) }
    private var tooLarge: TransportError { .responseTooLarge(limit: limits.responseBodySize) }
    private static func malformed(_ reason: String) -> TransportError { .malformedResponse(reason: reason.escapingControls) }

    private mutating func readHead() async throws -> ResponseHead {
        var lines: [[UInt8]] = []
        while true {
            let line = try await readLine(atMost: limits.responseHeadSize - headSize, else: headTooLarge)
            headSize += line.count + 2
            guard headSize <= limits.responseHeadSize else { throw headTooLarge }
            if line.isEmpty { break }
            headLines += 1
            guard headLines <= limits.responseHeadLines else {
                throw TransportError.tooManyHeadLines(limit: limits.responseHeadLines)
            }
            lines.append(line)
        }
        guard let first = lines.first, let status = Self.status(first) else {
            throw Self.malformed("expected a status line of HTTP/1.1 (RFC 9112 §4)")
        }
        guard !first.contains(0), !first.contains(0x0D) else {
            throw Self.malformed("the status line has a NUL or CR (RFC 9112 §2.2)")
        }
        guard status.code != 101 || first.starts(with: "HTTP/1.1 ".utf8) else {
            throw Self.malformed("it switches protocols in another version than HTTP/1.1 (RFC 9110 §7.8)")
        }
        var fields = HTTPFields()
        for line in lines.dropFirst() { fields.append(try Self.field(line)) }
        return ResponseHead(status: status, headers: fields)
    }

    private static func status(_ line: [UInt8]) -> HTTPResponse.Status? {
        let digits = line.dropFirst("HTTP/1.1 ".utf8.count).prefix { $0 != 0x20 }
        guard line.starts(with: "HTTP/1.1 ".utf8) || line.starts(with: "HTTP/1.0 ".utf8), digits.count == 3,
            digits.allSatisfy(\.isDigit), let code = Int(String(decoding: digits, as: UTF8.self)), code >= 100
        else { return nil }
        return HTTPResponse.Status(code: code)
    }

    private static func field(_ line: [UInt8]) throws -> HTTPField {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { throw malformed("expected a header line with a name (RFC 9112 §5)") }
        guard !line.contains(0), !line.contains(0x0D) else {
            throw malformed("the field \(name) has a NUL or CR (RFC 9110 §5.5)")
        }
        var value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        return HTTPField(name: name, lenientValue: value)
    }

    private mutating func readBody(_ fields: HTTPFields) async throws {
        if let coding = fields[.transferEncoding] {
            guard coding.lowercased() == "chunked", fields[.contentLength] == nil else {
                throw Self.malformed("expected 'chunked' as coding, found '\(coding.shortened(to: 100))' (RFC 9112 §6.1)")
            }
            return try await readChunks()
        }
        guard let text = fields[.contentLength] else { return try await readToEnd() }
        guard text.utf8.allSatisfy(\.isDigit), let length = Int(text) else {
            throw Self.malformed("expected a number as Content-Length, found '\(text.shortened(to: 100))'")
        }
        guard length <= limits.responseBodySize else { throw tooLarge }
        try await take(length, of: Int64(length))
    }

    private mutating func readChunks() async throws {
        while true {
            let long = Self.malformed("a chunk's size has more than 1,024 bytes")
            let line = try await readLine(atMost: 1_024, else: long, after: body.count)
            let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self).trimmingHTTPWhitespace()
            // `Int` takes a sign, too.
            guard digits.allSatisfy(\.isHexDigit), let size = Int(digits, radix: 16) else {
                throw Self.malformed("expected a number as a chunk's size (RFC 9112 §7.1)")
            }
            if size == 0 { return }
            guard size <= limits.responseBodySize - body.count else { throw tooLarge }
            try await take(size, of: nil)
            let longer = Self.malformed("a chunk is longer than its size")
            guard try await readLine(atMost: 2, else: longer, after: body.count).isEmpty else { throw longer }
        }
    }

    private mutating func readMore() async throws -> Bool {
        let bytes = try await next()
        pending += bytes ?? Data()
        return bytes != nil
    }

    private mutating func readToEnd() async throws {
        repeat {
            takePending(atMost: limits.responseBodySize - body.count)
            guard pending.isEmpty else { throw tooLarge }
        } while try await readMore()
    }

    private mutating func take(_ count: Int, of expected: Int64?) async throws {
        let end = body.count + count
        takePending(atMost: count)
        while body.count < end {
            guard try await readMore() else { throw TransportError.truncated(received: Int64(body.count), expected: expected) }
            takePending(atMost: end - body.count)
        }
    }

    private mutating func takePending(atMost count: Int) {
        let piece = pending.prefix(count)
        body += piece
        pending.removeFirst(piece.count)
    }

    /// Reads a line, and drops its end. `received` counts the bytes of the body so far, outside the head.
    private mutating func readLine(
        atMost limit: Int, else error: TransportError, after received: Int? = nil
    ) async throws -> [UInt8] {
        var searched = 0
        while true {
            if let end = pending[searched...].firstIndex(of: 0x0A) {
                // As below, so that it does not matter how the bytes arrive.
                guard end <= limit else { throw error }
                var line = Array(pending[..<end])
                pending.removeFirst(end + 1)
                if line.last == 0x0D { line.removeLast() }
                return line
            }
            searched = pending.count
            guard searched <= limit else { throw error }
            guard try await readMore() else {
                if let received { throw TransportError.truncated(received: Int64(received), expected: nil) }
                throw WebSocketSession.lost("it ended before the response's head was complete")
            }
        }
    }
}
