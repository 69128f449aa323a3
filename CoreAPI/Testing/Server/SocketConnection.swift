internal import CoreAPI
internal import CoreAPICore
internal import CoreAPIHTTP
internal import Dispatch
internal import Foundation

/// A server's connection after it switched protocols, for a task. Two threads move its bytes: the connection's own thread
/// receives, another one sends.
final class SocketConnection: RawConnection {
    private static let room = 64 << 10
    /// The interval at which a waiting thread checks whether the server closes.
    private static let patience = DispatchTimeInterval.milliseconds(50)

    private let socket: ConnectionSocket
    private let received: ChunkBuffer
    private let toSend: ChunkBuffer
    private let mayReceive: DispatchSemaphore
    private let maySend: DispatchSemaphore
    private let isClosed = Mutex(false)

    init(_ socket: ConnectionSocket) {
        self.socket = socket
        let (mayReceive, maySend) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        (self.mayReceive, self.maySend) = (mayReceive, maySend)
        received = ChunkBuffer(limit: Self.room, resume: { mayReceive.signal() }, abandoned: { mayReceive.signal() })
        toSend = ChunkBuffer(limit: Self.room, resume: { maySend.signal() })
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

    /// Blocks the connection's thread until the function has returned and all bytes are sent.
    ///
    /// If the server closes, it waits for no task: the one that closes the server may hold the thread that the function needs.
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
        while served.wait(timeout: .now() + Self.patience) == .timedOut, !socket.isClosing {}
        sent.wait()
    }

    private func receiveAll() {
        while true {
            while !received.hasRoom() {
                guard !socket.isClosing else { return received.finish(.success(())) }
                _ = mayReceive.wait(timeout: .now() + Self.patience)
            }
            guard let bytes = socket.receive() else { return received.finish(.success(())) }
            received.offer(bytes)
        }
    }

    private func sendAll() {
        while true {
            switch toSend.take(atMost: .max) {
            case .chunk(let bytes):
                guard socket.send(bytes) else { return toSend.abandon() }
            case .nothing:
                guard !socket.isClosing else { return toSend.abandon() }
                _ = maySend.wait(timeout: .now() + Self.patience)
            case .end, .failed:
                guard !socket.isClosing, !isClosed.withLock({ $0 }) else { return socket.shutDown() }
                _ = maySend.wait(timeout: .now() + Self.patience)
            }
        }
    }
}
