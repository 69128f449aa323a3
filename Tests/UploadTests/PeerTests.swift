import CoreAPITransfers
import TestSupport

/// Uploads to servers of other projects; `Scripts/peers` starts them.
@Suite("Peers of resumable uploads", .closing, .timeLimit(.minutes(5)))
struct PeerTests {
    private static let variables = ProcessInfo.processInfo.environment
    private static let tusURL = variables["NETWORKERKIT_TUS_URL"]
    private static let folder = variables["NETWORKERKIT_TUS_FOLDER"]
    private static let checksumURL = variables["NETWORKERKIT_TUS_CHECKSUM_URL"]
    private static let ietfURL = variables["NETWORKERKIT_IETF_URL"]

    private static let data = Data.noise(2_000_000)

    /// A proxy that cuts each connection after a number of bytes, or changes one byte.
    private func proxy(to url: String, _ next: @escaping @Sendable () -> (room: Int, damaged: Int?)) throws -> RawServer {
        let port = try #require(URL(string: url)?.port)
        return try RawServer { connection in
            guard let upstream = RawServer.connect(port: UInt16(port)) else { return }
            let answered = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                RawServer.copy(from: upstream, to: connection)
                connection.end()
                answered.signal()
            }
            let (room, damaged) = next()
            var sent = 0
            while sent < room, case var piece = connection.read(upTo: min(room - sent, 65_536)), !piece.isEmpty {
                if let damaged, (sent..<sent + piece.count).contains(damaged) { piece[piece.startIndex + damaged - sent] ^= 1 }
                upstream.send(piece)
                sent += piece.count
            }
            // The client sees the end only after the server has stored its bytes. tuspyserver blocks all requests while one waits
            // for the lock of an upload.
            upstream.endSending()
            answered.wait()
            upstream.cut(resetting: false)
        }
    }

    private func plan(_ dialect: ResumableUpload.Dialect, _ states: States = States([])) -> ResumableUpload {
        var plan = ResumableUpload(dialect) { state in states.change { $0.append(state) } }
        plan.metadata = ["filename": "film.mov", "filetype": "video/quicktime"]
        (plan.pause, plan.attempts) = (.milliseconds(20), 12)
        return plan
    }

    private func stored(_ state: ResumableUpload.State?) throws -> Data {
        let name = try #require(state?.url.split(separator: "/").last)
        return try Data(contentsOf: URL(fileURLWithPath: "\(try #require(Self.folder))/\(name)"))
    }

    @Test("tuspyserver has every byte, through cuts", .enabled(if: tusURL != nil), arguments: 0..<10)
    func tus(seed: Int) async throws {
        let direct = try #require(Self.tusURL)
        let numbers = Shared(SplitMix(seed))
        let proxy = try proxy(to: direct) { (numbers.take { Int.random(in: 50_000...900_000, using: &$0) }, nil) }
        let states = States([])
        // The server names its own address by the request's host, so the upload stays behind the proxy.
        let channel = Channel.test(seed == 0 ? direct : proxy.url)
        var plan = plan(.tus, states)
        plan.pieceSize = seed % 3 == 0 ? nil : 500_000
        let body: Body = seed.isMultiple(of: 2) ? .bytes(Self.data) : .cut(Self.data, every: 70_000)
        let response = await channel.manager.upload(.post("files/"), from: body, resumable: plan).response
        #expect(response.error == nil, "\(response.result)")
        #expect(try stored(states.current.compactMap(\.self).last) == Self.data)
        #expect(states.current.first??.expires != nil)
    }

    /// A plan with the stored state of an upload that stopped after 500,000 bytes.
    private func stopped(_ channel: Channel) async throws -> ResumableUpload {
        let states = States([])
        // Stops between two requests; see the proxy.
        var plan = ResumableUpload(.tus) { state in
            states.change { $0.append(state) }
            if state?.offset == 500_000 { try? await Task.sleep(for: .seconds(60)) }
        }
        plan.metadata = ["filename": "film.mov", "filetype": "video/quicktime"]
        plan.pieceSize = 500_000
        let upload = channel.manager.upload(.post("files/"), from: .bytes(Self.data), resumable: plan)
        for _ in 0..<1_000 where states.current.last??.offset != 500_000 { try await Task.sleep(for: .milliseconds(10)) }
        upload.cancel()
        _ = await upload.response
        var rest = self.plan(.tus, states)
        rest.state = try Self.restarted(states)
        return rest
    }

    private static func restarted(_ states: States) throws -> ResumableUpload.State {
        let state = try #require(states.current.last ?? nil)
        return try JSONDecoder().decode(ResumableUpload.State.self, from: JSONEncoder().encode(state))
    }

    @Test("tuspyserver has every byte after a restart", .enabled(if: tusURL != nil))
    func tusRestarted() async throws {
        let channel = Channel.test(try #require(Self.tusURL))
        let plan = try await stopped(channel)
        #expect(plan.state?.offset == 500_000)
        let upload = channel.manager.upload(.post("files/"), from: .bytes(Self.data), resumable: plan)
        try await upload.value
        #expect(await upload.lastProgress.reused == 500_000)
        #expect(try stored(plan.state) == Self.data)
    }

    @Test(
        "drf-tus rejects a damaged piece that has a checksum, and has every byte in the end",
        .enabled(if: checksumURL != nil), arguments: [nil] + ResumableUpload.Checksum.allCases)
    func checksums(_ kind: ResumableUpload.Checksum?) async throws {
        // The third connection has the second piece.
        let connections = Shared(0)
        let proxy = try proxy(to: try #require(Self.checksumURL)) { (.max, connections.next() == 2 ? 200_000 : nil) }
        defer { withExtendedLifetime(proxy) {} }
        var plan = plan(.tus)
        let name = "film-\(kind?.rawValue ?? "none").mov"
        (plan.metadata, plan.pieceSize, plan.checksum) = (["filename": name], 500_000, kind)
        try await Channel.test(proxy.url).manager.upload(.post("files/"), from: .bytes(Self.data), resumable: plan).value
        let stored = try Data(contentsOf: URL(fileURLWithPath: "\(try #require(Self.folder))/checksums/uploaded/\(name)"))
        // Without a checksum the damage is stored.
        #expect((stored == Self.data) == (kind != nil) && stored.count == Self.data.count)
    }

    private static let ietfDialects = ResumableUpload.Dialect.allCases.filter { $0 != .tus }

    private static func fnv(_ data: Data) -> String {
        String(data.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }

    @Test("NIOResumableUpload has every byte", .enabled(if: ietfURL != nil), arguments: ietfDialects, [nil, 400_000])
    func ietf(by dialect: ResumableUpload.Dialect, pieceSize: Int?) async throws {
        let channel = Channel.test(try #require(Self.ietfURL))
        var plan = plan(dialect)
        plan.pieceSize = pieceSize
        let answer = try await channel.manager.upload(.post("film"), from: .bytes(Self.data), as: .text, resumable: plan).value
        #expect(answer == "2000000 \(Self.fnv(Self.data))")
    }

    @Test("NIOResumableUpload has every byte after a restart", .enabled(if: ietfURL != nil), arguments: ietfDialects, 0..<3)
    func interrupted(by dialect: ResumableUpload.Dialect, seed: Int) async throws {
        let channel = Channel.test(try #require(Self.ietfURL))
        let plan = try await stopped(channel, by: dialect, after: Int64(200_000 + 600_000 * seed))
        let answer = try await channel.manager.upload(.post("film"), from: .bytes(Self.data), as: .text, resumable: plan).value
        #expect(answer == "2000000 \(Self.fnv(Self.data))")
    }

    /// A plan with the stored state of an upload that stopped in the middle of a request.
    private func stopped(_ channel: Channel, by dialect: ResumableUpload.Dialect, after count: Int64) async throws
        -> ResumableUpload
    {
        let states = States([])
        var plan = plan(dialect, states)
        plan.bytesPerSecond = 8_000_000
        let first = channel.manager.upload(.post("film"), from: .bytes(Self.data), resumable: plan)
        for await progress in first.progress where progress.completed >= count { break }
        first.cancel()
        _ = await first.response
        plan.state = try Self.restarted(states)
        plan.bytesPerSecond = nil
        return plan
    }

    @Test("both forget a discarded upload", .enabled(if: ietfURL != nil), arguments: ResumableUpload.Dialect.allCases)
    func discarded(by dialect: ResumableUpload.Dialect) async throws {
        let isTus = dialect == .tus
        let channel = Channel.test(try #require(isTus ? Self.tusURL : Self.ietfURL))
        var plan = isTus ? try await stopped(channel) : try await stopped(channel, by: dialect, after: 200_000)
        let endpoint = TypedEndpoint.post(isTus ? "files/" : "film")
        try await channel.manager.discard(try #require(plan.state), of: endpoint)
        plan.startsAnew = false
        let gone = await channel.manager.upload(endpoint, from: .bytes(Self.data), resumable: plan).response
        #expect(gone.head?.status.code == 404)
    }
}
