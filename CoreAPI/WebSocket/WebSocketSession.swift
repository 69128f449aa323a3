internal import CoreAPILock
internal import Foundation

/// Runs a WebSocket: one task reads, several may send, and control frames are sent in between. An app holds the handle
/// ``WebSocket``; the tasks hold only the session.
final class WebSocketSession: Sendable {
    /// The number of bytes of messages that may wait for the app. Beyond it the session stops reading.
    private static let room = 64 * 1_024
    /// The number of bytes of a frame that are masked and queued at once.
    private static let piece = 64 * 1_024

    let options: WebSocket.Options
    private let connection: any RawConnection
    private let role: Role
    private let writer: FrameWriter
    private let agreement: DeflateAgreement?
    private let deflater: MessageDeflater?
    private let turns = Turnstile()
    private let state = Mutex(State())
    private let context: ErrorContext

    fileprivate struct State {
        var messages = MessageQueue()
        /// The task that waits for a message.
        var consumer: CheckedContinuation<Void, Never>?
        /// The reading task, while the queue of messages is full.
        var reader: CheckedContinuation<Void, Never>?
        /// The number of pieces received so far.
        var received = 0
        /// The number of writes to the connection so far, and the time of the last ping of the keep-alive among them.
        var written = 0
        var lastPing: ContinuousClock.Instant?
        /// The end of the messages, after the last one.
        var end: Result<Void, APIClientError>?
        var closing: WebSocket.Closing?
        var control = ControlFrames()
        var pings: [(payload: Data, waiter: CheckedContinuation<Void, any Error>)] = []
        /// Whether the connection has ended, and the tasks that wait for its end.
        var isOver = false
        var closers: [CheckedContinuation<Void, Never>] = []
        var clocks: [Task<Void, any Error>] = []

        /// Whether messages are dropped, because this side has closed.
        var drops: Bool { closing?.side == .here || isOver }
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
        let clock = Task { try await self.keepAlive(every: interval) }
        addClock(clock)
    }

    var closing: WebSocket.Closing? { state.withLock { $0.closing } }

    /// Wraps an error of the session in the kit's error.
    func failure(_ error: any Error) -> APIClientError { APIClientError(error, context) }

    private func addClock(_ clock: Task<Void, any Error>) {
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
            await refuse(violation)
        } catch {
            note(error is CancellationError ? Self.lost : error)
        }
        note(Self.lost)
        finish()
    }

    private static let lost = TransportError.connectionLost(
        reason: "the WebSocket's connection ended without a Close frame (1006)", mayHaveBeenProcessed: false)

    /// Reads until the peer's Close frame or the end of the connection.
    private func read(_ fresh: MessageReader) async throws {
        var reader = fresh
        while let chunk = try await connection.read() {
            state.withLock { $0.received += 1 }
            // While a peer floods, reading never waits. Two such tasks kept all other tasks of two cores from running.
            await Task.yield()
            var index = 0
            while let event = try chunk.withUnsafeBytes({ try reader.next($0, at: &index) }) {
                switch event {
                case .message(let message): await deliver(message)
                case .ping(let payload): answer(payload)
                case .pong(let payload): endPings(through: payload)
                case .close(let code, let reason): return await close(by: code, reason)
                }
            }
        }
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

    /// Handles the peer's Close frame.
    private func close(by code: WebSocket.CloseCode?, _ reason: String) async {
        let isAnswer = state.withLock { state in
            guard state.closing == nil else { return true }
            let closing = WebSocket.Closing(code: code ?? .noStatus, reason: reason, side: .peer)
            state.closing = closing
            state.end = closing.isOrderly ? .success(()) : .failure(failure(of: closing))
            return false
        }
        state.withLock { $0.takeConsumer() }?.resume()
        if !isAnswer { await sendClose(code ?? .noStatus, "") }
        await drain()
    }

    private func failure(of closing: WebSocket.Closing) -> APIClientError {
        let reason = closing.reason.isEmpty ? "" : ": '\(closing.reason.shortened(to: 123).escapingControls)'"
        let text = "the peer closed the WebSocket with \(closing.code)\(reason)"
        // The handshake, which is the request, was answered.
        return failure(TransportError.connectionLost(reason: text, mayHaveBeenProcessed: false))
    }

    /// Ends the socket from this side, because the peer broke a rule.
    private func refuse(_ violation: Violation) async {
        let error: TransportError =
            violation.code == .messageTooBig
            ? .responseTooLarge(limit: min(options.messageSize, options.frameSize))
            : .malformedResponse(reason: violation.reason)
        let isFirst = state.withLock { state in
            if state.end == nil { state.end = .failure(failure(error)) }
            defer { state.closing = state.closing ?? .init(code: violation.code, reason: violation.reason, side: .here) }
            return state.closing == nil
        }
        state.withLock { $0.takeConsumer() }?.resume()
        if isFirst { await sendClose(violation.code, violation.reason) }
        await drain()
    }

    /// Waits until the server closes the connection (RFC 6455 §7.1.1).
    private func drain() async {
        guard role == .client else { return }
        limitClosing()
        while let bytes = try? await connection.read(), !bytes.isEmpty {}
    }

    /// Records why the messages end, unless a reason is recorded already.
    private func note(_ error: any Error) {
        let error = failure(error)
        state.withLock { state in
            state.closing = state.closing ?? .init(code: .abnormal, reason: "", side: .peer)
            // After this side has closed, the end of the connection is not a fault.
            let isExpected = state.closing?.side == .here && state.closing?.code != .abnormal
            if state.end == nil { state.end = isExpected ? .success(()) : .failure(error) }
        }
    }

    private func finish() {
        connection.close()
        let (consumer, pings, closers, clocks) = state.withLock { state in
            state.isOver = true
            defer { (state.pings, state.closers, state.clocks) = ([], [], []) }
            return (state.takeConsumer(), state.pings, state.closers, state.clocks)
        }
        for clock in clocks { clock.cancel() }
        consumer?.resume()
        for ping in pings { ping.waiter.resume(throwing: closedError) }
        for closer in closers { closer.resume() }
    }

    /// Ends the connection and all waiting tasks at once, without a Close frame.
    func abort(_ error: any Error) {
        let error = failure(error)
        let (consumer, reader) = state.withLock { state in
            if state.end == nil { state.end = .failure(error) }
            state.closing = state.closing ?? .init(code: .abnormal, reason: "", side: .here)
            return (state.takeConsumer(), state.takeReader())
        }
        connection.close()
        consumer?.resume()
        reader?.resume()
    }

    // MARK: - The app's side

    /// The next message; `nil` after an orderly end.
    func next() async throws(APIClientError) -> WebSocket.Message? {
        while true {
            guard !Task.isCancelled else {
                abort(CancellationError())
                throw failure(CancellationError())
            }
            let (message, end, reader) = state.withLock { state in
                let message = state.messages.popFirst()
                let reader = state.messages.size <= Self.room / 2 ? state.takeReader() : nil
                return (message, state.end, reader)
            }
            reader?.resume()
            if let message { return message }
            if let end {
                try end.get()
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
                    guard state.messages.isEmpty, state.end == nil, !Task.isCancelled else { return false }
                    isSecond = state.consumer != nil
                    if !isSecond { state.consumer = continuation }
                    return !isSecond
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            abort(CancellationError())
        }
        if isSecond { throw failure(BodyReadTwice()) }
    }

    /// Sends a message, and returns when it is queued.
    func send(_ opcode: Opcode, _ payload: Data) async throws {
        try await inTurn {
            let compressed = payload.count >= options.compression?.minimumSize ?? .max ? compress(payload) : nil
            do {
                try await write(opcode, compressed ?? payload, isCompressed: compressed != nil)
            } catch {
                // Without this message the peer could not decompress the later ones.
                if compressed != nil { abort(error) }
                throw error
            }
        }
    }

    /// Sends a message in fragments, one for each chunk.
    func send<Chunks: AsyncSequence>(_ opcode: Opcode, fragments: Chunks) async throws where Chunks.Element == Data {
        try await inTurn {
            var opcode = opcode
            do {
                for try await chunk in fragments {
                    try await writeFrame(opcode, chunk, isFinal: false, isCompressed: false)
                    try await writePongs()
                    opcode = .continuation
                }
                try await writeFrame(opcode, Data(), isFinal: true, isCompressed: false)
            } catch {
                // The message has no end, so no other message can follow.
                if opcode == .continuation { abort(error) }
                throw error
            }
        }
    }

    private func inTurn(_ work: () async throws -> Void) async throws {
        do {
            try await turns.enter()
        } catch {
            throw failure(error)
        }
        defer {
            turns.leave()
            flush()
        }
        guard state.withLock({ $0.closing == nil }) else { throw failure(closedError) }
        do {
            try await work()
        } catch {
            throw failure(cause(of: error))
        }
    }

    /// A connection that ends while a task writes to it reports a cancellation, whatever ended it.
    private func cause(of error: any Error) -> any Error {
        guard error is CancellationError, !Task.isCancelled else { return error }
        let (end, isClosing) = state.withLock { ($0.end, $0.closing != nil) }
        if case .failure(let reason)? = end { return reason }
        return isClosing ? closedError : error
    }

    private var closedError: TransportError {
        let code = closing?.code ?? .abnormal
        return .connectionLost(reason: "the WebSocket is closed (\(code))", mayHaveBeenProcessed: false)
    }

    private func compress(_ payload: Data) -> Data? {
        guard let deflater else { return nil }
        return payload.withUnsafeBytes { deflater.compress($0) }.map { Data($0) }
    }

    private func write(_ opcode: Opcode, _ payload: Data, isCompressed: Bool) async throws {
        let size = max(1, options.fragmentSize ?? .max)
        guard payload.count > size else {
            return try await writeFrame(opcode, payload, isFinal: true, isCompressed: isCompressed)
        }
        var rest = payload[...]
        do {
            while !rest.isEmpty {
                let piece = rest.prefix(size)
                rest = rest.dropFirst(size)
                let isFirst = piece.startIndex == payload.startIndex
                try await writeFrame(
                    isFirst ? opcode : .continuation, piece, isFinal: rest.isEmpty, isCompressed: isFirst && isCompressed)
                try await writePongs()
            }
        } catch {
            abort(error)
            throw error
        }
    }

    private func writeFrame(_ opcode: Opcode, _ payload: Data, isFinal: Bool, isCompressed: Bool) async throws {
        guard payload.count > Self.piece else {
            return try await write(writer.frame(opcode, payload, isFinal: isFinal, isCompressed: isCompressed))
        }
        let (head, mask) = writer.head(opcode, length: payload.count, isFinal: isFinal, isCompressed: isCompressed)
        try await write(Data(head))
        do {
            var offset = 0
            while offset < payload.count {
                let piece = payload.dropFirst(offset).prefix(Self.piece)
                try await write(writer.piece(piece, mask, offset: offset))
                offset += piece.count
            }
        } catch {
            // A part of the frame may have been sent.
            abort(error)
            throw error
        }
    }

    // MARK: - Control frames

    /// Sends waiting control frames, in a separate task: the reading task must not wait for a peer that does not read.
    private func flush() {
        let begins = state.withLock { $0.control.beginSending() }
        guard begins else { return }
        Task {
            do {
                try await turns.enter()
            } catch {
                return
            }
            defer { turns.leave() }
            while let frame = state.withLock({ $0.control.next() }) { try? await write(frame) }
        }
    }

    /// Sends waiting answers to pings between two fragments. The caller must have the turn.
    private func writePongs() async throws {
        while let frame = state.withLock({ $0.control.nextBetweenFragments() }) {
            try await write(frame)
        }
    }

    private func write(_ frame: ControlFrames.Frame) async throws {
        try await write(frame.bytes(writer))
        if frame.isKeepAlive { state.withLock { $0.lastPing = .now } }
    }

    /// Writes to the connection, which is progress for the keep-alive. The caller must have the turn.
    private func write(_ bytes: Data) async throws {
        try await connection.write(bytes)
        state.withLock { $0.written += 1 }
    }

    /// Sends a ping, and waits for its answer.
    ///
    /// - Returns: the time until the answer.
    func ping(within limit: Duration) async throws(APIClientError) -> Duration {
        let payload = Data((0..<8).map { _ in UInt8.random(in: .min ... .max) })
        let began = ContinuousClock.now
        var clock: Task<Void, any Error>?
        defer { clock?.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let isOpen = state.withLock { state in
                        guard state.closing == nil else { return false }
                        state.pings.append((payload, continuation))
                        state.control.pings.append(payload)
                        return true
                    }
                    guard isOpen else { return continuation.resume(throwing: closedError) }
                    flush()
                    clock = Task {
                        try await Task.sleep(for: limit)
                        self.endPing(payload, TransportError.timedOut(.idle, after: limit))
                    }
                    if Task.isCancelled { endPing(payload, CancellationError()) }
                }
            } onCancel: {
                endPing(payload, CancellationError())
            }
        } catch {
            throw failure(error)
        }
        return began.duration(to: .now)
    }

    private func endPing(_ payload: Data, _ error: any Error) {
        let waiter = state.withLock { state in
            state.pings.firstIndex { $0.payload == payload }.map { state.pings.remove(at: $0).waiter }
        }
        waiter?.resume(throwing: error)
    }

    /// Accepts the answer to a ping; it answers all earlier pings, too.
    private func endPings(through payload: Data) {
        let answered = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
            guard let index = state.pings.firstIndex(where: { $0.payload == payload }) else { return [] }
            defer { state.pings.removeFirst(index + 1) }
            return state.pings[...index].map(\.waiter)
        }
        for waiter in answered { waiter.resume() }
    }

    /// Sends a ping to a silent peer, and ends the socket if the peer stays silent. While the app takes no messages, the session
    /// does not read, so the peer's silence means nothing.
    private func keepAlive(every interval: Duration) async throws {
        while true {
            let before = received
            try await Task.sleep(for: interval)
            guard received == before, !isHeld else { continue }
            state.withLock { state in
                state.lastPing = nil
                state.control.pings.append(Data())
            }
            flush()
            guard try await staysSilent(since: before) else { continue }
            return abort(TransportError.timedOut(.idle, after: options.pongTimeout))
        }
    }

    /// Waits for the answer to the last ping. The ping may have to wait for a message that is being sent: until then the clock
    /// begins anew while the connection takes bytes.
    private func staysSilent(since before: Int) async throws -> Bool {
        var (begin, written) = (ContinuousClock.now, state.withLock { $0.written })
        while true {
            try await Task.sleep(until: begin + options.pongTimeout)
            guard received == before, !isHeld else { return false }
            let now = state.withLock { ($0.written, ping: $0.lastPing) }
            if let ping = now.ping, ping > begin {
                begin = ping
            } else if now.ping == nil, now.0 != written {
                (begin, written) = (.now, now.0)
            } else {
                return true
            }
        }
    }

    private var received: Int { state.withLock { $0.received } }
    private var isHeld: Bool { state.withLock { $0.reader != nil } }

    // MARK: - Closing

    /// Closes in the orderly way: both Close frames, then the end of the connection.
    func close(_ code: WebSocket.CloseCode, _ reason: String) async {
        let (isFirst, reader) = state.withLock { state in
            defer { state.closing = state.closing ?? .init(code: code.mayBeSent ? code : .noStatus, reason: reason, side: .here) }
            if state.closing == nil { state.end = state.end ?? .success(()) }
            return (state.closing == nil, state.takeReader())
        }
        reader?.resume()
        state.withLock { $0.takeConsumer() }?.resume()
        if isFirst {
            limitClosing()
            state.withLock { $0.control.close = writer.close(code, reason) }
            flush()
        }
        await waitForEnd()
    }

    private func sendClose(_ code: WebSocket.CloseCode, _ reason: String) async {
        limitClosing()
        state.withLock { $0.control.end() }
        do {
            try await turns.enter()
            defer { turns.leave() }
            try await connection.write(writer.close(code, reason))
        } catch {}
    }

    private func limitClosing() {
        addClock(
            Task { [connection, options] in
                try await Task.sleep(for: options.closeTimeout)
                connection.close()
            })
    }

    private func waitForEnd() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.closers.append(continuation) }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            connection.close()
        }
    }
}

extension WebSocketSession.State {
    fileprivate mutating func takeConsumer() -> CheckedContinuation<Void, Never>? {
        defer { consumer = nil }
        return consumer
    }

    fileprivate mutating func takeReader() -> CheckedContinuation<Void, Never>? {
        defer { reader = nil }
        return reader
    }
}

/// Messages that wait for the app, oldest first.
struct MessageQueue {
    private(set) var messages: [WebSocket.Message?] = []
    private var first = 0
    /// The bytes of all waiting messages, with a fixed cost for each.
    private(set) var size = 0

    var isEmpty: Bool { first == messages.count }

    mutating func append(_ message: WebSocket.Message) {
        messages.append(message)
        size += message.cost
    }

    mutating func popFirst() -> WebSocket.Message? {
        guard !isEmpty else { return nil }
        let message = messages[first]
        messages[first] = nil
        first += 1
        if isEmpty {
            messages.removeAll(keepingCapacity: true)
            first = 0
        } else if first >= 64, first * 2 >= messages.count {
            // A queue that is never empty would keep a slot of each message ever received.
            messages.removeFirst(first)
            first = 0
        }
        size -= message?.cost ?? 0
        return message
    }
}

extension WebSocket.Message {
    fileprivate var cost: Int {
        switch self {
        case .text(let text): text.utf8.count + 64
        case .binary(let data): data.count + 64
        }
    }
}

/// Control frames that wait to be sent.
private struct ControlFrames {
    enum Frame {
        case control(Opcode, Data)
        case whole(Data)

        func bytes(_ writer: FrameWriter) -> Data {
            switch self {
            case .control(let opcode, let payload): writer.frame(opcode, payload)
            case .whole(let frame): frame
            }
        }

        /// Whether it is a ping of the keep-alive: an app's ping has a payload.
        var isKeepAlive: Bool { if case .control(.ping, let payload) = self { payload.isEmpty } else { false } }
    }

    private var pongs: [Data] = []
    var pings: [Data] = []
    /// The last frame that is sent.
    var close: Data?
    private var isSending = false
    private var isOver = false

    /// In a flood of pings the oldest unsent answers are dropped (RFC 6455 §5.5.3).
    mutating func appendPong(_ payload: Data) {
        if pongs.count == Self.longest { pongs.removeFirst() }
        pongs.append(payload)
    }

    private static let longest = 64

    /// - Returns: whether the caller must start a task that sends them.
    mutating func beginSending() -> Bool {
        guard !isSending, !isOver, !pongs.isEmpty || !pings.isEmpty || close != nil else { return false }
        isSending = true
        return true
    }

    /// The next frame; `nil` ends the sending task.
    mutating func next() -> Frame? {
        if let frame = nextBetweenFragments() { return frame }
        guard let close, !isOver else {
            isSending = false
            return nil
        }
        end()
        return .whole(close)
    }

    /// Ends the sending: no frame follows the Close frame.
    mutating func end() { isOver = true }

    mutating func nextBetweenFragments() -> Frame? {
        guard !isOver else { return nil }
        if !pongs.isEmpty { return .control(.pong, pongs.removeFirst()) }
        return pings.isEmpty ? nil : .control(.ping, pings.removeFirst())
    }
}
