internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

extension WebSocketSession {
    /// The number of bytes of a frame that are masked and queued at once.
    private static let piece = 64 * 1_024

    /// A connection that takes no more bytes.
    private struct Unwritten: Error {}

    // MARK: - Messages

    /// Sends a message, and returns when it is queued.
    func send(_ opcode: Opcode, _ payload: Data) async throws {
        try await inTurn {
            let compressed = payload.count >= options.compression?.minimumSize ?? .max ? compress(payload) : nil
            do {
                try await write(opcode, compressed ?? payload, isCompressed: compressed != nil)
            } catch {
                // Without this message the peer could not decompress the later ones.
                if compressed != nil { cut(error) }
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
                if opcode == .continuation { cut(error) }
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
        guard state.withLock({ $0.end == nil }) else { throw failure(reason) }
        do {
            try await work()
        } catch is Unwritten {
            throw failure(await reasonOfLoss())
        } catch {
            throw failure(error)
        }
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
            cut(error)
            throw error
        }
    }

    private func writeFrame(_ opcode: Opcode, _ payload: Data, isFinal: Bool, isCompressed: Bool) async throws {
        guard payload.count > Self.piece else {
            return try await write(writer.frame(opcode, payload, isFinal: isFinal, isCompressed: isCompressed))
        }
        let (head, mask) = writer.head(opcode, length: payload.count, isFinal: isFinal, isCompressed: isCompressed)
        // From here on a Close frame waits for the last piece.
        guard state.withLock({ $0.beginFrame() }) else { throw Unwritten() }
        do {
            try await write(Data(head))
        } catch {
            change { $0.endFrame(&$1) }
            throw error
        }
        do {
            var offset = 0
            while offset < payload.count {
                let piece = payload.dropFirst(offset).prefix(Self.piece)
                try await write(writer.piece(piece, mask, offset: offset))
                offset += piece.count
            }
        } catch {
            cut(error)
            throw error
        }
        change { $0.endFrame(&$1) }
    }

    /// Ends the socket, because a message is cut off and no other can follow. In the middle of a frame no Close frame can.
    private func cut(_ error: any Error) {
        // The reading task finds out why.
        guard !(error is Unwritten) else { return }
        let isCancelled = error is CancellationError
        guard state.withLock({ $0.isInFrame }) else {
            let code = isCancelled ? WebSocket.CloseCode.normal : .internalError
            end(.init(code: code, reason: "", side: .here), isCancelled ? nil : error, sending: writer.close(code, ""))
            return
        }
        let lost = TransportError.connectionLost(
            reason: "the task that sent a message was cancelled in its middle (1006)", mayHaveBeenProcessed: false)
        end(.init(code: .abnormal, reason: "", side: .here), lost, sending: nil)
        connection.close()
        announceEnd()
    }

    // MARK: - Control frames

    /// Sends waiting control frames, in a separate task: the reading task must not wait for a peer that does not read.
    func flush() {
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
        try await write(writer.frame(frame.opcode, frame.payload))
        if frame.isKeepAlive { state.withLock { $0.noteKeepAlive() } }
    }

    /// Writes to the connection, which is progress for the keep-alive. The caller must have the turn.
    ///
    /// - Throws: `CancellationError`, ``Unwritten``.
    private func write(_ bytes: Data) async throws {
        do {
            try await connection.write(bytes)
        } catch {
            try Task.checkCancellation()
            throw Unwritten()
        }
        state.withLock { $0.noteWritten() }
    }

    // MARK: - Pings

    /// Sends a ping, and waits for its response.
    ///
    /// - Returns: the time until the response.
    func ping(within limit: Duration) async throws(APIClientError) -> Duration {
        let payload = Data((0..<8).map { _ in UInt8.random(in: .min ... .max) })
        let began = ContinuousClock.now
        var clock: Task<Void, any Error>?
        defer { clock?.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let isOpen = state.withLock { $0.ping(payload) { continuation.resume(with: $0) } }
                    guard isOpen else { return continuation.resume(throwing: reason) }
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
        state.withLock { $0.endPing(payload) }?(.failure(error))
    }

    /// Sends a ping to a silent peer, and ends the socket if the peer stays silent. While the app takes no messages, the session
    /// does not read, so the peer's silence means nothing.
    func keepAlive(every interval: Duration) async throws {
        while closing == nil {
            let before = received
            try await Task.sleep(for: interval)
            guard received == before, !isHeld else { continue }
            state.withLock { $0.keepAlive() }
            flush()
            guard try await staysSilent(since: before) else { continue }
            let error = TransportError.timedOut(.idle, after: options.pongTimeout)
            guard end(.init(code: .abnormal, reason: "", side: .here), error, sending: nil) else { continue }
            connection.close()
            announceEnd()
        }
    }

    /// Waits for the response to the last ping. The ping may have to wait for a message that is being sent: until then the clock
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
    private var isHeld: Bool { state.withLock { $0.isReaderHeld } }
}
