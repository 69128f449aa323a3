internal import CoreAPI
internal import CoreAPICore
internal import CoreAPIHTTP
internal import Dispatch
internal import Foundation

/// A server's connection after it switched protocols, for a task. Two threads move its bytes: the connection's own thread
/// receives, another one sends.
final class SocketConnection: RawConnection {
    private let socket: ConnectionSocket
    private let received: ChunkBuffer
    private let toSend: ChunkBuffer
    private let mayReceive = DispatchSemaphore(value: 0)
    private let maySend = DispatchSemaphore(value: 0)
    private let isClosed = Mutex(false)

    init(_ socket: ConnectionSocket) {
        self.socket = socket
        let (mayReceive, maySend) = (mayReceive, maySend)
        received = ChunkBuffer(limit: 64 << 10, resume: { mayReceive.signal() }, abandoned: { mayReceive.signal() })
        toSend = ChunkBuffer(limit: 64 << 10, resume: { maySend.signal() })
    }

    var metrics: ExchangeMetrics? { nil }

    func read() async throws -> Data? { try await received.next() }
    func write(_ data: Data) async throws { try await toSend.push(data) }
    func finish(with last: Data, sent: @escaping @Sendable () -> Void) { toSend.finish(after: last, taken: sent) }

    /// Bytes already written are still sent.
    func close() {
        isClosed.withLock { $0 = true }
        toSend.finish(.success(()))
        received.finish(.failure(CancellationError()))
        maySend.signal()
    }

    /// Blocks the connection's thread until the function has returned and all bytes are sent. When the server
    /// closes, it returns without the function, which may need the thread that closes the server.
    func run(_ serve: @escaping @Sendable (any RawConnection) async -> Void) {
        let (served, sent) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Task {
            await serve(self)
            self.close()
            served.signal()
        }
        let sender = Thread {
            self.sendAll()
            sent.signal()
        }
        sender.stackSize = 512 << 10
        sender.start()
        receiveAll()
        while !wait(for: served), !socket.isClosing {}
        sent.wait()
    }

    /// - Returns: whether the signal came within 50 ms. After that a thread checks whether the server closes.
    @discardableResult
    private func wait(for signal: DispatchSemaphore) -> Bool { signal.wait(timeout: .now() + .milliseconds(50)) == .success }

    private func receiveAll() {
        defer { received.finish(.success(())) }
        while true {
            while !received.hasRoom() {
                guard !socket.isClosing else { return }
                wait(for: mayReceive)
            }
            guard let bytes = socket.receive() else { return }
            received.offer(bytes)
        }
    }

    private func sendAll() {
        while true {
            switch toSend.take(atMost: .max) {
            case .chunk(let bytes): guard socket.send(bytes) else { return toSend.abandon() }
            case .nothing:
                guard !socket.isClosing else { return toSend.abandon() }
                wait(for: maySend)
            case .end, .failed:
                guard !socket.isClosing, !isClosed.withLock({ $0 }) else { return socket.shutDown() }
                wait(for: maySend)
            }
        }
    }
}
