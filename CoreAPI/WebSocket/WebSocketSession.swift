internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// Runs a WebSocket: one task reads, several may send, and control frames are sent in between. An app holds the handle
/// ``WebSocket``; the tasks hold only the session.
///
/// The socket's end is one value, ``SocketEnd``. The first reason sets it, and the Close frame is queued at once. The app hears
/// of the end when that frame is sent, so an app that then exits loses nothing.
final class WebSocketSession: Sendable {
    let options: WebSocket.Options
    let connection: any RawConnection
    let writer: FrameWriter
    let deflater: MessageDeflater?
    let sendLock = SendLock()
    let state = Mutex(SocketState())
    private let role: Role
    private let agreement: DeflateAgreement?
    private let context: APIClientError.Context
    /// Fulfilled when the reason of the end is known, and when the connection has ended.
    private let reasonIsKnown = Promise<Void>()
    private let isOver = Promise<Void>()

    init(
        _ connection: any RawConnection, _ role: Role, _ deflate: DeflateAgreement?, _ options: WebSocket.Options,
        context: APIClientError.Context
    ) {
        (self.connection, self.role, self.options, self.context) = (connection, role, options, context)
        writer = FrameWriter(role: role)
        agreement = deflate
        deflater = deflate.flatMap { MessageDeflater($0) }
    }

    func start() {
        Task { await self.run() }
        guard let interval = options.pingInterval, interval > .zero else { return }
        addClock { try await self.keepAlive(every: interval) }
    }

    /// Changes the state, and does what the change demands.
    @discardableResult
    func change<Value>(_ change: (inout SocketState, inout SocketState.Effects) -> sending Value) -> sending Value {
        var effects = SocketState.Effects()
        let value = state.withLock { change(&$0, &effects) }
        for resume in effects.resumed { resume() }
        for clock in effects.clocks { clock.cancel() }
        if let frame = effects.lastFrame { connection.finish(with: frame) { [weak self] in self?.announceEnd() } }
        return value
    }

    var closing: WebSocket.Closing? { state.withLock { $0.end?.closing } }
    func failure(_ error: any Error) -> APIClientError { APIClientError(error, context) }

    /// Starts a task that is cancelled at the connection's end.
    func addClock(_ run: @escaping @Sendable () async throws -> Void) {
        let clock = Task { try await run() }
        change { $0.add(clock, &$1) }
    }

    private func run() async {
        let inflater = agreement.flatMap { MessageInflater($0) }
        do {
            guard agreement == nil || inflater != nil else { throw Violation("zlib cannot begin", code: .internalError) }
            try await read(MessageReader(role, options, inflater))
        } catch let violation as Violation {
            reject(violation)
            await drain()
        } catch {
            lose(error is CancellationError ? Self.noCloseFrame : error)
        }
        lose(Self.noCloseFrame)
        finish()
    }

    private static let noCloseFrame = lost("the WebSocket's connection ended without a Close frame (1006)")

    /// The error of a lost connection. The handshake, which is the request, has its response.
    static func lost(_ reason: String) -> TransportError { .connectionLost(reason: reason, mayHaveBeenProcessed: false) }

    /// Reads until the peer's Close frame or the end of the connection.
    private func read(_ fresh: MessageReader) async throws {
        var reader = fresh
        while let chunk = try await nextChunk() {
            // A client that has closed waits for the server's end of the connection, whatever it still sends.
            if role == .client, state.withLock({ $0.drops }) { return await drain() }
            var index = 0
            while let event = try chunk.withUnsafeBytes({ try reader.next($0, at: &index) }) {
                switch event {
                case .message(let message):
                    await wait { $0.waitForRoom($1) }
                    change { $0.append(message, &$1) }
                case .ping(let payload):
                    state.withLock { $0.appendPong(payload) }
                    flush()
                case .pong(let payload): change { $0.answerPings(through: payload, &$1) }
                case .close(let code, let reason):
                    accept(WebSocket.Closing(code: code ?? .noStatus, reason: reason, side: .peer), reader.unfinished)
                    return await drain()
                }
            }
        }
        if reader.isInside { lose(Self.lost("the WebSocket's connection ended in the middle of a frame or a message (1006)")) }
    }

    /// The next bytes; `nil` at the end of the connection, and if a peer does not close after the end.
    private func nextChunk() async throws -> Data? {
        guard let chunk = try await connection.read() else { return nil }
        // While a peer floods, reading never waits. Two such tasks kept all other tasks of two cores from running.
        await Task.yield()
        return state.withLock { $0.receive(chunk.count) } ? chunk : nil
    }

    /// Waits, if the state says so, until a change resumes the task.
    private func wait(_ mustWait: (inout SocketState, @escaping SocketState.Waiter) -> Bool) async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { mustWait(&$0) { continuation.resume() } }
            if !waits { continuation.resume() }
        }
    }

    /// Waits until the server closes the connection (RFC 6455 §7.1.1). A server waits only until its last frame is sent.
    private func drain() async {
        if role == .client {
            while let bytes = try? await nextChunk(), !bytes.isEmpty {}
        } else {
            while !state.withLock({ $0.isAnnounced }) { await wait { $0.waitUntilAnnounced($1) } }
        }
    }

    /// Sets the end, unless there is one, and queues the Close frame if one can be sent. An orderly end has no error. Returns
    /// whether this is the end.
    @discardableResult
    func end(_ closing: WebSocket.Closing, _ error: (any Error)? = nil, sending frame: Data?) -> Bool {
        let end = SocketEnd(closing: closing, error: error.map(failure))
        guard change({ $0.end(end, sending: frame, &$1) }) else { return false }
        reasonIsKnown.fulfil(.success(()))
        if frame != nil {
            addClock {
                try await Task.sleep(for: self.options.closeTimeout)
                self.connection.close()
                self.announceEnd()
            }
        }
        return true
    }

    /// Accepts the peer's Close frame, perhaps after some bytes of an unfinished message.
    private func accept(_ closing: WebSocket.Closing, _ unfinished: Int?) {
        let reason = closing.reason.isEmpty ? "" : ": '\(closing.reason.shortened(to: 123).escapingControls)'"
        let place = unfinished.map { " in the middle of a message, after \($0) bytes of it" } ?? ""
        let error = Self.lost("the peer closed the WebSocket with \(closing.code)\(reason)\(place)")
        end(closing, closing.isOrderly && unfinished == nil ? nil : error, sending: writer.close(closing.code, ""))
    }

    /// Ends the socket from this side, because the peer broke a rule.
    private func reject(_ violation: Violation) {
        let (code, reason) = (violation.code, violation.reason)
        let limit = min(options.messageSize, options.frameSize)
        let error = code == .messageTooBig ? TransportError.responseTooLarge(limit: limit) : .malformedResponse(reason: reason)
        end(.init(code: code, reason: reason, side: .here), error, sending: writer.close(code, reason))
    }

    private func lose(_ error: any Error) { end(.init(code: .abnormal, reason: "", side: .peer), error, sending: nil) }
    /// Ends the socket in the orderly way, without a wait for the peer's response.
    func release() { end(.init(code: .normal, reason: "", side: .here), sending: writer.close(.normal, "")) }
    func announceEnd() { change { $0.announceEnd(&$1) } }

    private func finish() {
        connection.close()
        change { $0.finish(&$1) }
        isOver.fulfil(.success(()))
    }

    var reason: any Error { state.withLock { $0.reason } }

    /// The reason of a connection that takes no more bytes. The reading task finds it behind the last bytes of the peer, unless
    /// it waits for the app.
    func reasonOfLoss() async -> any Error {
        if state.withLock({ $0.isReaderHeld }) { lose(Self.noCloseFrame) }
        addClock {
            try await Task.sleep(for: self.options.closeTimeout)
            self.lose(Self.noCloseFrame)
        }
        try? await reasonIsKnown.value()
        return reason
    }

    func next() async throws(APIClientError) -> WebSocket.Message? {
        while true {
            guard !Task.isCancelled else {
                release()
                throw failure(CancellationError())
            }
            let (message, end) = change { $0.next(&$1) }
            if let message { return message }
            if let error = end?.error { throw error }
            if end != nil { return nil }
            try await waitForMessage()
        }
    }

    private func waitForMessage() async throws(APIClientError) {
        var found = SocketState.Wait.isReady
        await withTaskCancellationHandler {
            await wait { state, waiter in
                if !Task.isCancelled { found = state.waitForMessage(waiter) }
                return found == .waits
            }
        } onCancel: {
            release()
            change { $0.resumeConsumer(&$1) }
        }
        if found == .isSecond { throw failure(BodyError.readTwice) }
    }

    func close(_ code: WebSocket.CloseCode, _ reason: String) async {
        let closing = WebSocket.Closing(code: code.mayBeSent ? code : .noStatus, reason: reason, side: .here)
        end(closing, sending: writer.close(code, reason))
        // In a cancelled task this does not wait.
        try? await isOver.value()
    }
}
