package import Foundation

/// Chunks of a body on their way between a task and a thread, with bounded room. The task may wait. The thread must not, and is
/// called back when it may continue. A response's body goes from a loop to a task, a request's from a task to a loop.
package final class ChunkBuffer: Sendable {
    fileprivate struct State {
        /// The oldest last.
        var chunks: [Data] = []
        /// The newest of them, while pieces are copied into it.
        var filling: ChunkMemory.Chunk?
        let memory = ChunkMemory()
        var size = 0
        var end: Result<Void, any Error>?
        /// Called when the thread comes to the end.
        var taken: (@Sendable () -> Void)?
        var waiter: CheckedContinuation<Void, any Error>?
        /// Whether the thread found no room, or no chunk, and has not been called back yet.
        var isThreadHeld = false
        var isAbandoned = false
        var isIterated = false
    }

    package enum Taken {
        case chunk(Data)
        /// No chunk yet; `resume` will be called.
        case nothing
        case end
        case failed(any Error)
    }

    private let state = Mutex(State())
    private let limit: Int
    private let resume: @Sendable () -> Void
    private let abandoned: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: the bytes that may lie here, beyond one chunk.
    ///   - resume: tells the thread that there is room, or a chunk to take; called on the task's thread.
    ///   - abandoned: tells the thread that the other side is gone.
    package init(limit: Int, resume: @escaping @Sendable () -> Void, abandoned: @escaping @Sendable () -> Void = {}) {
        (self.limit, self.resume, self.abandoned) = (limit, resume, abandoned)
    }

    /// Whether a chunk may be offered. If not, `resume` is called when there is room.
    package func hasRoom() -> Bool {
        state.withLock { state in
            state.isThreadHeld = state.size >= limit && !state.isAbandoned
            return !state.isThreadHeld
        }
    }

    /// Puts a chunk in, however much room there is.
    package func offer(_ chunk: Data) {
        state.withLock { if !$0.isAbandoned { $0.put(chunk) } }
        wake()
    }

    /// Copies a piece. A waiting task is woken by ``wake()`` only, which must follow: once for several pieces.
    package func add(_ piece: UnsafeRawBufferPointer) { state.withLock { if !$0.isAbandoned { $0.put(piece) } } }
    /// Wakes the task if it waits.
    package func wake() { state.withLock { $0.takeWaiter() }?.resume() }

    /// No chunk follows. The first end counts.
    package func finish(_ end: Result<Void, any Error>) {
        let (waiter, isThreadHeld) = state.withLock { state in
            if state.end == nil { state.end = end }
            defer { state.isThreadHeld = false }
            return (state.takeWaiter(), state.isThreadHeld)
        }
        waiter?.resume()
        if isThreadHeld { resume() }
    }

    /// Takes at most `count` bytes. A task that waits for room is woken when half of it is free: not for each chunk.
    package func take(atMost count: Int) -> Taken {
        typealias Found = (Taken, CheckedContinuation<Void, any Error>?, whenTaken: (@Sendable () -> Void)?)
        let (taken, waiter, whenTaken) = state.withLock { state -> Found in
            guard let chunk = state.take(atMost: count) else {
                switch state.end {
                case .success: return (.end, nil, state.taken.take())
                case .failure(let error): return (.failed(error), nil, nil)
                case nil:
                    state.isThreadHeld = true
                    return (.nothing, nil, nil)
                }
            }
            return (.chunk(chunk), state.size <= limit / 2 ? state.takeWaiter() : nil, nil)
        }
        waiter?.resume()
        whenTaken?()
        return taken
    }

    /// The next chunk; `nil` at the end.
    ///
    /// - Throws: the error that the other side ended with; `CancellationError` if the task is cancelled or the buffer abandoned;
    ///   ``BodyError/readTwice`` if another task waits for a chunk.
    package func next() async throws -> Data? {
        while true {
            // Asked here as well: a reader that never has to wait is cancelled, too.
            try Task.checkCancellation()
            let (chunk, end, isThreadHeld) = state.withLock { state in
                let chunk = state.take(atMost: .max)
                let mayResume = state.isThreadHeld && state.size <= limit / 2
                if mayResume { state.isThreadHeld = false }
                // No chunk and no waking follow.
                return (chunk, state.end ?? (state.isAbandoned ? .failure(CancellationError()) : nil), mayResume)
            }
            if isThreadHeld { resume() }
            if let chunk { return chunk }
            if let end { return try end.map { nil }.get() }
            try await wait { $0.size == 0 && $0.end == nil }
        }
    }

    /// Puts a chunk in once there is room. Throws `CancellationError` if the task is cancelled or the thread needs no more.
    package func push(_ chunk: Data) async throws {
        try await wait { [limit] in $0.size >= limit && $0.end == nil }
        let isThreadHeld = try state.withLock { state in
            guard !state.isAbandoned, state.end == nil else { throw CancellationError() }
            state.put(chunk)
            defer { state.isThreadHeld = false }
            return state.isThreadHeld
        }
        if isThreadHeld { resume() }
    }

    /// Puts the last chunk in at once, however much room there is. Tasks that push or wait to push another one fail. `taken` is
    /// called once, when the thread has come to the end or needs no more chunks.
    package func finish(after chunk: Data, taken: @escaping @Sendable () -> Void) {
        let (isLate, waiter, isThreadHeld) = state.withLock { state in
            guard state.end == nil, !state.isAbandoned else { return (true, nil as CheckedContinuation<Void, any Error>?, false) }
            state.put(chunk)
            (state.end, state.taken) = (.success(()), taken)
            defer { state.isThreadHeld = false }
            return (false, state.takeWaiter(), state.isThreadHeld)
        }
        waiter?.resume()
        if isThreadHeld { resume() }
        if isLate { taken() }
    }

    /// An iterator's hold on the buffer. Releasing it ends the task's side, so leaving the loop over a body ends its exchange.
    package final class Iteration {
        private let buffer: ChunkBuffer

        /// - Throws: ``BodyError/readTwice`` for a second one: bytes from the network can be read once.
        package init(over buffer: ChunkBuffer) throws(BodyError) {
            let isFirst = buffer.state.withLock { state in
                defer { state.isIterated = true }
                return !state.isIterated
            }
            guard isFirst else { throw .readTwice }
            self.buffer = buffer
        }

        deinit { buffer.abandon() }
    }

    /// Ends the task's side. A second call does nothing.
    package func abandon() {
        let (waiter, isFirst, taken) = state.withLock { state in
            defer { (state.isAbandoned, state.chunks, state.filling, state.size) = (true, [], nil, 0) }
            return (state.takeWaiter(), !state.isAbandoned && state.end == nil, state.taken.take())
        }
        waiter?.resume()
        taken?()
        if isFirst { abandoned() }
    }

    private func wait(while isEarly: @escaping @Sendable (State) -> Bool) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    guard isEarly(state), !state.isAbandoned, !Task.isCancelled else { return .success(()) }
                    guard state.waiter == nil else { return .failure(BodyError.readTwice) }
                    state.waiter = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.takeWaiter() }?.resume()
        }
        try Task.checkCancellation()
    }
}

extension ChunkBuffer.State {
    private static let mergedSize = 16 * 1_024

    /// A small piece is often all that there is for now.
    fileprivate mutating func put(_ piece: UnsafeRawBufferPointer) {
        if filling?.append(piece) == true { return size += piece.count }
        guard (Self.mergedSize...ChunkMemory.size).contains(piece.count) else { return put(Data(piece)) }
        endFilling()
        filling = memory.take()
        put(piece)
    }

    private mutating func endFilling() {
        if let filling { chunks.insert(filling.data, at: 0) }
        filling = nil
    }

    fileprivate mutating func put(_ chunk: Data) {
        endFilling()
        size += chunk.count
        // Small pieces become one, so that a peer that sends bytes one by one costs neither memory nor time for each.
        if let newest = chunks.first, newest.count + chunk.count <= Self.mergedSize {
            chunks[0].append(chunk)
        } else {
            chunks.insert(chunk, at: 0)
        }
    }

    fileprivate mutating func take(atMost count: Int) -> Data? {
        if chunks.isEmpty { endFilling() }
        guard let chunk = chunks.popLast() else { return nil }
        let taken = chunk.prefix(count)
        if taken.count < chunk.count { chunks.append(chunk.dropFirst(taken.count)) }
        size -= taken.count
        return taken
    }

    fileprivate mutating func takeWaiter() -> CheckedContinuation<Void, any Error>? {
        defer { waiter = nil }
        return waiter
    }
}
