import TestSupport

@testable import CoreAPITransfers

@Suite("A resumable upload", .closing, .timeLimit(.minutes(3)))
struct ResumableUploadTests {
    typealias Dialect = ResumableUpload.Dialect

    private static let data = Data.noise(400_000)

    private func plan(
        _ dialect: Dialect, continuing state: ResumableUpload.State? = nil, _ store: Shared<[ResumableUpload.State?]>? = nil,
        _ change: (inout ResumableUpload) -> Void = { _ in }
    ) -> ResumableUpload {
        var plan = ResumableUpload(dialect, continuing: state) { state in store?.change { $0.append(state) } }
        plan.pause = .milliseconds(1)
        change(&plan)
        return plan
    }

    private struct Receipt: Decodable {
        let bytes: Int
    }

    // MARK: - Without a fault

    @Test("arrives complete in each dialect from each source", arguments: Dialect.allCases, UploadTests.Source.allCases)
    func arrives(by dialect: Dialect, from source: UploadTests.Source) async throws {
        let server = try ResumableServer(dialect)
        let file = try TemporaryFile(Self.data)
        let data = Self.data
        let body: Body =
            switch source {
            case .bytes: .bytes(data)
            case .file: .file(file.url)
            case .sequence: .stream(Body.Stream { data.pieces(10_000) })
            case .sequenceOfLength: .stream(Body.Stream(length: 400_000) { data.pieces(10_000) })
            case .once: .once(data.pieces(10_000), length: 400_000)
            }
        let channel = Channel.test(server.url)
        let states = Shared<[ResumableUpload.State?]>([])
        let upload = channel.manager.upload(.post("a"), from: body, as: .data, resumable: plan(dialect, states))
        let answer = try await upload.value
        #expect(server.data == data)
        #expect(dialect == .tus ? answer.isEmpty : answer == Data(#"{"bytes":400000}"#.utf8))
        var last = TransferProgress()
        for await progress in upload.progress { last = progress }
        #expect(last.completed == 400_000)
        #expect(server.requests.map(\.method) == ["POST", "PATCH"])
        #expect(states.current.first??.offset == 0)
        #expect(states.current.last == .some(nil))
        let patch = server.requests[1].fields
        #expect(patch["content-type"] == (dialect == .tus ? "application/offset+octet-stream" : "application/partial-upload"))
        #expect(patch["content-length"] == "400000")
        #expect(patch["tus-resumable"] == (dialect == .tus ? "1.0.0" : nil))
        if source == .sequence, dialect == .tus {
            #expect(server.requests[0].fields["upload-defer-length"] == "1")
            #expect(patch["upload-length"] == "400000")
        }
    }

    @Test("of no bytes is complete", arguments: Dialect.allCases, [true, false])
    func empty(by dialect: Dialect, isSequence: Bool) async throws {
        let server = try ResumableServer(dialect)
        let channel = Channel.test(server.url)
        let body: Body = isSequence ? .stream(Body.Stream { Data().pieces(1) }) : .bytes(Data())
        try await channel.manager.upload(.post("a"), from: body, resumable: plan(dialect)).value
        #expect(server.state.current.complete == ["/files/1"])
    }

    @Test("in pieces sends each piece once", arguments: Dialect.allCases, [true, false])
    func pieces(by dialect: Dialect, isFile: Bool) async throws {
        let server = try ResumableServer(dialect)
        let file = try TemporaryFile(Self.data)
        let data = Self.data
        let channel = Channel.test(server.url)
        let body: Body = isFile ? .file(file.url) : .stream(Body.Stream { data.pieces(7_777) })
        let states = Shared<[ResumableUpload.State?]>([])
        try await channel.manager.upload(
            .post("a"), from: body, resumable: plan(dialect, states) { $0.pieceSize = 100_000 }
        ).value
        #expect(server.data == data)
        #expect(
            server.requests.filter { $0.method == "PATCH" }.map { $0.fields["content-length"] }
                == Array(repeating: "100000", count: 4))
        // The state of a sequence names each piece before the server gets it.
        let offsets: [Int64?] =
            isFile ? [0, 100_000, 200_000, 300_000] : [0, 0, 100_000, 100_000, 200_000, 200_000, 300_000, 300_000]
        #expect(states.current.map { $0?.offset } == offsets + [nil])
    }

    @Test(
        "respects the server's limit for one request, in one line or several",
        arguments: [
            "max-size=1000000, max-append-size=150000;x", "max-size=1000000\r\nUpload-Limit: max-append-size=150000;x",
            "max-append-size=1, max-size=1\r\nUpload-Limit: max-append-size=150000",
            #"note="a,max-append-size=1",max-append-size=150000"#,
        ])
    func serverLimit(limit: String) async throws {
        let server = try ResumableServer(.ietf, limit: limit)
        let channel = Channel.test(server.url)
        try await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan(.ietf)).value
        let isComplete = server.data == Self.data
        #expect(isComplete)
        #expect(server.requests.count == 4)
    }

    @Test("has the endpoint's headers, its query and the metadata")
    func fields() async throws {
        let server = try ResumableServer(.tus)
        let channel = Channel.test(server.url)
        let endpoint = TypedEndpoint.post("a", query: ["folder": "7"], headers: ["Authorization": "Bearer s3cret"])
        let states = Shared<[ResumableUpload.State?]>([])
        try await channel.manager.upload(
            endpoint, from: .bytes(Data("x".utf8)),
            resumable: plan(.tus, states) { $0.metadata = ["filename": "bağ.jpg", "filetype": "image/jpeg"] }
        ).value
        #expect(server.requests[0].target == "/a?folder=7")
        #expect(server.requests[0].fields["upload-metadata"] == "filename YmHEny5qcGc=,filetype aW1hZ2UvanBlZw==")
        #expect(server.requests.allSatisfy { $0.fields["authorization"] == "Bearer s3cret" })
        let stored = try JSONEncoder().encode(try #require(states.current.first ?? nil))
        #expect(!String(decoding: stored, as: UTF8.self).contains("s3cret"))
        let rejected = await channel.manager.upload(
            .post("a"), from: .bytes(Data("x".utf8)), resumable: plan(.tus) { $0.metadata = ["a b": "c"] }
        ).response
        #expect(rejected.error?.label == "request.malformedHeader", "\(rejected.result)")
    }

    @Test("is not faster than its limit")
    func rate() async throws {
        let server = try ResumableServer(.tus)
        let channel = Channel.test(server.url)
        let started = ContinuousClock.now
        try await channel.manager.upload(
            .post("a"), from: .bytes(Self.data), resumable: plan(.tus) { $0.bytesPerSecond = 1_000_000 }
        ).value
        #expect(ContinuousClock.now - started >= .milliseconds(400))
        #expect(server.data == Self.data)
    }

    // MARK: - Interruptions

    @Test("cut at random offsets has every byte once", arguments: 0..<60)
    func cut(seed: Int) async throws {
        var numbers = SplitMix(seed)
        let dialect = try #require(Dialect.allCases.randomElement(using: &numbers))
        let data = Data.noise(Int.random(in: 100_000...600_000, using: &numbers), seed: UInt64(seed))
        let file = try TemporaryFile(data)
        let pieces = Int.random(in: 1...50_000, using: &numbers)
        let body: Body =
            switch Int.random(in: 0..<3, using: &numbers) {
            case 0: .bytes(data)
            case 1: .file(file.url)
            default: .stream(Body.Stream { data.pieces(pieces) })
            }
        let server = try ResumableServer(dialect, resetting: Bool.random(using: &numbers))
        let cuts = (0..<Int.random(in: 1...8, using: &numbers)).map { _ in Int.random(in: 0...data.count / 2, using: &numbers) }
        let pieceSize = Bool.random(using: &numbers) ? Int.random(in: 20_000...200_000, using: &numbers) : nil
        server.state.change { $0.cuts = cuts }
        let states = Shared<[ResumableUpload.State?]>([])
        let channel = Channel.test(server.url)
        var plan = plan(dialect, states) {
            $0.pieceSize = pieceSize
            $0.attempts = 20
        }
        // Half of the runs stop somewhere and continue from the stored state, like another process.
        if Bool.random(using: &numbers) {
            let stop = Int64.random(in: 0...Int64(data.count), using: &numbers)
            let first = channel.manager.upload(.post("a"), from: body, resumable: plan)
            for await progress in first.progress where progress.completed >= stop { break }
            first.cancel()
            _ = await first.response
            if let stored = states.current.last ?? nil {
                plan.state = try JSONDecoder().decode(ResumableUpload.State.self, from: JSONEncoder().encode(stored))
            } else if !states.current.isEmpty {
                plan.state = nil
            }
        }
        if states.current.last != .some(nil) {
            let response = await channel.manager.upload(.post("a"), from: body, resumable: plan).response
            #expect(response.error == nil, "\(dialect) \(cuts) \(response.result)")
        }
        #expect(SHA256.hash(server.data) == SHA256.hash(data), "\(dialect) \(cuts)")
        #expect(server.state.current.appended == data.count, "sent twice: \(dialect) \(cuts)")
    }

    @Test("is complete after a lost last response, and sends no byte again", arguments: Dialect.allCases)
    func lostAnswer(by dialect: Dialect) async throws {
        let server = try ResumableServer(dialect)
        let channel = Channel.test(server.url)
        server.state.change { $0.cuts = [] }
        let states = Shared<[ResumableUpload.State?]>([])
        let plan = ResumableUpload(dialect) { [state = server.state] stored in
            states.change { $0.append(stored) }
            state.change { $0.swallowsAnswer = true }
        }
        try await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan).value
        #expect(server.state.current.appended == Self.data.count)
        #expect(server.requests.map(\.method) == ["POST", "PATCH", "HEAD"])
    }

    @Test("continues in a channel that translates errors, too")
    func translated() async throws {
        let server = try ResumableServer(.tus)
        server.state.change { $0.cuts = [100_000] }
        let channel = Channel.test(server.url) { $0.errorFilter = $0.errorFilter.localized(["transport": "No network"]) }
        try await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan(.tus)).value
        #expect(server.data == Self.data)
        #expect(server.requests.map(\.method) == ["POST", "PATCH", "HEAD", "PATCH"])
    }

    @Test("of a sequence continues with the largest size of a piece")
    func largestPiece() async throws {
        let server = try ResumableServer(.tus)
        server.state.change { $0.cuts = [100_000] }
        let channel = Channel.test(server.url)
        let data = Self.data
        let body = Body.stream(Body.Stream { data.pieces(10_000) })
        try await channel.manager.upload(.post("a"), from: body, resumable: plan(.tus) { $0.pieceSize = .max }).value
        #expect(server.data == data)
    }

    @Test("of a sequence holds no more than 1 MiB, whatever the server allows")
    func generousServer() async throws {
        let server = try ResumableServer(.ietf, limit: "max-append-size=999999999")
        let channel = Channel.test(server.url)
        let data = Data.noise(3 << 20)
        let body = Body.stream(Body.Stream { data.pieces(100_000) })
        try await channel.manager.upload(.post("a"), from: body, resumable: plan(.ietf)).value
        #expect(server.data == data)
        let lengths = server.requests.compactMap { $0.method == "PATCH" ? $0.fields["content-length"] : nil }
        #expect(lengths == Array(repeating: "1048576", count: 3))
    }

    @Test("fails after the allowed attempts without progress")
    func givesUp() async throws {
        let server = try ResumableServer(.tus)
        server.state.change { $0.cuts = Array(repeating: 0, count: 100) }
        let channel = Channel.test(server.url)
        let response = await channel.manager.upload(
            .post("a"), from: .bytes(Self.data), resumable: plan(.tus) { $0.attempts = 3 }
        ).response
        #expect(response.error?.label == "transport.connectionLost", "\(response.result)")
        #expect(server.requests.filter { $0.method == "PATCH" }.count == 3)
    }

    @Test("continues after a response that allows it", arguments: [409, 423, 460, 503, 429])
    func goesOn(after status: Int) async throws {
        let server = try ResumableServer(.tus)
        server.script("PATCH", [(status, [:])])
        let channel = Channel.test(server.url)
        try await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan(.tus)).value
        #expect(server.data == Self.data)
    }

    @Test("ends at a response that rejects it", arguments: [400, 401, 413])
    func ends(at status: Int) async throws {
        let server = try ResumableServer(.ietf)
        server.script("PATCH", [(status, [:])])
        let channel = Channel.test(server.url)
        let response = await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan(.ietf)).response
        #expect(response.head?.status.code == status)
        #expect(server.requests.count == 2)
    }

    @Test("that the server has forgotten begins again only if the options allow it", arguments: [404, 410], [true, false])
    func gone(status: Int, startsAnew: Bool) async throws {
        let server = try ResumableServer(.tus)
        server.script("PATCH", [(status, [:])])
        let channel = Channel.test(server.url)
        let data = Self.data
        let response = await channel.manager.upload(
            .post("a"), from: .stream(Body.Stream { data.pieces(9_000) }), resumable: plan(.tus) { $0.startsAnew = startsAnew }
        ).response
        #expect((response.error == nil) == startsAnew, "\(response.result)")
        #expect(server.requests.filter { $0.method == "POST" }.count == (startsAnew ? 2 : 1))
        if startsAnew { #expect(server.data == data) }
    }

    @Test("of a sequence that can be read only once cannot begin again")
    func goneOnce() async throws {
        let server = try ResumableServer(.tus)
        server.script("PATCH", [(404, [:])])
        let channel = Channel.test(server.url)
        let response = await channel.manager.upload(
            .post("a"), from: .once(Self.data.pieces(9_000)), resumable: plan(.tus)
        ).response
        guard case .transport(.bodyUnreadable(let error), _) = response.error else {
            Issue.record("\(response.result)")
            return
        }
        #expect(error as? BodyError == .readTwice)
    }

    // MARK: - False answers

    @Test(
        "fails if the server's offset goes back, is beyond the end, or is not a number",
        arguments: ["0", "400001", "999999999999999999", "9999999999999999999999", "-1", "x", "", nil] as [String?])
    func offset(_ text: String?) async throws {
        let server = try ResumableServer(.tus)
        server.state.change { $0.cuts = [200_000] }
        let channel = Channel.test(server.url)
        let states = Shared<[ResumableUpload.State?]>([])
        // The first piece is acknowledged, the second one is cut.
        server.script("HEAD", [(204, text.map { ["Upload-Offset": $0] } ?? [:])])
        server.state.change { $0.cuts = [.max, 10_000] }
        let response = await channel.manager.upload(
            .post("a"), from: .bytes(Self.data), resumable: plan(.tus, states) { $0.pieceSize = 100_000 }
        ).response
        #expect(response.error?.label == "transport.malformedResponse", "\(response.result)")
        #expect(states.current.last??.offset == 100_000)
    }

    @Test(
        "fails if a response to bytes acknowledges more than was sent, or nothing", arguments: ["100001", "x", nil] as [String?])
    func acknowledged(_ text: String?) async throws {
        let server = try ResumableServer(.tus)
        server.script("PATCH", [(204, text.map { ["Upload-Offset": $0] } ?? [:])])
        let channel = Channel.test(server.url)
        let response = await channel.manager.upload(
            .post("a"), from: .bytes(Self.data), resumable: plan(.tus) { $0.pieceSize = 100_000 }
        ).response
        #expect(response.error?.label == "transport.malformedResponse", "\(response.result)")
    }

    @Test(
        "fails without an address, and never sends credentials to another origin",
        arguments: [
            "http://example.com/files/1", "https://127.0.0.1/files/1", "//evil.example/files/1", "http://[", "file:///etc/passwd",
        ])
    func location(_ text: String) async throws {
        let server = try ResumableServer(.ietf, location: text)
        let channel = Channel.test(server.url)
        let response = await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan(.ietf)).response
        #expect(response.error?.label == "transport.redirectRejected", "\(response.result)")
        #expect(server.requests.count == 1)
    }

    @Test("keeps its fields through a redirect to another origin, which gets no credentials", arguments: Dialect.allCases)
    func redirectedElsewhere(dialect: Dialect) async throws {
        let front = try ResumableServer(dialect)
        let back = try ResumableServer(dialect, location: "\(front.url)/files/1")
        front.script("POST", [(307, ["Location": "\(back.url)/a"])])
        for method in ["PATCH", "HEAD"] {
            front.script(method, Array(repeating: (308, ["Location": "\(back.url)/files/1"]), count: 20))
        }
        let channel = Channel.test(front.url) { $0.modifiers += [Header("Authorization", "Bearer s3cret")] }
        back.state.change { $0.cuts = [150_000] }
        try await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan(dialect) { $0.pieceSize = 200_000 })
            .value
        #expect(back.data == Self.data)
        #expect(Set(back.requests.map(\.method)) == ["POST", "PATCH", "HEAD"])
        #expect(back.requests.allSatisfy { $0.fields["authorization"] == nil })
        #expect(front.requests.allSatisfy { $0.fields["authorization"] == "Bearer s3cret" })
    }

    @Test("resolves its Location against the address that a redirect led to", arguments: Dialect.allCases)
    func relativeLocation(dialect: Dialect) async throws {
        let server = try ResumableServer(dialect, location: "1")
        server.script("POST", [(308, ["Location": "/files/"])])
        let channel = Channel.test(server.url)
        try await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan(dialect)).value
        #expect(server.data == Self.data)
        #expect(server.requests.map(\.target) == ["/a", "/files/", "/files/1"])
    }

    @Test("by the draft ends with the response that its last one redirects to")
    func seeOther() async throws {
        let server = try ResumableServer(.ietf)
        let page = try LoopbackServer.test { _ in .ok("the page") }
        server.script("PATCH", [(303, ["Location": "\(page.url)/page"])])
        let channel = Channel.test(server.url)
        let answer = try await channel.manager.upload(.post("a"), from: .bytes(Self.data), as: .data, resumable: plan(.ietf))
            .value
        #expect(answer == Data("the page".utf8))
    }

    @Test("fails without a Location")
    func noLocation() async throws {
        let server = try ResumableServer(.tus)
        server.script("POST", [(201, [:])])
        let channel = Channel.test(server.url)
        let response = await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan(.tus)).response
        #expect(response.error?.label == "transport.malformedResponse", "\(response.result)")
    }

    // MARK: - False states

    private func state(
        _ server: ResumableServer, _ body: Body, by dialect: Dialect = .tus, _ change: [String: String] = [:]
    ) async throws -> ResumableUpload.State {
        server.state.change { $0.cuts = [150_000] }
        let states = Shared<[ResumableUpload.State?]>([])
        let channel = Channel.test(server.url)
        _ = await channel.manager.upload(.post("a"), from: body, resumable: plan(dialect, states) { $0.attempts = 1 }).response
        await channel.close()
        var text = String(decoding: try JSONEncoder().encode(try #require(states.current.last ?? nil)), as: UTF8.self)
        for (old, new) in change { text = text.replacingOccurrences(of: old, with: new) }
        return try JSONDecoder().decode(ResumableUpload.State.self, from: Data(text.utf8))
    }

    @Test(
        "that ends with another offset than its own is no success, and keeps its state",
        arguments: [
            ["Upload-Offset": "50", "Upload-Complete": "?1"], ["Upload-Offset": "999999"],
            ["Upload-Offset": "999999", "Upload-Complete": "?1"],
        ])
    func falseEnd(fields: [String: String]) async throws {
        let server = try ResumableServer(.ietf)
        server.script("PATCH", [(200, fields)])
        let states = Shared<[ResumableUpload.State?]>([])
        let channel = Channel.test(server.url)
        let response = await channel.manager.upload(
            .post("a"), from: .bytes(Self.data), resumable: plan(.ietf, states) { $0.attempts = 1 }
        ).response
        #expect(response.error?.label == "transport.malformedResponse", "\(response.result)")
        #expect(states.current.last??.offset == 0)
    }

    @Test("whose last piece was accepted in part sends the rest")
    func partOfTheEnd() async throws {
        let server = try ResumableServer(.ietf)
        server.script("POST", [(201, ["Location": "/files/1"])])
        server.script("PATCH", [(200, ["Upload-Offset": "50"])])
        server.state.change { $0.uploads["/files/1"] = Self.data.prefix(50) }
        let channel = Channel.test(server.url)
        try await channel.manager.upload(.post("a"), from: .bytes(Self.data), resumable: plan(.ietf)).value
        let isComplete = server.data == Self.data
        #expect(isComplete)
    }

    @Test("that names another origin is rejected before credentials go there")
    func foreignState() async throws {
        let server = try ResumableServer(.tus)
        let other = try ResumableServer(.tus)
        let own = server.url.replacingOccurrences(of: "/", with: "\\/")
        let foreign = other.url.replacingOccurrences(of: "/", with: "\\/")
        let state = try await state(server, .bytes(Self.data), [own: foreign])
        #expect(state.url.hasPrefix(other.url))
        let channel = Channel.test(server.url)
        let response = await channel.manager.upload(
            .post("a"), from: .bytes(Self.data), resumable: plan(.tus, continuing: state)
        ).response
        #expect(response.error?.label == "request.leavesEnvironment", "\(response.result)")
        #expect(other.requests.isEmpty)
    }

    @Test("with impossible numbers is an error", arguments: ["-5", "9223372036854775807"])
    func impossibleState(number: String) async throws {
        for member in ["offset", "length"] {
            let server = try ResumableServer(.tus)
            let old = member == "offset" ? #""offset":0"# : #""length":400000"#
            let state = try await state(server, .bytes(Self.data), [old: "\"\(member)\":\(number)"])
            let channel = Channel.test(server.url)
            let response = await channel.manager.upload(
                .post("a"), from: .bytes(Self.data), resumable: plan(.tus, continuing: state)
            ).response
            // A smaller offset is harmless: the server's offset decides.
            #expect((response.error == nil) == (member == "offset" && number == "-5"), "\(member) \(response.result)")
            await channel.close()
        }
    }

    @Test("of another source is rejected: other bytes, another file, a changed file")
    func otherSource() async throws {
        let file = try TemporaryFile(Self.data)
        var changed = Self.data
        changed[3] ^= 1
        let others: [Body] = [.bytes(changed), .bytes(Self.data.dropLast()), .stream(Body.Stream { Data().pieces(1) })]
        for body in others {
            let server = try ResumableServer(.tus)
            try await expectRejection(try await state(server, .bytes(Self.data)), server, body)
        }
        let server = try ResumableServer(.tus)
        let state = try await state(server, .file(file.url))
        try changed.write(to: file.url)
        try await expectRejection(state, server, .file(file.url))
    }

    @Test("of another source is rejected, even if only its middle has changed", arguments: UploadTests.Source.allCases)
    func otherSourceInTheMiddle(source: UploadTests.Source) async throws {
        let file = try TemporaryFile(Self.data)
        func body(_ data: Data) throws -> Body {
            switch source {
            case .bytes: return .bytes(data)
            case .file:
                try data.write(to: file.url)
                return .file(file.url)
            case .sequence: return .stream(Body.Stream { data.pieces(7_000) })
            case .sequenceOfLength: return .stream(Body.Stream(length: 400_000) { data.pieces(7_000) })
            case .once: return .once(data.pieces(7_000), length: 400_000)
            }
        }
        let isExamined = [.bytes, .file].contains(source)
        // All bytes were sent, but the server took only 150,000.
        for index in [100_000, 149_999, 300_000] {
            var changed = Self.data
            changed[index] ^= 1
            let server = try ResumableServer(.tus)
            let state = try await state(server, try body(Self.data))
            try await expectRejection(state, server, try body(changed), asks: !isExamined)
            #expect(server.data == Self.data.prefix(150_000))
        }
    }

    @Test("of a sequence that ends before the bytes that were sent is rejected")
    func shorterSequence() async throws {
        let data = Self.data
        let server = try ResumableServer(.tus)
        let state = try await state(server, .stream(Body.Stream { data.pieces(7_000) }))
        let shorter = Data(data.prefix(140_000))
        try await expectRejection(state, server, .stream(Body.Stream { shorter.pieces(7_000) }), asks: true)
    }

    /// - Parameter asks: whether the upload asks for the server's offset before it compares the source.
    private func expectRejection(
        _ state: ResumableUpload.State, _ server: ResumableServer, _ body: Body, asks: Bool = false
    ) async throws {
        let before = server.requests.count
        let channel = Channel.test(server.url)
        let response = await channel.manager.upload(.post("a"), from: body, resumable: plan(.tus, continuing: state)).response
        guard case .transport(.bodyUnreadable(let error), _) = response.error else {
            Issue.record("\(response.result)")
            return
        }
        #expect(error is UploadSourceChanged)
        #expect(server.requests.dropFirst(before).map(\.method) == (asks ? ["HEAD"] : []))
        await channel.close()
    }

    @Test("of a sequence continues in another process from the bytes that the server lacks")
    func sequenceAfterRestart() async throws {
        let data = Self.data
        let body = Body.stream(Body.Stream(length: 400_000) { data.pieces(7_000) })
        let server = try ResumableServer(.tus)
        let state = try await state(server, body)
        #expect(server.data.count == 150_000)
        let channel = Channel.test(server.url)
        let upload = channel.manager.upload(.post("a"), from: body, resumable: plan(.tus, continuing: state))
        try await upload.value
        #expect(server.data == data)
        #expect(server.state.current.appended == 400_000)
        var last = TransferProgress()
        for await progress in upload.progress { last = progress }
        #expect(last.completed == 400_000 && last.reused == 150_000)
    }

    @Test("of a file that changes between two pieces stops")
    func fileChanges() async throws {
        let file = try TemporaryFile(Self.data)
        let server = try ResumableServer(.tus)
        let channel = Channel.test(server.url)
        let plan = ResumableUpload(.tus) { state in
            if state?.offset == 200_000 { try? Data.noise(400_000, seed: 2).write(to: file.url) }
        }
        var pieces = plan
        pieces.pieceSize = 100_000
        let response = await channel.manager.upload(.post("a"), from: .file(file.url), resumable: pieces).response
        guard case .transport(.bodyUnreadable(let error), _) = response.error else {
            Issue.record("\(response.result)")
            return
        }
        #expect(error is UploadSourceChanged)
        #expect(server.data == Self.data.prefix(200_000))
    }

    @Test("of a file that shrinks or grows while one piece is sent fails, and the piece never arrives whole", arguments: [4, 12])
    func changed(mebibytes: Int) async throws {
        let file = try TemporaryFile(Data.noise(8 << 20))
        let whole = Shared(0)
        let server = try RawServer { connection in
            while let head = connection.head() {
                guard head.method == "PATCH" else {
                    connection.answer(201, ["Location": "/files/1", "Tus-Resumable": "1.0.0"])
                    continue
                }
                var left = head.length - connection.read(upTo: 1_000).count
                truncate(file.url.path, off_t(mebibytes << 20))
                while left > 0, case let piece = connection.read(upTo: 65_536), !piece.isEmpty { left -= piece.count }
                if left == 0 { whole.change { $0 += 1 } }
                connection.answer(204, ["Upload-Offset": "\(head.length - left)", "Tus-Resumable": "1.0.0"])
            }
        }
        let channel = Channel.test(server.url)
        let response = await channel.manager.upload(.post("a"), from: .file(file.url), resumable: plan(.tus)).response
        #expect(response.error?.label == "transport.bodyUnreadable", "\(response.result)")
        await channel.close()
        #expect(whole.current == 0)
    }

    // MARK: - Checksum, end

    /// The peer in `Scripts/peers`, tuspyserver 4.4, lacks this extension.
    @Test("sends a checksum of each piece", arguments: ResumableUpload.Checksum.allCases)
    func checksum(_ kind: ResumableUpload.Checksum) async throws {
        let server = try ResumableServer(.tus)
        let file = try TemporaryFile(Data("hello world".utf8))
        let channel = Channel.test(server.url)
        try await channel.manager.upload(.post("a"), from: .file(file.url), resumable: plan(.tus) { $0.checksum = kind }).value
        let expected = [
            "sha1": "Kq5sNclPz7QV2+lfQIuc6R7oRu0=", "md5": "XrY7u+Ae7tCTyyK7j1rNww==",
            "sha256": "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=",
        ]
        #expect(server.requests.last?.fields["upload-checksum"] == "\(kind.rawValue) \(expected[kind.rawValue] ?? "")")
    }

    @Test(
        "sends a damaged piece again: the server compares the checksum of each of three",
        arguments: ResumableUpload.Checksum.allCases, 0..<3)
    func damaged(kind: ResumableUpload.Checksum, piece: Int64) async throws {
        let data = Data("hello world".utf8)
        let server = try ResumableServer(.tus)
        let channel = Channel.test(server.url)
        var plan = ResumableUpload(.tus) { [state = server.state] stored in
            if stored?.offset == piece * 4 { state.change { $0.damagesPiece = $0.appended == piece * 4 } }
        }
        (plan.pause, plan.pieceSize, plan.checksum) = (.milliseconds(1), 4, kind)
        try await channel.manager.upload(.post("a"), from: .bytes(data), resumable: plan).value
        #expect(server.data == data)
        let patches = server.requests.filter { $0.method == "PATCH" }
        #expect(patches.count == 4 && patches.allSatisfy { $0.fields["upload-checksum"]?.hasPrefix(kind.rawValue) == true })
        #expect(Set(patches.map { $0.fields["upload-checksum"] }).count == 3)
    }

    @Test("by the draft rejects a checksum, because the draft has none", arguments: Dialect.allCases.filter { $0 != .tus })
    func checksumOfDraft(dialect: Dialect) async throws {
        let server = try ResumableServer(dialect)
        let channel = Channel.test(server.url)
        for stored in [nil, try await state(server, .bytes(Self.data), by: dialect)] {
            let before = server.requests.count
            let response = await channel.manager.upload(
                .post("a"), from: .bytes(Self.data), resumable: plan(dialect, continuing: stored) { $0.checksum = .sha256 }
            ).response
            #expect(response.error?.label == "transport.unsupported", "\(response.result)")
            #expect(server.requests.count == before)
        }
    }

    @Test("fails with the error of a sequence that throws", arguments: Dialect.allCases, [nil, 20] as [Int64?])
    func throwing(by dialect: Dialect, length: Int64?) async throws {
        struct Broken: Error {}
        let server = try ResumableServer(dialect)
        let channel = Channel.test(server.url)
        let body = Body.Stream(length: length) {
            AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data(count: 10))
                continuation.finish(throwing: Broken())
            }
        }
        let response = await channel.manager.upload(.post("a"), from: .stream(body), resumable: plan(dialect)).response
        guard case .transport(.bodyUnreadable(let error), _) = response.error else {
            Issue.record("\(response.result)")
            return
        }
        #expect(error is Broken && server.state.current.complete.isEmpty)
    }

    @Test(
        "is discarded by its state; a forgotten upload is not an error", arguments: Dialect.allCases, [204, 404, 410, 500])
    func discarded(by dialect: Dialect, status: Int) async throws {
        let server = try ResumableServer(dialect)
        let state = try await state(server, .bytes(Self.data), by: dialect)
        if status != 204 { server.script("DELETE", [(status, [:])]) }
        let channel = Channel.test(server.url)
        do {
            try await channel.manager.discard(state, of: .post("a"))
            #expect(status != 500)
        } catch {
            #expect(status == 500, "\(error)")
        }
        #expect(server.requests.last?.method == "DELETE")
        #expect(server.requests.last?.target == "/files/1")
        #expect(server.requests.last?.fields["tus-resumable"] == (dialect == .tus ? "1.0.0" : nil))
    }

    @Test("of many bytes is cancelled while they are hashed, also if uploads occupy all threads")
    func cancelledWhileHashed() async throws {
        let server = try ResumableServer(.tus)
        let channel = Channel.test(server.url)
        let bytes = Data(count: 1 << 30)
        let start = ContinuousClock.now
        let uploads = (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in
            channel.manager.upload(.post("a"), from: .bytes(bytes), resumable: plan(.tus))
        }
        try await Task.sleep(for: .milliseconds(100))
        for upload in uploads { upload.cancel() }
        for upload in uploads { #expect(await upload.response.error?.isCancelled == true) }
        #expect(server.requests.isEmpty)
        // In a debug build the hash alone takes more than half a minute.
        #expect(start.duration(to: .now) < .seconds(20))
    }

    @Test("is cancelled in a pause, and keeps its state")
    func cancelledInPause() async throws {
        let server = try ResumableServer(.tus)
        server.state.change { $0.cuts = Array(repeating: 0, count: 100) }
        let channel = Channel.test(server.url)
        let states = Shared<[ResumableUpload.State?]>([])
        let upload = channel.manager.upload(
            .post("a"), from: .bytes(Self.data), resumable: plan(.tus, states) { $0.pause = .seconds(30) })
        for _ in 0..<500 where server.requests.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
        upload.cancel()
        #expect(await upload.response.error?.isCancelled == true)
        #expect(states.current.last??.offset == 0)
    }
}

@Suite("The fields of resumable uploads", .closing)
struct UploadDialectTests {
    private func answer(_ dialect: ResumableUpload.Dialect, _ fields: [(String, String)]) throws -> ResumableUpload.Dialect.Answer
    {
        var all = HTTPFields()
        for (name, value) in fields { all.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        return try dialect.answer(all)
    }

    @Test("are read")
    func read() throws {
        let new = try answer(
            .ietf, [("Upload-Offset", " 7 "), ("Upload-Complete", "?0;a=1"), ("Upload-Limit", "max-append-size=9")])
        #expect(new == ResumableUpload.Dialect.Answer(offset: 7, isComplete: false, limit: 9))
        #expect(try answer(.ietfInterop5, [("Upload-Complete", "?1")]).isComplete == true)
        #expect(try answer(.ietfInterop3, [("Upload-Incomplete", "?0")]).isComplete == true)
        #expect(try answer(.ietfInterop3, [("Upload-Complete", "?1")]).isComplete == nil)
        let tus = try answer(
            .tus, [("Upload-Length", "9"), ("Location", "/f"), ("Upload-Expires", "Sun, 06 Nov 1994 08:49:37 GMT")])
        #expect(tus.length == 9 && tus.location == "/f")
        #expect(tus.expires == Date(timeIntervalSince1970: 784_111_777))
        #expect(try answer(.ietf, [("Upload-Offset", "7"), ("Upload-Offset", "7")]).offset == 7)
        #expect(try answer(.ietf, [("Upload-Limit", "max-append-size=0, max-size=x,=,;")]).limit == nil)
        let limit = #"note="a, max-append-size=1";q, max-append-size=9;x=%"\", max-size=(1 2)"#
        #expect(try answer(.ietf, [("Upload-Limit", limit), ("Upload-Offset", "7;a=\"b\"")]).limit == 9)
        #expect(try answer(.ietf, [("Upload-Offset", "7;a=\"b\"")]).offset == 7)
    }

    @Test(
        "that contradict themselves or are invalid are errors",
        arguments: [
            [("Upload-Offset", "7"), ("Upload-Offset", "8")], [("Upload-Offset", "0x7")], [("Upload-Offset", "7, 7")],
            [("Upload-Offset", "")], [("Upload-Complete", "true")], [("Upload-Complete", "?2")], [("Upload-Length", "-1")],
            [("Location", "/a"), ("Location", "/b")],
        ] as [[(String, String)]])
    func malformed(fields: [(String, String)]) {
        #expect(throws: TransportError.self) { try answer(.ietf, fields) }
    }
}
