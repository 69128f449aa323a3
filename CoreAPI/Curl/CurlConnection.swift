internal import CCurl
public import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

extension CurlTransport: ConnectingTransport {
    /// Opens a connection through libcurl (`CURLOPT_CONNECT_ONLY`), over TLS for `https`, with HTTP/1.1 as its protocol (ALPN).
    /// It counts as a connection of a call that streams its body. No other exchange shares it.
    public func connect(_ attempt: Attempt) async throws(APIClientError) -> any RawConnection {
        let (pool, exchange) = try begin(attempt, connectsOnly: true).get()
        await pool.perform(exchange)
        return try exchange.connection { self.giveBack(pool) }
    }
}

extension Exchange {
    /// - Parameter release: gives the pool back; called when the connection is released.
    fileprivate func connection(release: @escaping @Sendable () -> Void) throws(APIClientError) -> CurlConnection {
        notifyMismatches()
        if let connection = CurlConnection(self, release: release) { return connection }
        release()
        switch outcome.end {
        case .failed(let error): throw .transport(error, APIClientError.Context(request.request))
        case .cancelled, .complete: throw .cancelled(APIClientError.Context(request.request))
        }
    }
}

/// The task's half of a connection; the loop's half is ``RawSocket``.
final class CurlConnection: RawConnection {
    let metrics: ExchangeMetrics?
    private let exchange: Exchange
    private let stream: CurlBodyStream
    private let toSend: ChunkBuffer
    private let release: @Sendable () -> Void

    /// - Returns: `nil` if the exchange has no connection.
    init?(_ exchange: Exchange, release: @escaping @Sendable () -> Void) {
        guard let stream = exchange.stream, let toSend = stream.toSend, exchange.outcome.isStreamed else { return nil }
        self.exchange = exchange
        self.stream = stream
        self.toSend = toSend
        self.release = release
        metrics = exchange.outcome.metrics
    }

    deinit {
        close()
        release()
    }

    func read() async throws -> Data? {
        if let chunk = try await stream.buffer.next() { return chunk }
        try checkEnd()
        return nil
    }

    func write(_ data: Data) async throws {
        guard !data.isEmpty else { return }
        do {
            try await toSend.push(data)
        } catch {
            try Task.checkCancellation()
            try checkEnd()
            throw TransportError.connectionLost(reason: "its server has closed it", mayHaveBeenProcessed: false)
        }
    }

    func finish(with last: Data, sent: @escaping @Sendable () -> Void) { toSend.finish(after: last, taken: sent) }

    /// Throws the reason of an end that is not orderly.
    private func checkEnd() throws {
        guard let end = stream.outcome else { throw CancellationError() }
        switch end.end {
        case .cancelled: throw CancellationError()
        case .failed(let error): throw error
        case .complete:
            guard exchange.request.url.scheme == .https, end.isEndAnnounced == false else { return }
            throw TransportError.connectionLost(reason: "it ended without TLS's close_notify", mayHaveBeenProcessed: false)
        }
    }

    func close() {
        toSend.finish(.success(()))
        stream.buffer.abandon()
        stream.buffer.finish(.failure(CancellationError()))
        exchange.endExchange()
    }
}

/// The loop's half of a connection that libcurl opened for another protocol (`CURLOPT_CONNECT_ONLY`). It moves bytes between
/// libcurl and the buffers of ``CurlConnection``. On the loop's thread only.
final class RawSocket {
    /// The number of bytes that may wait to be sent, beyond one piece from the task.
    static let room = 64 * 1_024
    /// The number of bytes that one connection may receive in a turn of the loop, while others wait.
    private static let burst = 256 * 1_024
    /// The largest TLS record.
    private static let piece = 16 * 1_024

    enum Move {
        /// - Parameters:
        ///   - events: of `poll(2)`; empty while the task has bytes to read.
        ///   - hasMore: whether bytes may wait inside TLS, where `poll` does not see them.
        case waits(events: Int16, hasMore: Bool)
        /// The peer sends no more. It may still read, until the task closes the connection.
        case ended
        case broke(reason: String)
    }

    let descriptor: Int32
    private let handle: CurlHandle
    private let received: ChunkBuffer
    private let toSend: ChunkBuffer
    private var unsent = Data()
    private var hasEnded = false

    init?(of exchange: Exchange, _ handle: CurlHandle) {
        let descriptor = ccurl_get_socket(handle.easy)
        guard descriptor != ccurl_bad_socket, let stream = exchange.stream, let toSend = stream.toSend else { return nil }
        self.descriptor = descriptor
        self.handle = handle
        received = stream.buffer
        self.toSend = toSend
    }

    /// Sends and receives as much as possible without waiting.
    func move() -> Move {
        do throws(Broken) {
            let isBlocked: Bool
            do throws(Broken) {
                isBlocked = try send()
            } catch {
                // The peer's last bytes say why it takes no more.
                _ = try? receive()
                throw error
            }
            let (isHeld, hasMore) = try receive()
            let events = (isBlocked ? Int16(POLLOUT) : 0) | (isHeld ? 0 : Int16(POLLIN))
            return .waits(events: events, hasMore: hasMore)
        } catch {
            guard error.code == CURLE_OK, !hasEnded else { return .broke(reason: handle.message(for: error.code)) }
            hasEnded = true
            return .ended
        }
    }

    /// Sends as much of the queued bytes as the system takes at once, before the connection is closed.
    func sendRest() { _ = try? send() }

    /// `CURLE_OK` if the peer ended the connection.
    private struct Broken: Error {
        let code: CURLcode
    }

    /// - Returns: whether the socket accepts no more bytes now.
    private func send() throws(Broken) -> Bool {
        while true {
            if unsent.isEmpty {
                guard case .chunk(let chunk) = toSend.take(atMost: Self.room) else { return false }
                unsent = chunk
            }
            var count = 0
            let code = unsent.withUnsafeBytes { curl_easy_send(handle.easy, $0.baseAddress, $0.count, &count) }
            if count > 0 { unsent = count == unsent.count ? Data() : unsent.dropFirst(count) }
            if code == CURLE_AGAIN { return true }
            guard code == CURLE_OK, count > 0 else { throw Broken(code: code == CURLE_OK ? CURLE_SEND_ERROR : code) }
        }
    }

    private func receive() throws(Broken) -> (isHeld: Bool, hasMore: Bool) {
        guard !hasEnded else { return (true, false) }
        var total = 0
        while received.hasRoom() {
            guard total < Self.burst else { return (false, true) }
            guard let chunk = try receivePiece() else { return (false, false) }
            total += chunk.count
            received.offer(chunk)
        }
        return (true, false)
    }

    /// - Returns: `nil` if no byte is available now.
    private func receivePiece() throws(Broken) -> Data? {
        var count = 0
        var code = CURLE_OK
        let chunk = withUnsafeTemporaryAllocation(byteCount: Self.piece, alignment: 1) { buffer -> Data in
            // The first call gives the connection back to the handle. Until then libcurl takes it for an idle one and may close
            // it.
            code = curl_easy_recv(handle.easy, buffer.baseAddress, buffer.count, &count)
            return code == CURLE_OK ? Data(bytes: buffer.baseAddress.unsafelyUnwrapped, count: count) : Data()
        }
        if code == CURLE_AGAIN { return nil }
        guard code == CURLE_OK, count > 0 else { throw Broken(code: code) }
        return chunk
    }
}
