import Foundation

/// What a server was started with; ``LoopbackServer/start(on:tls:faults:onConnect:port:answersEarly:bodyLimit:keepsRequests:_:)``
/// explains it.
struct ServerSettings: Sendable {
    var tls: ServerTLS?
    var faults: FaultPlan
    var onConnect: ServerReply
    var answersEarly = false
    var bodyLimit = Int.max
    var keepsRequests = true
    /// Chooses the reply to a request; `turn` counts completely read requests, from 0.
    let answer: @Sendable (_ request: ReceivedRequest, _ turn: Int) -> ServerReply
}

/// A server's threads: one accepts connections, and each connection has one. They end when the `closing` latch opens, and the
/// last one opens `finished`. When `stopping` opens, they end as soon as they have no exchange. The engine is separate from
/// ``LoopbackServer``, so that threads do not keep the server alive and a forgotten one closes itself.
final class ServerEngine: Sendable {
    let ledger = Watched(ServerLedger())
    let settings: ServerSettings
    let stopping: Latch
    private let closing: Latch
    private let finished: Latch
    private let tls: TLSContext?

    init(_ settings: ServerSettings) throws(LoopbackServerError) {
        self.settings = settings
        (stopping, closing, finished) = try (Latch(), Latch(), Latch())
        // Not `map`, which would lose the error's type.
        if let tls = settings.tls { self.tls = try TLSContext(tls) } else { self.tls = nil }
    }

    func start(_ listener: ListeningSocket) {
        startThread {
            while let descriptor = listener.accept(until: self.stopping) {
                let number = self.ledger.update { $0.connectionAccepted() }
                self.startThread { self.serve(descriptor, number: number) }
            }
            listener.close()
        }
    }

    func close() {
        ledger.update { $0.isClosed = true }
        closing.open()
        stopping.open()
        // A handler that closes its own server runs on a thread that cannot wait for itself.
        guard !ledger.value.threads.contains(ObjectIdentifier(Thread.current)) else { return }
        finished.wait(milliseconds: 5000)
    }

    /// Whether the server ends, with or without waiting for exchanges.
    var isStopping: Bool { stopping.isOpen }

    func stop(within grace: Duration) async {
        ledger.update { $0.isClosed = true }
        stopping.open()
        await waitForThreads(grace)
        closing.open()
        await waitForThreads(.seconds(5))
    }

    /// Uses a task of its own, because a cancelled task does not wait.
    private func waitForThreads(_ limit: Duration) async {
        _ = await Task { try? await ledger.wait(limit) { $0.threads.isEmpty } }.value
    }

    /// Runs work on a new thread, for which ``close()`` waits.
    func startThread(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread {
            work()
            let isLast = self.ledger.update { ledger in
                ledger.threads.remove(ObjectIdentifier(Thread.current))
                return ledger.threads.isEmpty
            }
            if isLast { self.finished.open() }
        }
        // Room for a handler that decodes JSON, and hundreds of threads in little memory.
        thread.stackSize = 512 << 10
        ledger.update { _ = $0.threads.insert(ObjectIdentifier(thread)) }
        thread.start()
    }

    private func serve(_ descriptor: Int32, number: Int) {
        let session = tls.flatMap(TLSSession.init)
        let socket = ConnectionSocket(descriptor, closing: closing, tls: session)
        defer {
            socket.close()
            ledger.update { $0.open -= 1 }
        }
        // Never falls back to clear text.
        guard session != nil || tls == nil, HTTP1Output(socket).play(settings.onConnect) else { return }
        if let fault = faultWhenReady(if: { $0.effect == .handshakeFailure }) {
            _ = HTTP1Output(socket).play(fault.steps)
            return ledger.update { $0.failedHandshakes += 1 }
        }
        guard socket.handshake() else {
            socket.waitForPeerToLeave()
            return ledger.update { $0.failedHandshakes += 1 }
        }
        if socket.speaksHTTP2 { serveHTTP2(socket, number: number) } else { serveHTTP1(socket, number: number) }
    }

    private func serveHTTP2(_ socket: ConnectionSocket, number: Int, pending: Data = Data()) {
        try? HTTP2Connection(socket, number: number, engine: self, pending: pending).run()
    }

    private func serveHTTP1(_ socket: ConnectionSocket, number: Int) {
        var reader = RequestReader(socket: socket, connection: number, bodyLimit: settings.bodyLimit)
        while true {
            let early = faultWhenReady()
            guard playEarly(early, .beforeRequest, on: socket) else { return }
            guard reader.begin(orUntil: stopping) else {
                if isStopping { socket.shutDown() }
                return
            }
            if reader.isHTTP2 { return serveHTTP2(socket, number: number, pending: reader.takePending()) }
            guard serveNext(&reader, on: socket, fault: early ?? fault()) else { return }
        }
    }

    private func playEarly(_ fault: Fault?, _ trigger: Fault.Trigger, on socket: ConnectionSocket) -> Bool {
        guard let fault, fault.trigger == trigger else { return true }
        return HTTP1Output(socket).play(fault.steps)
    }

    /// Returns whether the connection continues.
    private func serveNext(_ reader: inout RequestReader, on socket: ConnectionSocket, fault: Fault?) -> Bool {
        switch reader.next(fault: fault, halfway: { self.playEarly(fault, .inRequestBody, on: socket) }) {
        case .ended: return false
        case .unreadable(let request, let isMalformed):
            record(request)
            return isMalformed && HTTP1Output(socket).play(.badRequest(request.error ?? ""))
        case .whole(let request, let head):
            let closesAtEnd = head.asksToClose || isStopping
            let output = HTTP1Output(socket, omitsBody: request.method == "HEAD", closesAtEnd: closesAtEnd)
            let reply = reply(to: request)
            return output.play(fault?.applied(to: reply) ?? reply)
        }
    }

    /// Records a read request, and returns its index among the completely read ones.
    @discardableResult
    func record(_ request: ReceivedRequest) -> Int { ledger.update { $0.requestRead(request, keeps: settings.keepsRequests) } }
    func reply(to request: ReceivedRequest) -> ServerReply { settings.answer(request, record(request)) }
    /// The fault of a request that begins now.
    func fault() -> Fault? { settings.faults[ledger.update { $0.requestBegins() }] }

    /// The next request's fault, if it applies before that request.
    private func faultWhenReady(if isWanted: (Fault) -> Bool = { _ in true }) -> Fault? {
        ledger.update { ledger in
            guard let next = settings.faults[ledger.begun], next.trigger == .beforeRequest, isWanted(next) else { return nil }
            _ = ledger.requestBegins()
            return next
        }
    }
}

/// The server's record: the only state that its threads share.
struct ServerLedger: Sendable {
    private(set) var requests: [ReceivedRequest] = []
    private(set) var accepted = 0
    var open = 0
    private(set) var peak = 0
    var failedHandshakes = 0
    var isClosed = false
    var threads: Set<ObjectIdentifier> = []
    /// Requests that have begun, the count that selects faults.
    private(set) var begun = 0
    private var whole = 0

    mutating func connectionAccepted() -> Int {
        defer { accepted += 1 }
        open += 1
        peak = max(peak, open)
        return accepted
    }

    /// Returns the request's index among the completely read ones, from 0.
    mutating func requestRead(_ request: ReceivedRequest, keeps: Bool) -> Int {
        if keeps { requests.append(request) }
        guard request.error == nil else { return whole }
        defer { whole += 1 }
        return whole
    }

    /// Returns the request's index among the begun ones, from 0.
    mutating func requestBegins() -> Int {
        defer { begun += 1 }
        return begun
    }

    var summary: String {
        let seen = requests.map { "\($0.method) \($0.target)" + ($0.error.map { " (\($0))" } ?? "") }
        return "\(requests.count) requests \(seen), \(accepted) connections accepted, \(open) open"
    }
}
