internal import CoreAPICore
internal import Foundation

/// What a WebSocket's session knows, and what each event changes. A value without I/O: ``WebSocketSession`` runs the tasks, and
/// does what a change demands.
struct SocketState {
    typealias Waiter = @Sendable () -> Void
    typealias PingWaiter = @Sendable (Result<Void, any Error>) -> Void

    /// What a change demands. It is done outside the session's lock, because a resumed task may run at once.
    struct Effects {
        var resumed: [Waiter] = []
        /// The Close frame, if it may be sent now.
        var lastFrame: Data?
        /// Those that are not needed any more.
        var clocks: [Task<Void, any Error>] = []

        fileprivate mutating func resume(_ waiter: inout Waiter?) { if let waiting = waiter.take() { resumed.append(waiting) } }
    }

    /// The number of bytes of messages that may wait for the app. Beyond it the session stops reading.
    static let room = 64 * 1_024
    /// The number of bytes that are read and dropped after the end. A peer that sends more will not close.
    static let drainLimit = 16 * 1_024 * 1_024
    private static let mostPongs = 64

    /// The end, once a reason for it is known.
    private(set) var end: SocketEnd?
    /// Whether the app hears of the end, after the last message.
    private(set) var isAnnounced = false
    /// Whether the connection has ended.
    private(set) var isOver = false
    /// The number of pieces received so far.
    private(set) var received = 0
    /// When the peer's silence began to count: with the keep-alive's last ping or, while that waits, with the last write.
    private(set) var silentSince = ContinuousClock.now
    private var isPingWritten = false
    /// Those that wait for the app: at most some 1,024, because each counts at least 64 bytes. So the first is removed quickly.
    private var messages: [WebSocket.Message] = []
    private var messagesSize = 0
    /// The task that waits for a message.
    private var consumer: Waiter?
    /// The reading task, while the queue of messages is full, or the last frame waits.
    private var reader: Waiter?
    private var left = SocketState.drainLimit
    /// Whether a frame is being sent in pieces, and the Close frame that waits for its last one.
    private(set) var isInFrame = false
    private var lastFrame: Data?
    /// Control frames that wait to be sent, and whether a task sends them.
    private var unsent: [ControlFrame] = []
    private var isSending = false
    /// The pings that tasks wait for.
    private var pings: [(payload: Data, waiter: PingWaiter)] = []
    private var clocks: [Task<Void, any Error>] = []

    /// Whether messages are dropped, because this side has closed.
    var drops: Bool { end?.closing.side == .here || isOver }
    var isReaderHeld: Bool { reader != nil }
    /// Why a task cannot send any more.
    var reason: any Error { end?.error ?? WebSocketSession.lost("the WebSocket is closed (\(end?.closing.code ?? .abnormal))") }

    /// Counts received bytes, and says whether to read on.
    mutating func receive(_ count: Int) -> Bool {
        received += 1
        if end != nil { left -= count }
        return left > 0
    }

    /// Whether the reading task must wait until there is room for a message.
    mutating func waitForRoom(_ waiter: @escaping Waiter) -> Bool {
        guard !drops, messagesSize >= Self.room else { return false }
        reader = waiter
        return true
    }

    /// Whether the reading task must wait until the last frame is sent.
    mutating func waitUntilAnnounced(_ waiter: @escaping Waiter) -> Bool {
        if !isAnnounced { reader = waiter }
        return !isAnnounced
    }

    mutating func append(_ message: WebSocket.Message, _ effects: inout Effects) {
        if !drops {
            messages.append(message)
            messagesSize += message.cost
        }
        effects.resume(&consumer)
    }

    /// The next message and, after the last one, the end.
    mutating func next(_ effects: inout Effects) -> (message: WebSocket.Message?, end: SocketEnd?) {
        let message = messages.isEmpty ? nil : messages.removeFirst()
        messagesSize -= message?.cost ?? 0
        if messagesSize <= Self.room / 2 { effects.resume(&reader) }
        return (message, isAnnounced ? end : nil)
    }

    /// Whether a task has to wait for a message.
    enum Wait: Sendable { case waits, isReady, isSecond }

    mutating func waitForMessage(_ waiter: @escaping Waiter) -> Wait {
        guard messages.isEmpty, !isAnnounced else { return .isReady }
        guard consumer == nil else { return .isSecond }
        consumer = waiter
        return .waits
    }

    mutating func resumeConsumer(_ effects: inout Effects) { effects.resume(&consumer) }

    /// Begins a frame that is sent in pieces, unless the socket has ended: a Close frame waits for the last one.
    mutating func beginFrame() -> Bool {
        isInFrame = end == nil
        return isInFrame
    }

    mutating func endFrame(_ effects: inout Effects) {
        isInFrame = false
        effects.lastFrame = lastFrame.take()
    }

    /// A ping, or the response to one.
    struct ControlFrame {
        let opcode: Opcode
        let payload: Data

        /// Whether it is a ping of the keep-alive: an app's ping has a payload.
        var isKeepAlive: Bool { opcode == .ping && payload.isEmpty }
    }

    /// In a flood of pings the oldest unsent pongs are dropped (RFC 6455 §5.5.3).
    mutating func appendPong(_ payload: Data) {
        let pongs = unsent.indices.filter { unsent[$0].opcode == .pong }
        if let oldest = pongs.first, pongs.count == Self.mostPongs { unsent.remove(at: oldest) }
        unsent.append(ControlFrame(opcode: .pong, payload: payload))
    }

    mutating func keepAlive() {
        (isPingWritten, silentSince) = (false, .now)
        unsent.append(ControlFrame(opcode: .ping, payload: Data()))
    }

    mutating func noteWritten(isKeepAlive: Bool) {
        if isKeepAlive || !isPingWritten { silentSince = .now }
        if isKeepAlive { isPingWritten = true }
    }

    /// Whether the caller must start a task that sends the waiting frames.
    mutating func beginSending() -> Bool {
        guard !isSending, end == nil, !unsent.isEmpty else { return false }
        isSending = true
        return true
    }

    /// The next frame for that task; `nil` ends it.
    mutating func nextToSend() -> ControlFrame? {
        let frame = nextBetweenFragments()
        if frame == nil { isSending = false }
        return frame
    }

    /// No frame follows the Close frame.
    mutating func nextBetweenFragments() -> ControlFrame? { end == nil && !unsent.isEmpty ? unsent.removeFirst() : nil }

    /// Queues a ping, unless the socket has ended.
    mutating func ping(_ payload: Data, _ waiter: @escaping PingWaiter) -> Bool {
        guard end == nil else { return false }
        pings.append((payload, waiter))
        unsent.append(ControlFrame(opcode: .ping, payload: payload))
        return true
    }

    mutating func forgetPing(_ payload: Data) { pings.removeAll { $0.payload == payload } }

    /// The response to a ping answers all earlier ones, too.
    mutating func answerPings(through payload: Data, _ effects: inout Effects) {
        guard let index = pings.firstIndex(where: { $0.payload == payload }) else { return }
        effects.resumed += pings[...index].map { ping in { ping.waiter(.success(())) } }
        pings.removeFirst(index + 1)
    }

    /// Sets the end, unless there is one. No control frame follows, but the Close frame, once no other frame is being sent.
    mutating func end(_ end: SocketEnd, sending frame: Data?, _ effects: inout Effects) -> Bool {
        guard self.end == nil else { return false }
        self.end = end
        if isInFrame { lastFrame = frame } else { effects.lastFrame = frame }
        if drops { effects.resume(&reader) }
        return true
    }

    mutating func announceEnd(_ effects: inout Effects) {
        isAnnounced = true
        effects.resume(&consumer)
        effects.resume(&reader)
        effects.resumed += pings.map { [reason] ping in { ping.waiter(.failure(reason)) } }
        pings = []
    }

    mutating func finish(_ effects: inout Effects) {
        isOver = true
        announceEnd(&effects)
        effects.clocks += clocks
        clocks = []
    }

    /// Keeps a clock until the connection's end.
    mutating func add(_ clock: Task<Void, any Error>, _ effects: inout Effects) {
        if isOver { effects.clocks.append(clock) } else { clocks.append(clock) }
    }
}

/// How a socket ended. All of its tasks report this one value.
struct SocketEnd {
    let closing: WebSocket.Closing
    /// `nil` after an orderly end.
    let error: APIClientError?
}

extension WebSocket.Message {
    fileprivate var cost: Int {
        switch self {
        case .text(let text): text.utf8.count + 64
        case .binary(let data): data.count + 64
        }
    }
}
