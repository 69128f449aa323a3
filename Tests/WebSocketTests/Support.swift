import TestSupport

@testable import CoreAPIWebSocket

@Sendable func echo(_ socket: WebSocket) async throws { for try await message in socket { try await socket.send(message) } }

struct Rejecting: ResponseVerifier {
    func verify(_ response: Response<Data>) throws { throw VerificationError.custom(CancellationError()) }
}

extension WebSocket.Options {
    static func with(_ change: (inout Self) -> Void) -> Self {
        var options = Self()
        change(&options)
        return options
    }
}

func chat(
    _ server: LoopbackServer, _ options: WebSocket.Options = .init()
) async throws(APIClientError) -> WebSocket { try await Channel.test(server).dispatcher.webSocket(.get("chat"), options) }

/// Sends messages until it fails, and counts those that were sent.
func flood(_ socket: WebSocket, _ sent: Shared<Int>, with data: Data = Data(count: 1 << 20)) async -> APIClientError? {
    await failure {
        while true {
            try await socket.send(.binary(data))
            sent.change { $0 += 1 }
        }
    }
}

extension Shared<Int> {
    /// Waits until a number that has begun to grow grows no more.
    func settled() async throws -> Int {
        var before = -1
        while case let now = current, now != before || now == 0 {
            before = now
            try await Task.sleep(for: .milliseconds(300))
        }
        return before
    }
}

final class PlayedConnection: RawConnection {
    let metrics: ExchangeMetrics? = nil
    /// What a connection that holds its last frame calls when that is sent.
    let (ends, end) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
    private let (bytes, peer) = AsyncStream.makeStream(of: Data.self)
    private let holdsEnd: Bool
    private let writing: @Sendable (Data) async throws -> Data?

    /// - Parameter writing: called with each written piece; gives the peer's answer.
    init(_ bytes: Data? = nil, holdsEnd: Bool = false, writing: @escaping @Sendable (Data) async throws -> Data? = { _ in nil }) {
        (self.holdsEnd, self.writing) = (holdsEnd, writing)
        if let bytes { peer.yield(bytes) }
    }

    func session(_ role: Role = .client, _ options: WebSocket.Options = .init()) -> WebSocketSession {
        let call = Call(channel: .test("http://localhost"), endpoint: "chat")
        let session = WebSocketSession(self, role, nil, options, context: APIClientError.Context(call))
        session.start()
        return session
    }

    func read() async throws -> Data? { await bytes.first { _ in true } }
    func write(_ data: Data) async throws { if let answer = try await writing(data) { peer.yield(answer) } }
    func close() { peer.finish() }

    func finish(with last: Data, sent: @escaping @Sendable () -> Void) {
        if holdsEnd {
            end.yield(sent)
        } else {
            Task {
                try? await write(last)
                sent()
            }
        }
    }
}

extension ServerReply {
    /// A correct handshake's answer with changes, and then other steps.
    static func switching(
        _ request: ReceivedRequest, _ options: WebSocket.Options = .init(), status: Int = 101,
        changing: (inout [(name: String, value: String)]) -> Void = { _ in }, then steps: [Step]
    ) -> ServerReply {
        var fields = Acceptance(options) { request.headers.all($0) }?.fields ?? []
        changing(&fields)
        let head = HeaderLines(fields.map { .init(name: $0.name, value: $0.value) })
        return ServerReply([.sendHead(status: status, headers: head)] + steps)
    }
}

/// The code in the Close frame, which is the last of these frames; 1005 without a code, `nil` without a frame.
func closeCode(in bytes: Data, to role: Role = .server) throws -> Int? {
    let events = try MessageReaderTests.read(Array(bytes), as: role, inflates: true)
    for (index, event) in events.enumerated() {
        guard case .close(let code, _) = event else { continue }
        return index == events.count - 1 ? Int(code?.rawValue ?? 1005) : 1002
    }
    return nil
}

extension [UInt8] {
    var data: Data { Data(self) }
}
