import Foundation

/// A server's threads: one accepts connections, each connection has one more. They end when the `closing` latch opens, and the
/// last one opens `finished`.
///
/// The engine is apart from ``LoopbackServer`` so that threads do not keep the server alive and a forgotten one closes itself.
final class ServerEngine: Sendable {
    /// Chooses the reply to a request; its turn counts the requests that were read to their end, from 0.
    typealias Answer = @Sendable (_ request: ReceivedRequest, _ turn: Int) -> Reply

    /// 512 KiB: room for a handler that decodes JSON, and hundreds of threads in little memory.
    private static let stackSize = 512 << 10

    let ledger = Watched(ServerLedger())
    private let closing: Latch
    private let finished: Latch
    private let onConnect: Reply
    private let answer: Answer

    init(onConnect: Reply, answer: @escaping Answer) throws(LoopbackServerError) {
        closing = try Latch()
        finished = try Latch()
        self.onConnect = onConnect
        self.answer = answer
    }

    /// Starts to accept connections; returns at once.
    func start(_ listener: ListeningSocket) {
        startThread { self.acceptConnections(listener) }
    }

    func close() {
        ledger.update { $0.close() }
        closing.open()
        // A handler that closes its own server runs on a thread that cannot wait for itself.
        guard !ledger.value.isRunning(ObjectIdentifier(Thread.current)) else { return }
        finished.wait(milliseconds: 5000)
    }

    private func startThread(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread {
            work()
            let isLast = self.ledger.update { $0.threadEnds(ObjectIdentifier(Thread.current)) }
            if isLast { self.finished.open() }
        }
        thread.stackSize = Self.stackSize
        ledger.update { $0.threadStarts(ObjectIdentifier(thread)) }
        thread.start()
    }

    private func acceptConnections(_ listener: ListeningSocket) {
        while let descriptor = listener.accept(until: closing) {
            let number = ledger.update { $0.connectionAccepted() }
            startThread { self.serve(descriptor, number: number) }
        }
        listener.close()
    }

    private func serve(_ descriptor: Int32, number: Int) {
        let socket = ConnectionSocket(descriptor, closing: closing)
        defer {
            socket.close()
            ledger.update { $0.connectionClosed() }
        }
        guard ReplyPlayer(socket: socket).play(onConnect) else { return }
        var reader = RequestReader(socket: socket, connection: number)
        while serveNext(&reader, on: socket) {}
    }

    /// - Returns: Whether the connection goes on.
    private func serveNext(_ reader: inout RequestReader, on socket: ConnectionSocket) -> Bool {
        switch reader.next() {
        case .ended:
            return false
        case .defective(let request, let isMalformed):
            _ = ledger.update { $0.requestRead(request) }
            guard isMalformed else { return false }
            return ReplyPlayer(socket: socket).play(.badRequest(request.defect ?? ""))
        case .whole(let request, let head):
            let turn = ledger.update { $0.requestRead(request) }
            let player = ReplyPlayer(socket: socket, omitsBody: request.method == "HEAD")
            guard player.play(answer(request, turn)) else { return false }
            guard head.asksToClose else { return true }
            socket.shutDown()
            return false
        }
    }
}
