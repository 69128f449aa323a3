import Foundation

/// A server's threads: one accepts connections, and each connection has one. They end when the `closing` latch opens, and the
/// last one opens `finished`. When `stopping` opens, they end as soon as they have no exchange.
///
/// The engine is separate from ``LoopbackServer``, so that threads do not keep the server alive and a forgotten one closes
/// itself.
final class ServerEngine: Sendable {
    /// Chooses the reply to a request; `turn` counts completely read requests, from 0.
    typealias Answer = @Sendable (_ request: ReceivedRequest, _ turn: Int) -> ServerReply

    /// 512 KiB: room for a handler that decodes JSON, and hundreds of threads in little memory.
    private static let stackSize = 512 << 10

    let ledger: Watched<ServerLedger>
    let stopping: Latch
    private let closing: Latch
    private let finished: Latch
    private let onConnect: ServerReply
    private let tls: TLSContext?
    private let faults: FaultPlan
    let answersEarly: Bool
    /// How many bytes of a request's body are kept.
    let bodyLimit: Int
    private let answer: Answer

    init(
        onConnect: ServerReply, tls: ServerTLS?, faults: FaultPlan, answersEarly: Bool, bodyLimit: Int, keepsRequests: Bool,
        answer: @escaping Answer
    ) throws(LoopbackServerError) {
        ledger = Watched(ServerLedger(keepsRequests: keepsRequests))
        stopping = try Latch()
        closing = try Latch()
        finished = try Latch()
        self.onConnect = onConnect
        // Not `map`, which would lose the error's type.
        if let tls { self.tls = try TLSContext(tls) } else { self.tls = nil }
        self.faults = faults
        self.answersEarly = answersEarly
        self.bodyLimit = bodyLimit
        self.answer = answer
    }

    /// Starts to accept connections; returns at once.
    func start(_ listener: ListeningSocket) {
        startThread { self.acceptConnections(listener) }
    }

    func close() {
        ledger.update { $0.close() }
        closing.open()
        stopping.open()
        // A handler that closes its own server runs on a thread that cannot wait for itself.
        guard !ledger.value.isRunning(ObjectIdentifier(Thread.current)) else { return }
        finished.wait(milliseconds: 5000)
    }

    /// Whether the server ends, with or without waiting for exchanges.
    var isStopping: Bool { stopping.wait(milliseconds: 0) }

    func stop(within grace: Duration) async {
        ledger.update { $0.close() }
        stopping.open()
        await waitForThreads(grace)
        closing.open()
        await waitForThreads(.seconds(5))
    }

    /// Uses a task of its own, because a cancelled task does not wait.
    private func waitForThreads(_ limit: Duration) async {
        _ = await Task { try? await ledger.wait(limit) { !$0.hasThreads } }.value
    }

    /// Runs work on a new thread, for which ``close()`` waits.
    func startThread(_ work: @escaping @Sendable () -> Void) {
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
        while let descriptor = listener.accept(until: stopping) {
            let number = ledger.update { $0.connectionAccepted() }
            startThread { self.serve(descriptor, number: number) }
        }
        listener.close()
    }

    // MARK: - One connection, on its thread

    private func serve(_ descriptor: Int32, number: Int) {
        let session = tls.flatMap(TLSSession.init)
        let socket = ConnectionSocket(descriptor, closing: closing, tls: session)
        defer {
            socket.close()
            ledger.update { $0.connectionClosed() }
        }
        // Never falls back to clear text.
        guard session != nil || tls == nil else { return }
        let player = ReplyPlayer(socket: socket, output: HTTP1Output(socket))
        guard player.play(onConnect) else { return }
        if let fault = faultWhenReady(if: { $0.effect == .handshakeFailure }) {
            _ = player.play(fault.steps)
            return ledger.update { $0.handshakeFailed() }
        }
        guard socket.handshake() else {
            socket.waitForPeerToLeave()
            return ledger.update { $0.handshakeFailed() }
        }
        if socket.speaksHTTP2 { serveHTTP2(socket, number: number) } else { serveHTTP1(socket, number: number) }
    }

    private func serveHTTP2(_ socket: ConnectionSocket, number: Int, pending: Data = Data()) {
        try? HTTP2Connection(socket, number: number, engine: self, pending: pending).run()
    }

    private func serveHTTP1(_ socket: ConnectionSocket, number: Int) {
        var reader = RequestReader(socket: socket, connection: number, bodyLimit: bodyLimit)
        while true {
            let early = faultWhenReady()
            guard playEarly(early, .beforeRequest, on: socket) else { return }
            guard reader.begin(orUntil: stopping) else {
                if isStopping { socket.shutDown() }
                return
            }
            if reader.isHTTP2 { return serveHTTP2(socket, number: number, pending: reader.takePending()) }
            let fault = early ?? self.fault()
            guard serveNext(&reader, on: socket, fault: fault) else { return }
        }
    }

    private func playEarly(_ fault: Fault?, _ trigger: Fault.Trigger, on socket: ConnectionSocket) -> Bool {
        guard let fault, fault.trigger == trigger else { return true }
        return ReplyPlayer(socket: socket, output: HTTP1Output(socket)).play(fault.steps)
    }

    /// - Returns: Whether the connection continues.
    private func serveNext(_ reader: inout RequestReader, on socket: ConnectionSocket, fault: Fault?) -> Bool {
        let reading = reader.next(fault: fault) { self.playEarly(fault, .inRequestBody, on: socket) }
        switch reading {
        case .ended:
            return false
        case .defective(let request, let isMalformed):
            record(request)
            guard isMalformed else { return false }
            return ReplyPlayer(socket: socket, output: HTTP1Output(socket)).play(.badRequest(request.defect ?? ""))
        case .whole(let request, let head):
            let closesAtEnd = head.asksToClose || isStopping
            let output = HTTP1Output(socket, omitsBody: request.method == "HEAD", closesAtEnd: closesAtEnd)
            let reply = reply(to: request)
            return ReplyPlayer(socket: socket, output: output).play(fault?.applied(to: reply) ?? reply)
        }
    }

    // MARK: - What is common to both versions of HTTP

    func record(_ request: ReceivedRequest) {
        _ = ledger.update { $0.requestRead(request) }
    }

    /// Records a completely read request, and asks for its reply.
    func reply(to request: ReceivedRequest) -> ServerReply {
        answer(request, ledger.update { $0.requestRead(request) })
    }

    /// The fault of a request that begins now.
    func fault() -> Fault? {
        faults[ledger.update { $0.requestBegins() }]
    }

    /// The next request's fault, if it applies before that request.
    private func faultWhenReady(if isWanted: (Fault) -> Bool = { _ in true }) -> Fault? {
        ledger.update { ledger in
            guard let next = faults[ledger.begun], next.trigger == .beforeRequest, isWanted(next) else { return nil }
            _ = ledger.requestBegins()
            return next
        }
    }
}
