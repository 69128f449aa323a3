internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

extension WebSocketSession {
    /// The number of bytes of a frame that are masked and queued at once.
    private static let piece = 64 * 1_024

    /// A connection that takes no more bytes.
    private struct Unwritten: Error {}

    func send(_ opcode: Opcode, _ payload: Data) async throws(APIClientError) {
        try await locked {
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

    func send<Chunks: AsyncSequence>(_ opcode: Opcode, fragments: Chunks) async throws(APIClientError)
    where Chunks.Element == Data {
        try await locked {
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

    private func locked(_ work: () async throws -> Void) async throws(APIClientError) {
        defer { flush() }
        do {
            try await sendLock.withLock {
                guard state.withLock({ $0.end == nil }) else { throw reason }
                try await work()
            }
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
        let (head, mask) = writer.head(opcode, length: payload.count, isFinal: isFinal, isCompressed: isCompressed)
        // From here on a Close frame waits for the last piece.
        if payload.count > Self.piece, !state.withLock({ $0.beginFrame() }) { throw Unwritten() }
        var offset = 0
        do {
            repeat {
                let piece = writer.piece(payload.dropFirst(offset).prefix(Self.piece), mask, offset: offset)
                try await write(offset == 0 ? head + piece : piece)
                offset += piece.count
            } while offset < payload.count
        } catch {
            if offset > 0 { cut(error) } else { change { $0.endFrame(&$1) } }
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
        let lost = Self.lost("the task that sent a message was cancelled in its middle (1006)")
        end(.init(code: .abnormal, reason: "", side: .here), lost, sending: nil)
        connection.close()
        announceEnd()
    }

    /// Sends waiting control frames, in a separate task: the reading task must not wait for a peer that does not read.
    func flush() {
        guard state.withLock({ $0.beginSending() }) else { return }
        Task {
            try? await sendLock.withLock { while let frame = state.withLock({ $0.nextToSend() }) { try? await write(frame) } }
        }
    }

    /// Sends waiting pongs between two fragments. The caller must hold the lock.
    private func writePongs() async throws {
        while let frame = state.withLock({ $0.nextBetweenFragments() }) { try await write(frame) }
    }

    private func write(_ frame: SocketState.ControlFrame) async throws {
        try await write(writer.frame(frame.opcode, frame.payload), isKeepAlive: frame.isKeepAlive)
    }

    /// Writes to the connection, which is progress for the keep-alive. The caller must hold the lock.
    private func write(_ bytes: Data, isKeepAlive: Bool = false) async throws {
        do {
            try await connection.write(bytes)
        } catch {
            try Task.checkCancellation()
            throw Unwritten()
        }
        state.withLock { $0.noteWritten(isKeepAlive: isKeepAlive) }
    }

    func ping(within limit: Duration) async throws(APIClientError) -> Duration {
        let payload = Data((0..<8).map { _ in UInt8.random(in: .min ... .max) })
        let (began, pong) = (ContinuousClock.now, Promise<Void>())
        do {
            guard state.withLock({ $0.ping(payload) { pong.fulfil($0) } }) else { throw reason }
            defer { state.withLock { $0.forgetPing(payload) } }
            flush()
            try await pong.value(until: began + limit.asPause) { TransportError.timedOut(.idle, after: limit) }
        } catch {
            throw failure(error)
        }
        return began.duration(to: .now)
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
        while true {
            let begin = state.withLock { $0.silentSince }
            try await Task.sleep(until: begin + options.pongTimeout)
            guard received == before, !isHeld else { return false }
            if state.withLock({ $0.silentSince }) == begin { return true }
        }
    }

    private var received: Int { state.withLock { $0.received } }
    private var isHeld: Bool { state.withLock { $0.isReaderHeld } }
}

/// Lets one task at a time send, in the order of arrival. It blocks no thread, so the task that holds it may wait.
final class SendLock: Sendable {
    /// The turns of waiting tasks; `nil` while no task holds the lock.
    private let turns = Mutex<[Promise<Void>]?>(nil)

    func withLock(_ work: () async throws -> Void) async throws {
        try Task.checkCancellation()
        let turn = Promise<Void>()
        turns.withLock { turns in
            if turns == nil { turn.fulfil(.success(())) }
            if turns?.append(turn) == nil { turns = [] }
        }
        do {
            try await turn.value()
        } catch {
            // The turn may have come at the same time.
            if !turn.fulfil(.failure(error)) { leave() }
            turns.withLock { $0?.removeAll { $0 === turn } }
            throw error
        }
        defer { leave() }
        try await work()
    }

    /// Passes over tasks that were cancelled meanwhile.
    private func leave() { while let next = turns.withLock({ $0.takeNext() }), !next.fulfil(.success(())) {} }
}

extension [Promise<Void>]? {
    fileprivate mutating func takeNext() -> Promise<Void>? {
        if self?.isEmpty == true { self = nil }
        return self?.removeFirst()
    }
}
