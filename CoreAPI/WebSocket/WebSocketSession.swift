internal import CoreAPIHTTP
internal import Foundation

/// Runs a WebSocket: one task reads, several may send, and control frames are sent in between. An app holds the handle
/// ``WebSocket``; the tasks hold only the session.
///
/// The socket's end is one value, ``SocketEnd``. The first reason sets it, and the Close frame is queued at once. The app hears
/// of the end when that frame is sent, so an app that then exits loses nothing.
final class WebSocketSession: Sendable {
    /// The number of bytes of messages that may wait for the app. Beyond it the session stops reading.
    private static let room = 64 * 1_024
    /// The number of bytes that are read and dropped after the end. A peer that sends more will not close.
    private static let farewell = 16 * 1_024 * 1_024

    let options: WebSocket.Options
    let connection: any RawConnection
    let writer: FrameWriter
    let deflater: MessageDeflater?
    let turns = Turnstile()
    let state = Mutex(State())
    private let role: Role
    private let agreement: DeflateAgreement?
    private let context: ErrorContext

    struct State {
        var messages = MessageQueue()
        /// The task that waits for a message.
        var consumer: CheckedContinuation<Void, Never>?
        /// The reading task, while the queue of messages is full, or the last frame waits.
        var reader: CheckedContinuation<Void, Never>?
        /// The number of pieces received so far.
        var received = 0
        /// The number of bytes that may still be dropped.
        var farewell = WebSocketSession.farewell
        /// The number of writes to the connection so far, and the time of the last ping of the keep-alive among them.
        var written = 0
        var lastPing: ContinuousClock.Instant?
        /// Whether a frame is being sent in pieces, and the Close frame that waits for its last one.
        var isInFrame = false
        var lastFrame: Data?
        /// The end, once a reason for it is known.
        var end: SocketEnd?
        /// Whether the app hears of the end, after the last message.
        var isTold = false
        var control = ControlFrames()
        var pings: [(payload: Data, waiter: CheckedContinuation<Void, any Error>)] = []
        /// Whether the connection has ended, and the tasks that wait for its end, or only for the reason.
        var isOver = false
        var waiters: [Int: (continuation: CheckedContinuation<Void, Never>, isForReason: Bool)] = [:]
        var lastWaiter = 0
        var clocks: [Task<Void, any Error>] = []

        /// Whether messages are dropped, because this side has closed.
        var drops: Bool { end?.closing.side == .here || isOver }
    }

    init(
        _ connection: any RawConnection, _ role: Role, _ deflate: DeflateAgreement?, _ options: WebSocket.Options,
        context: ErrorContext
    ) {
        self.connection = connection
        self.role = role
        self.options = options
        self.context = context
        writer = FrameWriter(role: role)
        agreement = deflate
        deflater = deflate.flatMap { MessageDeflater($0) }
    }

    /// Starts the reading task.
    func start() {
        Task { await self.run() }
        guard let interval = options.pingInterval, interval > .zero else { return }
        addClock { try await self.keepAlive(every: interval) }
    }

    var closing: WebSocket.Closing? { state.withLock { $0.end?.closing } }

    /// Wraps an error of the session in the kit's error.
    func failure(_ error: any Error) -> APIClientError { APIClientError(error, context) }

    /// Starts a task that is cancelled at the connection's end.
    func addClock(_ run: @escaping @Sendable () async throws -> Void) {
        let clock = Task { try await run() }
        let isLate = state.withLock { state in
            state.clocks.append(clock)
            return state.isOver
        }
        if isLate { clock.cancel() }
    }

    // MARK: - Reading

    private func run() async {
        let inflater = agreement.flatMap { MessageInflater($0) }
        do {
            guard agreement == nil || inflater != nil else { throw Violation("zlib cannot begin", code: .internalError) }
            try await read(MessageReader(role, options, inflater))
        } catch let violation as Violation {
            refuse(violation)
            await drain()
        } catch {
            lose(error is CancellationError ? Self.lost : error)
        }
        lose(Self.lost)
        finish()
    }

    private static let lost = TransportError.connectionLost(
        reason: "the WebSocket's connection ended without a Close frame (1006)", mayHaveBeenProcessed: false)

    private static let lostInside = TransportError.connectionLost(
        reason: "the WebSocket's connection ended in the middle of a frame or a message (1006)", mayHaveBeenProcessed: false)

    /// Reads until the peer's Close frame or the end of the connection.
    private func read(_ fresh: MessageReader) async throws {
        var reader = fresh
        while let chunk = try await nextChunk() {
            // A client that has closed waits for the server's end of the connection, whatever it still sends.
            if role == .client, state.withLock({ $0.drops }) { return await drain() }
            var index = 0
            while let event = try chunk.withUnsafeBytes({ try reader.next($0, at: &index) }) {
                switch event {
                case .message(let message): await deliver(message)
                case .ping(let payload): answer(payload)
                case .pong(let payload): endPings(through: payload)
                case .close(let code, let reason):
                    accept(WebSocket.Closing(code: code ?? .noStatus, reason: reason, side: .peer), reader.unfinished)
                    return await drain()
                }
            }
        }
        if reader.isInside { lose(Self.lostInside) }
    }

    /// The next bytes; `nil` at the end of the connection, and if a peer does not close after the end.
    private func nextChunk() async throws -> Data? {
        guard let chunk = try await connection.read() else { return nil }
        // While a peer floods, reading never waits. Two such tasks kept all other tasks of two cores from running.
        await Task.yield()
        let isPatient = state.withLock { state in
            state.received += 1
            if state.end != nil { state.farewell -= chunk.count }
            return state.farewell > 0
        }
        return isPatient ? chunk : nil
    }

    private func deliver(_ message: WebSocket.Message) async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                guard !state.drops, state.messages.size >= Self.room else { return true }
                state.reader = continuation
                return false
            }
            if hasRoom { continuation.resume() }
        }
        let consumer = state.withLock { state in
            if !state.drops { state.messages.append(message) }
            return state.takeConsumer()
        }
        consumer?.resume()
    }

    private func answer(_ payload: Data) {
        state.withLock { $0.control.appendPong(payload) }
        flush()
    }

    /// Waits until the server closes the connection (RFC 6455 §7.1.1). A server waits only until its last frame is sent.
    private func drain() async {
        if role == .client {
            while let bytes = try? await nextChunk(), !bytes.isEmpty {}
        } else {
            while !state.withLock({ $0.isTold }) { await waitUntilTold() }
        }
    }

    private func waitUntilTold() async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                if !state.isTold { state.reader = continuation }
                return !state.isTold
            }
            if !waits { continuation.resume() }
        }
    }

    // MARK: - The end

    /// Sets the end, unless there is one, and queues the Close frame.
    ///
    /// - Parameters:
    ///   - error: for the tasks that wait; `nil` for an orderly end.
    ///   - frame: the Close frame; `nil` if none can be sent.
    /// - Returns: whether this is the end.
    @discardableResult
    func end(_ closing: WebSocket.Closing, _ error: (any Error)? = nil, sending frame: Data?) -> Bool {
        let end = SocketEnd(closing: closing, error: error.map(failure))
        let (isFirst, mustWait, resumed) = state.withLock { state in
            guard state.end == nil else { return (false, false, [CheckedContinuation<Void, Never>]()) }
            state.end = end
            state.control.end()
            if state.isInFrame { state.lastFrame = frame }
            let reader = state.drops ? state.takeReader() : nil
            return (true, state.isInFrame, state.takeWaiters(whole: false) + (reader.map { [$0] } ?? []))
        }
        for continuation in resumed { continuation.resume() }
        guard isFirst, let frame else { return isFirst }
        addClock {
            try await Task.sleep(for: self.options.closeTimeout)
            self.connection.close()
            self.tell()
        }
        if !mustWait { sendLast(frame) }
        return true
    }

    func sendLast(_ frame: Data) {
        connection.finish(with: frame) { [weak self] in self?.tell() }
    }

    /// Accepts the peer's Close frame.
    ///
    /// - Parameter unfinished: the bytes of a message that the peer leaves without its end; `nil` between messages.
    private func accept(_ closing: WebSocket.Closing, _ unfinished: Int?) {
        let reason = closing.reason.isEmpty ? "" : ": '\(closing.reason.shortened(to: 123).escapingControls)'"
        let place = unfinished.map { " in the middle of a message, after \($0) bytes of it" } ?? ""
        let text = "the peer closed the WebSocket with \(closing.code)\(reason)\(place)"
        // The handshake, which is the request, was answered.
        let error = TransportError.connectionLost(reason: text, mayHaveBeenProcessed: false)
        end(closing, closing.isOrderly && unfinished == nil ? nil : error, sending: writer.close(closing.code, ""))
    }

    /// Ends the socket from this side, because the peer broke a rule.
    private func refuse(_ violation: Violation) {
        let error: TransportError =
            violation.code == .messageTooBig
            ? .responseTooLarge(limit: min(options.messageSize, options.frameSize))
            : .malformedResponse(reason: violation.reason)
        end(
            .init(code: violation.code, reason: violation.reason, side: .here), error,
            sending: writer.close(violation.code, violation.reason))
    }

    /// Ends the socket because its connection has ended.
    private func lose(_ error: any Error) {
        end(.init(code: .abnormal, reason: "", side: .peer), error, sending: nil)
    }

    /// Ends the socket in the orderly way, without a wait for the peer's answer.
    func release() {
        end(.init(code: .normal, reason: "", side: .here), sending: writer.close(.normal, ""))
    }

    /// Lets the app hear of the end.
    func tell() {
        let (consumer, reader, pings) = state.withLock { state in
            state.isTold = true
            defer { state.pings = [] }
            return (state.takeConsumer(), state.takeReader(), state.pings)
        }
        consumer?.resume()
        reader?.resume()
        for ping in pings { ping.waiter.resume(throwing: reason) }
    }

    private func finish() {
        connection.close()
        let (waiters, clocks) = state.withLock { state in
            state.isOver = true
            defer { state.clocks = [] }
            return (state.takeWaiters(whole: true), state.clocks)
        }
        tell()
        for clock in clocks { clock.cancel() }
        for waiter in waiters { waiter.resume() }
    }

    /// Why a task cannot send any more.
    var reason: any Error {
        let end = state.withLock { $0.end }
        if let error = end?.error { return error }
        let text = "the WebSocket is closed (\(end?.closing.code ?? .abnormal))"
        return TransportError.connectionLost(reason: text, mayHaveBeenProcessed: false)
    }

    /// The reason of a connection that takes no more bytes. The reading task finds it behind the last bytes of the peer, unless
    /// it waits for the app.
    func reasonOfLoss() async -> any Error {
        let isHeld = state.withLock { $0.reader != nil }
        if isHeld { lose(Self.lost) }
        addClock {
            try await Task.sleep(for: self.options.closeTimeout)
            self.lose(Self.lost)
        }
        await waitForEnd(isForReason: true)
        return reason
    }

    // MARK: - The app's side

    /// The next message; `nil` after an orderly end.
    func next() async throws(APIClientError) -> WebSocket.Message? {
        while true {
            guard !Task.isCancelled else {
                release()
                throw failure(CancellationError())
            }
            let (message, end, reader) = state.withLock { state in
                let message = state.messages.popFirst()
                let reader = state.messages.size <= Self.room / 2 ? state.takeReader() : nil
                return (message, state.isTold ? state.end : nil, reader)
            }
            reader?.resume()
            if let message { return message }
            if let end {
                if let error = end.error { throw error }
                return nil
            }
            try await waitForMessage()
        }
    }

    private func waitForMessage() async throws(APIClientError) {
        var isSecond = false
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard state.messages.isEmpty, !state.isTold, !Task.isCancelled else { return false }
                    isSecond = state.consumer != nil
                    if !isSecond { state.consumer = continuation }
                    return !isSecond
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            release()
            state.withLock { $0.takeConsumer() }?.resume()
        }
        if isSecond { throw failure(BodyReadTwice()) }
    }

    /// Closes in the orderly way: both Close frames, then the end of the connection.
    func close(_ code: WebSocket.CloseCode, _ reason: String) async {
        let closing = WebSocket.Closing(code: code.mayBeSent ? code : .noStatus, reason: reason, side: .here)
        end(closing, sending: writer.close(code, reason))
        await waitForEnd()
    }

    /// Waits for the end of the connection, or only for the reason of its end.
    private func waitForEnd(isForReason: Bool = false) async {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard isForReason ? state.end == nil : !state.isOver, !Task.isCancelled else { return false }
                    state.waiters[number] = (continuation, isForReason)
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
        }
    }
}

/// How a socket ended. All of its tasks report this one value.
struct SocketEnd {
    let closing: WebSocket.Closing
    /// `nil` after an orderly end.
    let error: APIClientError?
}

extension WebSocketSession.State {
    fileprivate mutating func takeConsumer() -> CheckedContinuation<Void, Never>? { consumer.take() }
    fileprivate mutating func takeReader() -> CheckedContinuation<Void, Never>? { reader.take() }

    /// - Parameter whole: whether the connection has ended, too.
    fileprivate mutating func takeWaiters(whole: Bool) -> [CheckedContinuation<Void, Never>] {
        let taken = waiters.filter { whole || $0.value.isForReason }
        for number in taken.keys { waiters[number] = nil }
        return taken.values.map(\.continuation)
    }
}
