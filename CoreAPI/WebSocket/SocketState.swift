internal import CoreAPICore
internal import Foundation

/// What a WebSocket's session knows, and what each event changes. A value without I/O: ``WebSocketSession`` runs the tasks, and
/// does what a change demands.
struct SocketState {
    /// Resumes a task.
    typealias Waiter = @Sendable () -> Void
    /// Resumes a task that waits for the response to a ping.
    typealias PingWaiter = @Sendable (Result<Void, any Error>) -> Void

    /// What a change demands. It is done outside the session's lock, because a resumed task may run at once.
    struct Effects {
        var resumed: [Waiter] = []
        /// The tasks of pings that get no response any more.
        var unanswered: [PingWaiter] = []
        /// The Close frame, if it may be sent now.
        var lastFrame: Data?
        /// Clocks that are not needed any more.
        var clocks: [Task<Void, any Error>] = []

        fileprivate mutating func resume(_ waiter: inout Waiter?) {
            if let waiting = waiter.take() { resumed.append(waiting) }
        }
    }

    /// The number of bytes of messages that may wait for the app. Beyond it the session stops reading.
    static let room = 64 * 1_024
    /// The number of bytes that are read and dropped after the end. A peer that sends more will not close.
    static let farewell = 16 * 1_024 * 1_024

    /// The end, once a reason for it is known.
    private(set) var end: SocketEnd?
    /// Whether the app hears of the end, after the last message.
    private(set) var isAnnounced = false
    /// Whether the connection has ended.
    private(set) var isOver = false
    /// The number of pieces received so far.
    private(set) var received = 0
    /// The number of writes to the connection so far, and the time of the last ping of the keep-alive among them.
    private(set) var written = 0
    private(set) var lastPing: ContinuousClock.Instant?
    var control = ControlFrames()
    private var messages = MessageQueue()
    /// The task that waits for a message.
    private var consumer: Waiter?
    /// The reading task, while the queue of messages is full, or the last frame waits.
    private var reader: Waiter?
    /// The number of bytes that may still be dropped.
    private var farewell = SocketState.farewell
    /// Whether a frame is being sent in pieces, and the Close frame that waits for its last one.
    private(set) var isInFrame = false
    private var lastFrame: Data?
    private var pings: [(payload: Data, waiter: PingWaiter)] = []
    /// The tasks that wait for the connection's end, or only for the reason.
    private var waiters: [Int: (waiter: Waiter, isForReason: Bool)] = [:]
    private var lastWaiter = 0
    private var clocks: [Task<Void, any Error>] = []

    /// Whether messages are dropped, because this side has closed.
    var drops: Bool { end?.closing.side == .here || isOver }
    /// Whether the reading task waits for the app.
    var isReaderHeld: Bool { reader != nil }

    // MARK: - Reading

    /// Counts received bytes.
    ///
    /// - Returns: whether to read on.
    mutating func receive(_ count: Int) -> Bool {
        received += 1
        if end != nil { farewell -= count }
        return farewell > 0
    }

    /// - Returns: whether the reading task must wait until there is room for a message.
    mutating func waitForRoom(_ waiter: @escaping Waiter) -> Bool {
        guard !drops, messages.size >= Self.room else { return false }
        reader = waiter
        return true
    }

    /// - Returns: whether the reading task must wait until the last frame is sent.
    mutating func waitUntilAnnounced(_ waiter: @escaping Waiter) -> Bool {
        if !isAnnounced { reader = waiter }
        return !isAnnounced
    }

    mutating func append(_ message: WebSocket.Message, _ effects: inout Effects) {
        if !drops { messages.append(message) }
        effects.resume(&consumer)
    }

    // MARK: - The app

    /// The next message and, after the last one, the end.
    mutating func next(_ effects: inout Effects) -> (message: WebSocket.Message?, end: SocketEnd?) {
        let message = messages.popFirst()
        if messages.size <= Self.room / 2 { effects.resume(&reader) }
        return (message, isAnnounced ? end : nil)
    }

    /// Whether a task has to wait for a message.
    enum Wait: Sendable {
        case waits, isReady
        /// Another task waits already.
        case isSecond
    }

    mutating func waitForMessage(_ waiter: @escaping Waiter) -> Wait {
        guard messages.isEmpty, !isAnnounced else { return .isReady }
        guard consumer == nil else { return .isSecond }
        consumer = waiter
        return .waits
    }

    mutating func resumeConsumer(_ effects: inout Effects) { effects.resume(&consumer) }

    // MARK: - Writing

    /// Begins a frame that is sent in pieces: a Close frame waits for the last one.
    ///
    /// - Returns: `false` after the end.
    mutating func beginFrame() -> Bool {
        isInFrame = end == nil
        return isInFrame
    }

    mutating func endFrame(_ effects: inout Effects) {
        isInFrame = false
        effects.lastFrame = lastFrame.take()
    }

    mutating func noteWritten() { written += 1 }
    mutating func noteKeepAlive() { lastPing = .now }

    /// Queues a ping of the keep-alive.
    mutating func keepAlive() {
        lastPing = nil
        control.pings.append(Data())
    }

    // MARK: - Pings

    /// Queues a ping.
    ///
    /// - Returns: `false` after the end.
    mutating func ping(_ payload: Data, _ waiter: @escaping PingWaiter) -> Bool {
        guard end == nil else { return false }
        pings.append((payload, waiter))
        control.pings.append(payload)
        return true
    }

    /// A ping that is not waited for any more; `nil` if it was answered.
    mutating func endPing(_ payload: Data) -> PingWaiter? {
        pings.firstIndex { $0.payload == payload }.map { pings.remove(at: $0).waiter }
    }

    /// The response to a ping answers all earlier ones, too.
    mutating func answerPings(through payload: Data, _ effects: inout Effects) {
        guard let index = pings.firstIndex(where: { $0.payload == payload }) else { return }
        effects.resumed += pings[...index].map { ping in { ping.waiter(.success(())) } }
        pings.removeFirst(index + 1)
    }

    // MARK: - The end

    /// Sets the end, unless there is one. No control frame follows, but the Close frame, once no other frame is being sent.
    ///
    /// - Parameter frame: the Close frame; `nil` if none can be sent.
    /// - Returns: whether this is the end.
    mutating func end(_ end: SocketEnd, sending frame: Data?, _ effects: inout Effects) -> Bool {
        guard self.end == nil else { return false }
        self.end = end
        control.end()
        if isInFrame { lastFrame = frame } else { effects.lastFrame = frame }
        resumeWaiters(forReasonOnly: true, &effects)
        if drops { effects.resume(&reader) }
        return true
    }

    /// The app hears of the end.
    mutating func announceEnd(_ effects: inout Effects) {
        isAnnounced = true
        effects.resume(&consumer)
        effects.resume(&reader)
        effects.unanswered += pings.map(\.waiter)
        pings = []
    }

    /// The connection has ended.
    mutating func finish(_ effects: inout Effects) {
        isOver = true
        announceEnd(&effects)
        resumeWaiters(forReasonOnly: false, &effects)
        effects.clocks += clocks
        clocks = []
    }

    /// A number for a task that waits for the end.
    mutating func nextWaiter() -> Int {
        lastWaiter += 1
        return lastWaiter
    }

    /// - Returns: whether a task has to wait for the end of the connection, or only for the reason of it.
    mutating func waitForEnd(_ number: Int, isForReason: Bool, _ waiter: @escaping Waiter) -> Bool {
        guard isForReason ? end == nil : !isOver else { return false }
        waiters[number] = (waiter, isForReason)
        return true
    }

    mutating func resumeWaiter(_ number: Int, _ effects: inout Effects) {
        if let waiting = waiters.removeValue(forKey: number) { effects.resumed.append(waiting.waiter) }
    }

    /// Keeps a clock until the connection's end.
    mutating func add(_ clock: Task<Void, any Error>, _ effects: inout Effects) {
        if isOver { effects.clocks.append(clock) } else { clocks.append(clock) }
    }

    private mutating func resumeWaiters(forReasonOnly: Bool, _ effects: inout Effects) {
        for (number, waiting) in waiters where !forReasonOnly || waiting.isForReason {
            waiters[number] = nil
            effects.resumed.append(waiting.waiter)
        }
    }
}

/// How a socket ended. All of its tasks report this one value.
struct SocketEnd {
    let closing: WebSocket.Closing
    /// `nil` after an orderly end.
    let error: APIClientError?
}
