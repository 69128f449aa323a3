import Foundation

/// The server's side of one HTTP/2 connection (RFC 9113). One thread reads frames; each stream has its own thread, so that a
/// reply that stalls delays no other.
///
/// `@unchecked`: variables are touched by the reading thread only, or under `condition`.
final class HTTP2Connection: @unchecked Sendable {
    let socket: ConnectionSocket
    let number: Int
    private let engine: ServerEngine
    private let decoder: HeaderDecoder
    private var pending: Data

    /// Guards everything below, and wakes threads that wait for a window, a body or the last stream.
    private let condition = NSCondition()
    private var streams: [UInt32: HTTP2Stream] = [:]
    /// Threads of streams, and unanswered streams.
    private var running = 0
    private var unanswered = 0
    private var exchanges = 0
    private var lastStream: UInt32 = 0
    private var window = 65_535
    private var initialWindow = 65_535
    private var isOver = false
    private var isGoingAway = false
    private var hasRejected = false
    /// Whether the client has acknowledged the settings.
    private var isSettled = false

    /// Pending are bytes that were read before the protocol was known.
    init(_ socket: ConnectionSocket, number: Int, engine: ServerEngine, pending: Data = Data()) throws(LoopbackServerError) {
        (self.socket, self.number, self.engine, self.pending) = (socket, number, engine, pending)
        decoder = try HeaderDecoder()
    }

    func run() {
        // SETTINGS_MAX_CONCURRENT_STREAMS = 256; further threads would only cost.
        socket.send(HTTP2Frame(kind: .settings, payload: Data([0, 3]) + HTTP2Frame.bytes(256)).wire)
        if readPreface() { while let frame = readFrame(), handle(frame) {} }
        locked {
            isOver = true
            for stream in streams.values { stream.end() }
        }
        condition.withLock { while running > 0 { condition.wait() } }
    }

    private func readPreface() -> Bool {
        while pending.count < HTTP2Frame.preface.count, receive() {}
        guard pending.starts(with: HTTP2Frame.preface) else { return false }
        pending = Data(pending.dropFirst(HTTP2Frame.preface.count))
        return true
    }

    private func readFrame() -> HTTP2Frame? {
        while true {
            if let frame = HTTP2Frame.take(from: &pending) { return frame }
            guard receive() else { return nil }
        }
    }

    private func receive() -> Bool {
        let isEnding = locked { isGoingAway }
        if let bytes = socket.receive(orUntil: isEnding ? nil : engine.stopping) {
            pending.append(bytes)
            return true
        }
        // Streams that have begun are still answered, and the last one closes the connection. They need the client's frames.
        guard !isEnding, engine.isStopping, goAway(rejecting: nil) else { return false }
        guard locked({ unanswered > 0 }) else {
            socket.shutDown()
            return false
        }
        return receive()
    }

    /// Returns whether the connection continues.
    private func handle(_ frame: HTTP2Frame) -> Bool {
        switch frame.kind {
        case .headers: return open(frame)
        case .data: return receiveData(frame)
        case .resetStream: locked { streams[frame.stream]?.end() }
        case .settings where !frame.flags.contains(.acknowledges):
            apply(frame.payload)
            return socket.send(HTTP2Frame(kind: .settings, flags: .acknowledges).wire)
        case .settings: locked { isSettled = true }
        case .ping where !frame.flags.contains(.acknowledges):
            return socket.send(HTTP2Frame(kind: .ping, flags: .acknowledges, payload: frame.payload).wire)
        case .windowUpdate:
            let more = Int(HTTP2Frame.number(frame.payload))
            locked { if frame.stream == 0 { window += more } else { streams[frame.stream]?.window += more } }
        case .goAway: return false
        default: break
        }
        return true
    }

    private func apply(_ settings: Data) {
        let bytes = Array(settings)
        for start in stride(from: 0, to: bytes.count - bytes.count % 6, by: 6) where bytes[start] == 0 && bytes[start + 1] == 4 {
            let new = Int(HTTP2Frame.number(bytes[(start + 2)...]))
            locked {
                for stream in streams.values { stream.window += new - initialWindow }
                initialWindow = new
            }
        }
    }

    private func open(_ frame: HTTP2Frame) -> Bool {
        guard var block = frame.content else { return false }
        var last = frame
        while !last.flags.contains(.endHeaders) {
            guard let next = readFrame(), next.kind == .continuation, next.stream == frame.stream else { return false }
            block.append(next.payload)
            last = next
        }
        guard let fields = decoder.fields(of: block) else { return false }
        guard frame.stream > locked({ lastStream }) else {
            // Trailers, which no test reads; the stream may have ended.
            locked { streams[frame.stream]?.isRequestComplete = true }
            return true
        }
        guard let stream = HTTP2Stream(frame.stream, on: self, fields: fields, exchange: locked { exchanges }) else {
            return false
        }
        locked {
            exchanges += 1
            lastStream = frame.stream
            stream.window = initialWindow
            stream.isRequestComplete = frame.flags.contains(.endStream)
            streams[frame.stream] = stream
            running += 1
            unanswered += 1
        }
        engine.startThread { [self] in
            stream.serve(engine)
            locked {
                streams[stream.id] = nil
                running -= 1
            }
        }
        return true
    }

    private func receiveData(_ frame: HTTP2Frame) -> Bool {
        guard let bytes = frame.content else { return false }
        let isHeld = locked { () -> Bool in
            guard let stream = streams[frame.stream] else { return false }
            stream.request.receive(bytes, keeping: engine.settings.bodyLimit)
            if frame.flags.contains(.endStream) { stream.isRequestComplete = true }
            return stream.isHeld
        }
        guard !frame.payload.isEmpty else { return true }
        let more = HTTP2Frame.bytes(UInt32(frame.payload.count))
        var updates = HTTP2Frame(kind: .windowUpdate, payload: more).wire
        // A stream that stalls within its request's body grants no more window for it; other streams still do.
        if !frame.flags.contains(.endStream), !isHeld {
            updates += HTTP2Frame(kind: .windowUpdate, stream: frame.stream, payload: more).wire
        }
        return socket.send(updates)
    }

    /// Changes the connection's state, and wakes threads that wait for a change.
    func locked<Result>(_ body: () -> Result) -> Result {
        condition.withLock {
            defer { condition.broadcast() }
            return body()
        }
    }

    /// Blocks until a condition holds, or the stream or the connection is over. Returns whether the condition holds.
    func wait(_ stream: HTTP2Stream, until holds: () -> Bool) -> Bool {
        condition.withLock {
            while !holds() {
                guard !isOver, !stream.isEnded else { return false }
                condition.wait()
            }
            return true
        }
    }

    /// Blocks until the client allows some of `count` bytes, and takes them from its windows (RFC 9113 §5.2).
    func reserve(_ count: Int, for stream: HTTP2Stream) -> Int? {
        var granted = 0
        let isAllowed = wait(stream) {
            granted = min(count, window, stream.window, HTTP2Frame.largest)
            guard granted > 0 else { return false }
            window -= granted
            stream.window -= granted
            return true
        }
        return isAllowed ? granted : nil
    }

    func waitUntilSettled(_ stream: HTTP2Stream) { _ = wait(stream) { isSettled } }

    /// Announces the end; the stream `rejected` and later ones are not processed.
    func goAway(rejecting rejected: UInt32?) -> Bool {
        let last = locked {
            isGoingAway = true
            hasRejected = hasRejected || rejected != nil
            return rejected.map { $0 > 2 ? $0 - 2 : 0 } ?? lastStream
        }
        let payload = HTTP2Frame.bytes(last) + HTTP2Frame.bytes(0)
        return socket.send(HTTP2Frame(kind: .goAway, payload: payload).wire)
    }

    /// Called when a stream is done; the last one of a connection that is going away closes it.
    func finished() {
        let isLast = locked { () -> Bool in
            unanswered -= 1
            return isGoingAway && unanswered == 0
        }
        guard isLast else { return }
        // A rejected client may still be sending. The descriptor stays open until the stream's thread is done.
        if locked({ hasRejected }) { socket.endSending() } else { socket.shutDown() }
    }
}
