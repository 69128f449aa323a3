import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

/// The bounds that let pools share a loop.
@Suite("In one turn of a loop", .closing, .timeLimit(.minutes(1)))
struct LoopTurnTests {
    @Test("64 sockets of a pool are served, beside all of another, and the next turn begins with the first that is left")
    func sockets() throws {
        let sockets = PollSet(try #require(Wakeup()))
        let (busy, other) = (try multi(sockets), try multi(sockets))
        // Never read, so that all of them are ready in each turn.
        let pipes = (0..<110).map { _ in Pipe() }
        let readers = pipes.map(\.fileHandleForReading.fileDescriptor)
        for pipe in pipes { try pipe.fileHandleForWriting.write(contentsOf: Data("x".utf8)) }
        for reader in readers[..<100] { sockets.watch(reader, events: Int16(POLLIN), for: busy) }
        for reader in readers[100...] { sockets.watch(reader, events: Int16(POLLIN), for: other) }
        func turn() throws -> (busy: [Int32], other: [Int32]) {
            var served: (busy: [Int32], other: [Int32]) = ([], [])
            sockets.wait(milliseconds: 0)
            #expect(sockets.ready.count == 110)
            sockets.serve { owner, socket, events in
                #expect(events == Int16(POLLIN))
                if owner === busy { served.busy.append(socket) } else { served.other.append(socket) }
            }
            for multi in [busy, other] { try multi.endTurn() }
            return served
        }
        let (first, second) = (try turn(), try turn())
        #expect(first.busy == Array(readers[..<64]))
        #expect(sockets.ready.first == readers[64])
        #expect(second.busy == Array(readers[64..<100] + readers[..<28]))
        for served in [first, second] { #expect(served.other == Array(readers[100...])) }
        for multi in [busy, other] { multi.close() }
    }

    private func multi(_ sockets: PollSet) throws -> CurlMulti {
        try CurlMulti(ConnectionShare(inAll: 1, perHost: 1), streams: 1, sockets: sockets, library: .linked)
    }

    @Test(
        "a response over HTTP/1.1 has 256 KiB or 500 pieces beside other pools, and 4 MiB or 2,000 pieces alone",
        arguments: [(true, 256 << 10, 512), (false, 4 << 20, 2_048)])
    func burst(isShared: Bool, bytes: Int, pieces: Int) throws {
        let connections = LoopConnections()
        connections.isShared = isShared
        let request = try Requests(CurlTransport()).make(.get, "http://127.0.0.1:1")
        let exchange = Exchange(try PreparedRequest(Attempt(request), deadline: 60_000_000_000))
        let handle = try #require(CurlHandle(connections))
        handle.begin(exchange)
        /// How many pieces it may take until it has to pause; looks no further than twice the bytes.
        func taken(size: Int) -> Int {
            let most = 2 * bytes / size
            let count = (0..<most).first { _ in connections.mustPauseForTurn(handle, after: size) } ?? most
            let paused = connections.pausedForTurn.takeAll()
            #expect(paused.map { $0 === exchange } == [true])
            return count
        }
        connections.beginTurn(1)
        // What a turn leaves is not added to the next one's.
        #expect(!connections.mustPauseForTurn(handle, after: bytes / 2))
        for _ in 0..<2 {
            connections.beginTurn(1)
            #expect((bytes * 3 / 4...bytes).contains(taken(size: 16 << 10) * (16 << 10)))
        }
        connections.beginTurn(1)
        #expect((pieces * 3 / 4...pieces).contains(taken(size: 1)))
        // Its pause would hold up the other streams of the connection.
        _ = Array("HTTP/2 200\r\n".utf8).withUnsafeBytes { handle.head.append($0) }
        #expect(!connections.mustPauseForTurn(handle, after: 2 * bytes))
    }

    #if os(Linux)
    @Test("a response that has a MiB at hand leaves a part of it to later turns if another pool has an exchange")
    func neighbour() async throws {
        let (asked, gate, sent) = (try Gate(), try Gate(), try Gate())
        let whole = Data(count: 1 << 20)
        let large = try LoopbackServer.start { _ in
            [
                .open(asked), .waitFor(gate), .sendHead(status: 200, headers: ["Content-Length": "\(whole.count)"]),
                .sendBody(whole), .open(sent),
            ]
        }
        let server = try LoopbackServer.start { .ok("\($0.body.count)") }
        let port = large.port
        /// The bytes on the way when the response is there, and those that it has taken when the other pool has its next turn.
        let found = Mutex<(before: Int, taken: Int)>((0, 0))
        // The loop asks for its bytes in each turn, once or more often.
        let body = Body.Stream(length: 4_000) {
            let left = Mutex(4_000)
            return { _ in
                try found.withLock { found in
                    if found.before == 0 {
                        gate.open()
                        for _ in 0..<10_000 where !sent.isOpen { _ = usleep(1_000) }
                        found.before = try KernelSockets(port: port).bytes
                    } else if found.taken == 0 {
                        let taken = found.before - (try KernelSockets(port: port).bytes)
                        // Less may be an acknowledgement that was late.
                        if taken > 1 << 17 { found.taken = taken }
                    }
                }
                return left.withLock { left in
                    left -= 1
                    return left < 0 ? Data() : Data("x".utf8)
                }
            }
        }
        let loops = closing(LoopGroup(loops: 1))
        let (first, second) = (CurlTransport(loops: loops), CurlTransport(loops: loops))
        async let answer = Requests(first).send(.get, large.url)
        try await asked.waitUntilOpen(timeout: .seconds(20))
        #expect(try await Requests(second).send(.post, server.url, body: .stream(body)).text == "4000")
        #expect(try await answer.data == whole)
        let (before, taken) = found.withLock { $0 }
        // Two parts, if the response goes last in one turn and first in the next. Without a bound it takes the whole at once.
        #expect(before >= whole.count && taken > 0 && taken < whole.count * 3 / 4, "\(taken) of \(before) bytes")
        await first.close()
        await second.close()
    }
    #endif
}
