import TestSupport

@testable import CoreAPIWebSocket

/// What a server reads at the end of each socket: its log says 1006 for every end without a Close frame.
@Suite("The end of a WebSocket, as its server sees it", .closing, .timeLimit(.minutes(3)))
struct CloseTests {
    enum Door: CaseIterable {
        case loopEnds, valuesEnd, iteratorEnds, channelClosesAfterLoop
        case appCloses, appLeavesLoop, appReleases, channelClosesAfterRelease
        case readerIsCancelled, busyReaderIsCancelled, closerIsCancelled, cancelledTaskCloses
        case valueCannotBeDecoded, callIsCancelled, interactorIsReleased, rejectedAfterHandshake

        var isServers: Bool { [.loopEnds, .valuesEnd, .iteratorEnds, .channelClosesAfterLoop].contains(self) }

        func pass(_ channel: Channel) async throws {
            switch self {
            case .callIsCancelled, .interactorIsReleased: try await passInteractor(channel)
            case .rejectedAfterHandshake: try await passRejection(channel)
            case .channelClosesAfterLoop, .channelClosesAfterRelease: try await passChannel(channel)
            default: try await pass(channel.dispatcher.webSocket(.get("chat")))
            }
        }

        private func pass(_ socket: WebSocket) async throws {
            switch self {
            case .valuesEnd: for try await _ in socket.messages(as: Int.self) {}
            case .iteratorEnds:
                var iterator = socket.makeAsyncIterator()
                while try await iterator.next() != nil {}
            case .appCloses: await socket.close()
            case .appLeavesLoop: for try await _ in socket { break }
            case .appReleases: break
            case .readerIsCancelled, .busyReaderIsCancelled, .closerIsCancelled, .cancelledTaskCloses: await cancel(socket)
            case .valueCannotBeDecoded: for try await _ in socket.messages(as: [Int].self) {}
            default: for try await _ in socket {}
            }
        }

        private func cancel(_ socket: WebSocket) async {
            let (begins, begin) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                defer { begin.finish() }
                if self == .closerIsCancelled || self == .cancelledTaskCloses {
                    if self == .cancelledTaskCloses { await CloseTests.waitForCancellation() }
                    begin.yield()
                    return await socket.close()
                }
                for try await _ in socket {
                    begin.yield()
                    if self == .busyReaderIsCancelled { await CloseTests.waitForCancellation() }
                }
            }
            if self == .cancelledTaskCloses { task.cancel() }
            for await _ in begins { break }
            task.cancel()
            _ = await task.result
        }

        private func passRejection(_ channel: Channel) async throws {
            _ = await failure { try await channel.with { $0.modifiers.append(Rejecting()) }.dispatcher.webSocket(.get("chat")) }
        }

        private func passChannel(_ channel: Channel) async throws {
            let channel = channel.with { $0.transport = CurlTransport() }
            let socket = try await channel.dispatcher.webSocket(.get("chat"))
            for try await _ in socket where self == .channelClosesAfterRelease { break }
            if self == .channelClosesAfterRelease { _ = consume socket }
            await channel.close()
        }

        @MainActor
        private func passInteractor(_ channel: Channel) async throws {
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            var chat: Chat? = Chat(channel)
            chat?.arrived = { end.finish() }
            let call = chat?.open()
            for await _ in ends {}
            if self == .interactorIsReleased { chat = nil } else { call?.cancel() }
        }
    }

    private static func waitForCancellation() async {
        let never = AsyncStream<Void> { _ in }
        for await _ in never {}
    }

    @MainActor private final class Chat: ChannelNetworker<GET<Void, Void>> {
        var arrived: @MainActor () -> Void = {}
        private var call: Cancellable?

        deinit { call?.cancel() }

        func open() -> Cancellable? {
            call = webSocket(.get("chat"), of: Int.self) { _, _ in
            } message: { chat, _ in
                chat.arrived()
            } end: { _, _ in
            }
            return call
        }
    }

    /// The Close frames that a server read, one code for each connection. A connection that ends without one has 1006.
    private final class Log: Sendable {
        private let codes = Mutex<[Int: Int]>([:])

        var all: [Int: Int] { codes.withLock { $0 } }

        /// Sends bytes, and reads until a Close frame or the end. A frame after it is noted as 1002.
        func serve(_ connection: any RawConnection, sending bytes: [UInt8]) async {
            if !bytes.isEmpty { try? await connection.write(Data(bytes)) }
            var heard = Data()
            var code: Int?
            while code == nil, let data = try? await connection.read() {
                heard.append(data)
                do { code = try closeCode(in: heard) } catch { code = 1002 }
            }
            let found = code ?? 1006
            codes.withLock { $0[found, default: 0] += 1 }
        }
    }

    @Test("an orderly end is 1000 on the wire, a hundred times of a hundred", arguments: Door.allCases, [false, true])
    func orderly(door: Door, secure: Bool) async throws {
        let (log, count) = (Log(), secure ? 20 : 100)
        let bytes = frame(0x81, "1".utf8) + (door.isServers ? frame(0x88, [0x03, 0xE8]) : [])
        let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil, keepsRequests: false) {
            .switching($0, then: [.takeOver { await log.serve($0, sending: bytes) }])
        }
        let channel = Channel.test(server)
        for _ in 0..<count { _ = await failure { try await door.pass(channel) } }
        try await server.waitForOpenConnections(atMost: 0)
        #expect(log.all == [1000: count])
    }

    @Test("a broken rule is told with its code, however fast the socket is released", arguments: [false, true])
    func brokenRules(secure: Bool) async throws {
        for code in [1002, 1007, 1009] {
            let rules = MessageReaderTests.violations.filter { $0.code == code }
            let (log, turn) = (Log(), Shared(0))
            let options = WebSocket.Options.with { $0.compression = nil }
            let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil, keepsRequests: false) { request in
                let bytes = rules[turn.next() % rules.count].bytes
                return .switching(request, options, then: [.takeOver { await log.serve($0, sending: bytes) }])
            }
            let channel = Channel.test(server)
            let count = rules.count * 5
            for _ in 0..<count {
                let error = await failure { for try await _ in try await channel.dispatcher.webSocket(.get("chat"), options) {} }
                #expect(error?.transport != nil)
            }
            try await server.waitForOpenConnections(atMost: 0)
            #expect(log.all == [code: count])
        }
    }

    @Test("a server that ends its half of the connection behind its Close frame still gets the response")
    func halfClosed() async throws {
        let log = Log()
        let server = try LoopbackServer.test(tls: ServerTLS(), keepsRequests: false) {
            .switching(
                $0,
                then: [.send(frame(0x88, [0x03, 0xE8]).data), .closeTLS, .takeOver { await log.serve($0, sending: []) }])
        }
        let channel = Channel.test(server)
        for _ in 0..<50 { for try await _ in try await channel.dispatcher.webSocket(.get("chat")) {} }
        try await server.waitForOpenConnections(atMost: 0)
        #expect(log.all == [1000: 50])
    }

    @Test(
        "the server's half answers in the same way, and tells a broken rule with its code",
        arguments: [
            (frame(0x88, [0x03, 0xE8], mask: [1, 2, 3, 4]), 1000), (frame(0x88, [0x0F, 0xA1], mask: [1, 2, 3, 4]), 4001),
            (frame(0x81, "a".utf8), 1002), (frame(0x81, [0xFF], mask: [1, 2, 3, 4]), 1007),
            (frame(0x82, [UInt8](repeating: 0, count: 2_000), mask: [1, 2, 3, 4]), 1009),
        ] as [([UInt8], Int)])
    func serverSide(bytes: [UInt8], code: Int) async throws {
        let server = try LoopbackServer.test { .webSocket($0, .with { $0.messageSize = 1_000 }) { for try await _ in $0 {} } }
        let channel = Channel.test(server)
        let endpoint = TypedEndpoint.get("chat").attaching(Upgrade(options: .init()), StatusCodeResponseVerifier(101))
        for _ in 0..<20 {
            let body = try await channel.dispatcher.response(for: endpoint, as: .stream).value
            let client = try #require(body.connection)
            try await client.write(bytes.data)
            var heard = Data()
            while let data = try await client.read() { heard.append(data) }
            #expect(try MessageReaderTests.read(Array(heard), inflates: true).count == 1)
            #expect(try closeCode(in: heard, to: .client) == code)
            client.close()
        }
        try await server.waitForOpenConnections(atMost: 0)
    }
}
