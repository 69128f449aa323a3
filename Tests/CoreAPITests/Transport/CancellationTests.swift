import TestSupport

@testable import CoreAPICore

/// Streamed calls that end at random moments, beside a call that goes on.
@Suite("Cancellation at every moment", .closing, .timeLimit(.minutes(4)))
struct CancellationTests {
    private enum Kind: CaseIterable { case download, readingDownload, upload, chunkedUpload }

    private struct Outcome: Hashable {
        let kind: Kind
        let isCancelled: Bool
    }

    @Test("leaves the call beside it alone, and nothing behind", arguments: [false, true], 1...4 as ClosedRange<UInt64>)
    func anytime(secure: Bool, seed: UInt64) async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil, bodyLimit: 0) { request in
            switch request.path {
            case "/beside": ServerReply.ok("beside").after(.waitFor(gate))
            // Over HTTP/1.1 a finished call leaves no connection either.
            case "/upload": .ok("\(request.bodyLength)", headers: ["Connection": "close"])
            default: .status(200, body: Data(count: 3 << 20), headers: ["Connection": "close"])
            }
        }
        var channel = Channel.test(server)
        // The call beside the others is silent until the gate opens, on a busy machine for a minute.
        channel.modifiers.append(Timeout(idle: .seconds(120)))
        let manager = channel.manager
        let beside = Task { await manager.response(for: TestEndpoint("beside"), as: .text) }
        try await server.waitForRequests(1)

        var counts: [Outcome: Int] = [:]
        let counter = CountedChunks.Counter()
        var numbers = SplitMix(seed)
        for _ in 0..<40 {
            let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
                for index in 0..<6 {
                    let kind = Kind.allCases[Int.random(in: 0..<Kind.allCases.count, using: &numbers)]
                    let delay = Duration.microseconds(Int.random(in: 0..<8_000, using: &numbers))
                    let call = Task { () -> (any Error)? in
                        do {
                            switch kind {
                            case .download:
                                let body = try await manager.stream(TestEndpoint("download")).value
                                try await Task.sleep(for: .milliseconds(20))
                                withExtendedLifetime(body) {}
                            case .readingDownload:
                                var count = 0
                                for try await chunk in try await manager.stream(TestEndpoint("download")).value {
                                    count += chunk.count
                                }
                                #expect(count == 3 << 20)
                            case .upload, .chunkedUpload:
                                let body = CountedChunks.body(counter, count: 30, hasLength: kind == .upload)
                                let text = try await manager.response(for: .upload(body), as: .text).value
                                #expect(text == "\(30 * CountedChunks.size)")
                            }
                            return nil
                        } catch { return error }
                    }
                    group.addTask {
                        // On a busy machine the delay alone would leave no call to its end.
                        if index > 0 {
                            try await Task.sleep(for: delay)
                            call.cancel()
                        }
                        let error = await call.value
                        let isCancelled = error is CancellationError || (error as? APIClientError)?.isCancelled == true
                        #expect(error == nil || isCancelled, "\(kind): \(String(describing: error))")
                        return Outcome(kind: kind, isCancelled: isCancelled)
                    }
                }
                return try await group.reduce(into: [Outcome]()) { $0.append($1) }
            }
            for outcome in outcomes { counts[outcome, default: 0] += 1 }
        }

        for kind in Kind.allCases {
            for isCancelled in [true, false] {
                #expect(counts[Outcome(kind: kind, isCancelled: isCancelled), default: 0] > 0, "\(counts)")
            }
        }
        try await server.waitForOpenConnections(atMost: 1)
        await counter.released()
        gate.open()
        #expect(try await beside.value.value == "beside")
        let own = try #require(server.requests.first { $0.path == "/beside" }).connection
        // A cancelled upload ends its stream of HTTP/2, and not the connection.
        if secure { #expect(server.requests.filter { $0.version == "HTTP/2" }.allSatisfy { $0.connection == own }) }
        await channel.close()
        try await server.waitForOpenConnections(atMost: 0)
    }
}
