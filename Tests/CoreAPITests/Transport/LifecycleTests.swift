import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("A transport leaves nothing behind")
struct LifecycleTests {
    @Test("Close ends running and waiting requests, and no request is sent after it")
    func closeInFlight() async throws {
        let server = try LoopbackServer.start { _ in .stallBeforeHead }
        let transport = CurlTransport()
        let requests = Requests(transport)
        let tasks = (0..<20).map { _ in Task { try await requests.send(.get, server.url) } }
        try await server.waitForRequests(8)
        async let first: Void = transport.close()
        async let second: Void = transport.close()
        await first
        await second
        for task in tasks { #expect(try await task.value.transportError?.label == "closed") }
        #expect(try await requests.send(.get, server.url).transportError?.label == "closed")
        await transport.close()
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("An unused transport closes, too")
    func unused() async throws {
        let transport = CurlTransport()
        await transport.close()
        #expect(try await Requests(transport).send(.get, "http://127.0.0.1:9").transportError?.label == "closed")
    }

    /// In a separate process, because parallel tests have threads and sockets, too.
    @Test("The counts of threads and descriptors return to their start, after close or release")
    func counts() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer.start { _ in .ok("x") }
            let loops = LoopGroup(loops: 2, idleLifetime: .zero)
            for closes in [true, false] {
                let first = CurlTransport(loops: loops)  // What a process does once, is done now.
                _ = try await Requests(first).send(.get, server.url)
                await first.close()
                let before = try await Census.settled(atMost: Census(threads: 0, descriptors: 0))
                for _ in 0..<10 {
                    let transport = CurlTransport(loops: loops)
                    await each(of: 8, atOnce: 8) { _ in _ = try? await Requests(transport).send(.get, server.url) }
                    if closes {
                        await transport.close()
                        // Memory that the system and a sanitizer take at a thread's end.
                        let left = try await Census.settled(atMost: Census(threads: 0, descriptors: .max))
                        #expect(left.threads == 0)
                    }
                }
                let after = try await Census.settled(atMost: before)
                #expect(after.threads == 0 && after.descriptors <= before.descriptors, "\(before) → \(after)")
            }
        }
    }

    /// OpenSSL frees its globals in `exit`, on one thread, while other threads are in the middle of a handshake.
    @Test("A process can exit while its transports work", arguments: 0..<6)
    func exitInFlight(_: Int) async {
        await #expect(processExitsWith: .success) {
            alarm(60)  // The system ends a process that hangs.
            // No TLS server, because its threads would also be affected: the handshakes fail.
            let greeting: ServerReply = [.send(Data("no TLS here".utf8)), .closeConnection]
            let server = try LoopbackServer.start(onConnect: greeting) { _ in .ok("x") }
            let url = server.url.replacing("http:", with: "https:")
            let (handshakes, oneMore) = AsyncStream.makeStream(of: Void.self)
            for _ in 0..<16 {
                Task {
                    while true {
                        let transport = CurlTransport()
                        for _ in 0..<4 { _ = try await Requests(transport).send(.get, url) }
                        oneMore.yield()
                    }
                }
            }
            var seen = 0
            for await _ in handshakes {
                seen += 1
                if seen == 16 { exit(0) }
            }
        }
    }
}
