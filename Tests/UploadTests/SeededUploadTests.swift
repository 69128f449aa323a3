import CoreAPITransfers
import TestSupport

/// Bodies of unknown length over HTTP/2, whose connections break off at seeded offsets. Whatever happens, a body that the server
/// takes for whole is whole.
@Suite("Seeded interruptions over HTTP/2", .closing, .timeLimit(.minutes(3)))
struct SeededUploadTests {
    private static let count = 60

    @Test("a body is whole with the right SHA-256, or fails with an error; one that can be read once is not sent twice")
    func cuts() async throws {
        // The SHA-256 of each body that came to its end, by the request's path.
        let wholes = Shared<[String: [String]]>([:])
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [.http2]), keepsRequests: false) { request in
            let hash = SHA256.hash(request.body).hexadecimal
            wholes.change { $0[request.path, default: []].append("\(request.version) \(hash)") }
            return .ok()
        }
        let proxy = try Self.proxy(to: server.port)
        let channel = Channel.test("https://localhost:\(proxy.port)", authority: server.tls?.authorityPEM) {
            $0.interceptors = [RetryPolicy(attempts: 4, base: .zero)]
            $0.modifiers = [Timeout(idle: .seconds(5))]
        }
        let outcomes = await withTaskGroup(of: (Int, APIClientError?).self) { group in
            var outcomes: [(Int, APIClientError?)] = []
            for seed in 0..<Self.count {
                if seed >= 8, let outcome = await group.next() { outcomes.append(outcome) }
                group.addTask {
                    let data = Self.data(seed)
                    let body: Body = Self.isOnce(seed) ? .once(data.pieces(7_000)) : .cut(data, every: 7_000)
                    return (seed, await channel.manager.upload(.put("\(seed)"), from: body).response.error)
                }
            }
            return await group.reduce(into: outcomes) { $0.append($1) }
        }
        for (seed, error) in outcomes {
            let wholes = wholes.current["/\(seed)"] ?? []
            let expected = "HTTP/2 " + SHA256.hash(Self.data(seed)).hexadecimal
            #expect(wholes.allSatisfy { $0 == expected }, "\(seed)")
            #expect(error != nil || !wholes.isEmpty, "\(seed) is said to be sent")
            if Self.isOnce(seed) { #expect(wholes.count <= 1, "\(seed) was sent twice") }
            #expect(error == nil || error?.transport != nil, "\(seed): \(error as Any)")
        }
        let failed = outcomes.count { $0.1 != nil }
        print("over HTTP/2: \(outcomes.count - failed) sent, \(failed) failed")
        #expect(outcomes.count == Self.count && failed > 0 && failed < Self.count)
    }

    /// A proxy that does not read what it passes on, and cuts every connection.
    private static func proxy(to port: UInt16) throws -> RawServer {
        let random = Shared(SplitMix(34))
        return try RawServer { connection in
            guard let upstream = RawServer.connect(port: port) else { return }
            Thread.detachNewThread {
                RawServer.copy(from: upstream, to: connection)
                connection.end()
            }
            // Enough for some requests: a connection has several at once.
            var room = random.take { Int.random(in: 20_000...1_500_000, using: &$0) }
            while room > 0, case let piece = connection.read(upTo: min(room, 16_384)), !piece.isEmpty {
                upstream.send(piece)
                room -= piece.count
            }
            upstream.end()
        }
    }

    private static func isOnce(_ seed: Int) -> Bool { seed.isMultiple(of: 3) }

    private static func data(_ seed: Int) -> Data {
        var random = SplitMix(seed)
        return .noise(Int.random(in: 10_000...120_000, using: &random), seed: UInt64(seed))
    }
}
