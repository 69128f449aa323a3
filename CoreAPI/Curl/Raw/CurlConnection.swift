public import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

extension CurlTransport: ConnectingTransport {
    /// Opens a connection through libcurl (`CURLOPT_CONNECT_ONLY`), over TLS for `https`, with HTTP/1.1 as its protocol (ALPN).
    /// It counts as a connection of a call that streams its body. No other exchange shares it.
    public func connect(_ attempt: Attempt) async throws(APIClientError) -> any RawConnection {
        let own = CurlAttempt(attempt: attempt, library: library)
        let (pool, exchange) = try begin(own, connectsOnly: true).get()
        await pool.perform(exchange)
        return try own.connection(of: exchange) { self.giveBack(pool) }
    }
}

extension CurlAttempt {
    /// - Parameter release: gives the pool back; called when the connection is released.
    fileprivate func connection(
        of exchange: Exchange, release: @escaping @Sendable () -> Void
    ) throws(APIClientError) -> CurlConnection {
        notifyMismatches(of: exchange)
        if let stream = exchange.stream, let toSend = stream.toSend, exchange.outcome.isStreamed {
            return CurlConnection(
                stream, toSend: toSend, isSecure: attempt.request.url.scheme == .https, metrics: exchange.outcome.metrics,
                end: { [weak exchange] in exchange?.endExchange() }, release: release)
        }
        release()
        switch exchange.outcome.end {
        case .failed(let error): throw .transport(error, APIClientError.Context(attempt.request))
        case .cancelled, .complete: throw .cancelled(APIClientError.Context(attempt.request))
        }
    }
}

/// The task's half of a connection; the loop's half is ``RawSocket``.
final class CurlConnection: RawConnection {
    let metrics: ExchangeMetrics?
    private let stream: CurlBodyStream
    private let toSend: ChunkBuffer
    private let isSecure: Bool
    /// Tells the loop that the task needs the connection no more.
    private let end: @Sendable () -> Void
    private let release: @Sendable () -> Void

    init(
        _ stream: CurlBodyStream, toSend: ChunkBuffer, isSecure: Bool, metrics: ExchangeMetrics?,
        end: @escaping @Sendable () -> Void, release: @escaping @Sendable () -> Void
    ) {
        self.stream = stream
        self.toSend = toSend
        self.isSecure = isSecure
        self.metrics = metrics
        self.end = end
        self.release = release
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
            guard isSecure, end.isEndAnnounced == false else { return }
            throw TransportError.connectionLost(reason: "it ended without TLS's close_notify", mayHaveBeenProcessed: false)
        }
    }

    func close() {
        toSend.finish(.success(()))
        stream.buffer.abandon()
        stream.buffer.finish(.failure(CancellationError()))
        end()
    }
}
