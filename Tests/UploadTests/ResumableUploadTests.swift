import TestSupport

@testable import CoreAPITransfers

@Suite("A resumable upload", .closing, .timeLimit(.minutes(3)))
struct ResumableUploadTests {
    typealias Dialect = ResumableUpload.Dialect

    private static let data = Data.noise(400_000)

    @Test("arrives complete in each dialect from each source", arguments: Dialect.allCases, UploadTests.Source.allCases)
    func arrives(by dialect: Dialect, from source: UploadTests.Source) async throws {
        let server = try ResumableServer(dialect)
        let file = try TemporaryFile(Self.data)
        let body = source.body(Self.data, file)
        let channel = Channel.test(server.url)
        let states = States([])
        let upload = channel.manager.upload(.post("a"), from: body, as: .data, resumable: plan(dialect, states))
        let answer = try await upload.value
        #expect(server.data == Self.data)
        #expect(dialect == .tus ? answer.isEmpty : answer == Data(#"{"bytes":400000}"#.utf8))
        #expect(await upload.lastProgress.completed == 400_000)
        #expect(server.requests.map(\.method) == ["POST", "PATCH"])
        #expect(states.current.first??.offset == 0 && states.current.last == .some(nil))
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
        try await upload(isSequence ? .cut(Data(), every: 1) : .bytes(Data()), to: server.url, plan(dialect)).value
        #expect(server.state.current.complete == ["/files/1"])
    }

    @Test("in pieces sends each piece once", arguments: Dialect.allCases, [true, false])
    func pieces(by dialect: Dialect, isFile: Bool) async throws {
        let server = try ResumableServer(dialect)
        let file = try TemporaryFile(Self.data)
        let body = isFile ? Body.file(file.url) : .cut(Self.data, every: 7_777)
        let states = States([])
        try await upload(body, to: server.url, plan(dialect, states) { $0.pieceSize = 100_000 }).value
        #expect(server.data == Self.data)
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
        try await upload(.bytes(Self.data), to: server.url, plan(.ietf)).value
        #expect(server.data == Self.data && server.requests.count == 4)
    }

    @Test("has the endpoint's headers, its query and the metadata")
    func fields() async throws {
        let server = try ResumableServer(.tus)
        let endpoint = TypedEndpoint.post("a", query: ["folder": "7"], headers: ["Authorization": "Bearer s3cret"])
        let states = States([])
        try await Channel.test(server.url).manager.upload(
            endpoint, from: .bytes(Data("x".utf8)),
            resumable: plan(.tus, states) { $0.metadata = ["filename": "bağ.jpg", "filetype": "image/jpeg"] }
        ).value
        #expect(server.requests[0].target == "/a?folder=7")
        #expect(server.requests[0].fields["upload-metadata"] == "filename YmHEny5qcGc=,filetype aW1hZ2UvanBlZw==")
        #expect(server.requests.allSatisfy { $0.fields["authorization"] == "Bearer s3cret" })
        let stored = try JSONEncoder().encode(try #require(states.current.first ?? nil))
        #expect(!String(decoding: stored, as: UTF8.self).contains("s3cret"))
        let rejected = await upload(.bytes(Data("x".utf8)), to: server.url, plan(.tus) { $0.metadata = ["a b": "c"] }).response
        #expect(rejected.error?.label == "request.malformedHeader", "\(rejected.result)")
    }

    @Test("is not faster than its limit")
    func rate() async throws {
        let server = try ResumableServer(.tus)
        let started = ContinuousClock.now
        try await upload(.bytes(Self.data), to: server.url, plan(.tus) { $0.bytesPerSecond = 1_000_000 }).value
        #expect(ContinuousClock.now - started >= .milliseconds(400))
        #expect(server.data == Self.data)
    }

    @Test("cut at random offsets has every byte once", arguments: 0..<60)
    func cut(seed: Int) async throws {
        var numbers = SplitMix(seed)
        let dialect = try #require(Dialect.allCases.randomElement(using: &numbers))
        let data = Data.noise(Int.random(in: 100_000...600_000, using: &numbers), seed: UInt64(seed))
        let file = try TemporaryFile(data)
        let pieces = Int.random(in: 1...50_000, using: &numbers)
        let kind = Int.random(in: 0..<3, using: &numbers)
        let body = [Body.bytes(data), .file(file.url), .cut(data, every: pieces)][kind]
        let resets = Bool.random(using: &numbers)
        let cuts = (0..<Int.random(in: 1...8, using: &numbers)).map { _ in Int.random(in: 0...data.count / 2, using: &numbers) }
        let pieceSize = Bool.random(using: &numbers) ? Int.random(in: 20_000...200_000, using: &numbers) : nil
        let server = try ResumableServer(dialect, resetting: resets, cuts: cuts)
        let states = States([])
        var plan = plan(dialect, states) { ($0.pieceSize, $0.attempts) = (pieceSize, 20) }
        // Half of the runs stop somewhere and continue from the stored state, like another process.
        if Bool.random(using: &numbers) {
            let stop = Int64.random(in: 0...Int64(data.count), using: &numbers)
            let first = upload(body, to: server.url, plan)
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
            let response = await upload(body, to: server.url, plan).response
            #expect(response.error == nil, "\(dialect) \(cuts) \(response.result)")
        }
        #expect(SHA256.hash(server.data) == SHA256.hash(data), "\(dialect) \(cuts)")
        #expect(server.state.current.appended == data.count, "sent twice: \(dialect) \(cuts)")
    }

    @Test("is complete after a lost last response, and sends no byte again", arguments: Dialect.allCases)
    func lostAnswer(by dialect: Dialect) async throws {
        let server = try ResumableServer(dialect)
        let plan = ResumableUpload(dialect) { [state = server.state] _ in state.change { $0.swallowsAnswer = true } }
        try await upload(.bytes(Self.data), to: server.url, plan).value
        #expect(server.state.current.appended == Self.data.count)
        #expect(server.requests.map(\.method) == ["POST", "PATCH", "HEAD"])
    }

    @Test("continues in a channel that translates errors, too")
    func translated() async throws {
        let server = try ResumableServer(.tus, cuts: [100_000])
        try await upload(.bytes(Self.data), to: server.url, plan(.tus)) {
            $0.errorFilter = $0.errorFilter.localized(["transport": "No network"])
        }.value
        #expect(server.data == Self.data)
        #expect(server.requests.map(\.method) == ["POST", "PATCH", "HEAD", "PATCH"])
    }

    @Test("of a sequence continues with the largest size of a piece")
    func largestPiece() async throws {
        let server = try ResumableServer(.tus, cuts: [100_000])
        try await upload(.cut(Self.data, every: 10_000), to: server.url, plan(.tus) { $0.pieceSize = .max }).value
        #expect(server.data == Self.data)
    }

    @Test("of a sequence holds no more than 1 MiB, whatever the server allows")
    func generousServer() async throws {
        let server = try ResumableServer(.ietf, limit: "max-append-size=999999999")
        let data = Data.noise(3 << 20)
        try await upload(.cut(data, every: 100_000), to: server.url, plan(.ietf)).value
        #expect(server.data == data)
        let lengths = server.requests.compactMap { $0.method == "PATCH" ? $0.fields["content-length"] : nil }
        #expect(lengths == Array(repeating: "1048576", count: 3))
    }

    @Test("fails after the allowed attempts without progress")
    func givesUp() async throws {
        let server = try ResumableServer(.tus, cuts: Array(repeating: 0, count: 100))
        let response = await upload(.bytes(Self.data), to: server.url, plan(.tus) { $0.attempts = 3 }).response
        #expect(response.error?.label == "transport.connectionLost", "\(response.result)")
        #expect(server.count("PATCH") == 3)
    }

    @Test("continues after a response that allows it", arguments: [409, 423, 460, 503, 429])
    func goesOn(after status: Int) async throws {
        let server = try ResumableServer(.tus)
        server.script("PATCH", status)
        try await upload(.bytes(Self.data), to: server.url, plan(.tus)).value
        #expect(server.data == Self.data)
    }

    @Test("ends at a response that rejects it", arguments: [400, 401, 413])
    func ends(at status: Int) async throws {
        let server = try ResumableServer(.ietf)
        server.script("PATCH", status)
        #expect(await upload(.bytes(Self.data), to: server.url, plan(.ietf)).response.head?.status.code == status)
        #expect(server.requests.count == 2)
    }

    @Test("that the server has forgotten begins again only if the options allow it", arguments: [404, 410], [true, false])
    func gone(status: Int, startsAnew: Bool) async throws {
        let server = try ResumableServer(.tus)
        server.script("PATCH", status)
        let plan = plan(.tus) { $0.startsAnew = startsAnew }
        let response = await upload(.cut(Self.data, every: 9_000), to: server.url, plan).response
        #expect((response.error == nil) == startsAnew, "\(response.result)")
        #expect(server.count("POST") == (startsAnew ? 2 : 1))
        if startsAnew { #expect(server.data == Self.data) }
    }

    @Test("of a sequence that can be read only once cannot begin again")
    func goneOnce() async throws {
        let server = try ResumableServer(.tus)
        server.script("PATCH", 404)
        let response = await upload(.once(Self.data.pieces(9_000)), to: server.url, plan(.tus)).response
        #expect(response.transportError?.bodyError as? BodyError == .readTwice)
    }

    @Test(
        "fails if the server's offset goes back, is beyond the end or what was sent, or is not a number",
        arguments: ["0", "400001", "999999999999999999", "9999999999999999999999", "-1", "x", "", nil].map { ("HEAD", $0) }
            + ["100001", "x", nil].map { ("PATCH", $0) } as [(String, String?)])
    func offset(method: String, text: String?) async throws {
        // The first piece is acknowledged, the second one is cut.
        let server = try ResumableServer(.tus, cuts: [.max, 10_000])
        let states = States([])
        server.script(method, 204, text.map { ["Upload-Offset": $0] } ?? [:])
        let response = await upload(.bytes(Self.data), to: server.url, plan(.tus, states) { $0.pieceSize = 100_000 }).response
        #expect(response.error?.label == "transport.malformedResponse", "\(response.result)")
        if method == "HEAD" { #expect(states.current.last??.offset == 100_000) }
    }

    @Test(
        "fails without an address, and never sends credentials to another origin",
        arguments: [
            "http://example.com/files/1", "https://127.0.0.1/files/1", "//evil.example/files/1", "http://[", "file:///etc/passwd",
        ])
    func location(_ text: String) async throws {
        let server = try ResumableServer(.ietf, location: text)
        let response = await upload(.bytes(Self.data), to: server.url, plan(.ietf)).response
        #expect(response.error?.label == "transport.redirectRejected", "\(response.result)")
        #expect(server.requests.count == 1)
    }

    @Test("keeps its fields through a redirect to another origin, which gets no credentials", arguments: Dialect.allCases)
    func redirectedElsewhere(dialect: Dialect) async throws {
        let front = try ResumableServer(dialect)
        let back = try ResumableServer(dialect, location: "\(front.url)/files/1", cuts: [150_000])
        front.script("POST", 307, ["Location": "\(back.url)/a"])
        for method in ["PATCH", "HEAD"] { front.script(method, 308, ["Location": "\(back.url)/files/1"], times: 20) }
        try await upload(.bytes(Self.data), to: front.url, plan(dialect) { $0.pieceSize = 200_000 }) {
            $0.modifiers += [Header("Authorization", "Bearer s3cret"), Header("Cookie", "session=s3cret")]
        }.value
        #expect(back.data == Self.data)
        #expect(Set(back.requests.map(\.method)) == ["POST", "PATCH", "HEAD"])
        #expect(back.requests.allSatisfy { request in !request.fields.values.contains { $0.contains("s3cret") } })
        #expect(front.requests.allSatisfy { $0.fields["authorization"] == "Bearer s3cret" })
    }

    @Test("resolves its Location against the address that a redirect led to", arguments: Dialect.allCases)
    func relativeLocation(dialect: Dialect) async throws {
        let server = try ResumableServer(dialect, location: "1")
        server.script("POST", 308, ["Location": "/files/"])
        try await upload(.bytes(Self.data), to: server.url, plan(dialect)).value
        #expect(server.data == Self.data)
        #expect(server.requests.map(\.target) == ["/a", "/files/", "/files/1"])
    }

    @Test("by the draft ends with the response that its last one redirects to")
    func seeOther() async throws {
        let server = try ResumableServer(.ietf)
        let page = try LoopbackServer.test { _ in .ok("the page") }
        server.script("PATCH", 303, ["Location": "\(page.url)/page"])
        let upload = Channel.test(server.url).manager
            .upload(.post("a"), from: .bytes(Self.data), as: .text, resumable: plan(.ietf))
        #expect(try await upload.value == "the page")
    }

    private func state(
        _ server: ResumableServer, _ body: Body, by dialect: Dialect = .tus, _ change: [String: String] = [:]
    ) async throws -> ResumableUpload.State {
        server.state.change { $0.cuts = [150_000] }
        let states = States([])
        _ = await upload(body, to: server.url, plan(dialect, states) { $0.attempts = 1 }).response
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
        server.script("PATCH", 200, fields)
        let states = States([])
        let response = await upload(.bytes(Self.data), to: server.url, plan(.ietf, states) { $0.attempts = 1 }).response
        #expect(response.error?.label == "transport.malformedResponse", "\(response.result)")
        #expect(states.current.last??.offset == 0)
    }

    @Test("that names another origin is rejected before credentials go there")
    func foreignState() async throws {
        let server = try ResumableServer(.tus)
        let other = try ResumableServer(.tus)
        let own = server.url.replacingOccurrences(of: "/", with: "\\/")
        let foreign = other.url.replacingOccurrences(of: "/", with: "\\/")
        let state = try await state(server, .bytes(Self.data), [own: foreign])
        #expect(state.url.hasPrefix(other.url))
        let response = await upload(.bytes(Self.data), to: server.url, plan(.tus, continuing: state)).response
        #expect(response.error?.label == "request.leavesEnvironment", "\(response.result)")
        #expect(other.requests.isEmpty)
    }

    @Test("with impossible numbers is an error", arguments: ["-5", "9223372036854775807"])
    func impossibleState(number: String) async throws {
        for member in ["offset", "length"] {
            let server = try ResumableServer(.tus)
            let old = member == "offset" ? #""offset":0"# : #""length":400000"#
            let state = try await state(server, .bytes(Self.data), [old: "\"\(member)\":\(number)"])
            let response = await upload(.bytes(Self.data), to: server.url, plan(.tus, continuing: state)).response
            // A smaller offset is harmless: the server's offset decides.
            #expect((response.error == nil) == (member == "offset" && number == "-5"), "\(member) \(response.result)")
        }
    }

    @Test("of another source is rejected: other bytes, another file, a changed file")
    func otherSource() async throws {
        let file = try TemporaryFile(Self.data)
        var changed = Self.data
        changed[3] ^= 1
        for body in [Body.bytes(changed), .bytes(Self.data.dropLast()), .cut(Data(), every: 1)] {
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
            try data.write(to: file.url)
            return source.body(data, file)
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
        let state = try await state(server, .cut(data, every: 7_000))
        try await expectRejection(state, server, .cut(Data(data.prefix(140_000)), every: 7_000), asks: true)
    }

    /// - Parameter asks: whether the upload asks for the server's offset before it compares the source.
    private func expectRejection(
        _ state: ResumableUpload.State, _ server: ResumableServer, _ body: Body, asks: Bool = false
    ) async throws {
        let before = server.requests.count
        let response = await upload(body, to: server.url, plan(.tus, continuing: state)).response
        #expect(response.transportError?.bodyError is UploadSourceChanged, "\(response.result)")
        #expect(server.requests.dropFirst(before).map(\.method) == (asks ? ["HEAD"] : []))
    }

    @Test("of a sequence continues in another process from the bytes that the server lacks")
    func sequenceAfterRestart() async throws {
        let body = Body.cut(Self.data, every: 7_000, length: 400_000)
        let server = try ResumableServer(.tus)
        let state = try await state(server, body)
        #expect(server.data.count == 150_000)
        let upload = upload(body, to: server.url, plan(.tus, continuing: state))
        try await upload.value
        #expect(server.data == Self.data && server.state.current.appended == 400_000)
        let last = await upload.lastProgress
        #expect(last.completed == 400_000 && last.reused == 150_000)
    }

    @Test("of a file that changes between two pieces stops")
    func fileChanges() async throws {
        let file = try TemporaryFile(Self.data)
        let server = try ResumableServer(.tus)
        var plan = ResumableUpload(.tus) { state in
            if state?.offset == 200_000 { try? Data.noise(400_000, seed: 2).write(to: file.url) }
        }
        plan.pieceSize = 100_000
        let response = await upload(.file(file.url), to: server.url, plan).response
        #expect(response.transportError?.bodyError is UploadSourceChanged, "\(response.result)")
        #expect(server.data == Self.data.prefix(200_000))
    }

    /// The peer in `Scripts/peers`, tuspyserver 4.4, lacks this extension.
    @Test("sends a checksum of each piece", arguments: ResumableUpload.Checksum.allCases)
    func checksum(_ kind: ResumableUpload.Checksum) async throws {
        let server = try ResumableServer(.tus)
        let file = try TemporaryFile(Data("hello world".utf8))
        try await upload(.file(file.url), to: server.url, plan(.tus) { $0.checksum = kind }).value
        let expected = [
            "sha1": "Kq5sNclPz7QV2+lfQIuc6R7oRu0=", "md5": "XrY7u+Ae7tCTyyK7j1rNww==",
            "sha256": "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=",
        ]
        #expect(server.requests.last?.fields["upload-checksum"] == "\(kind.rawValue) \(expected[kind.rawValue] ?? "")")
    }

    @Test("sends a damaged piece again: the server compares the checksums", arguments: ResumableUpload.Checksum.allCases, 0..<3)
    func damaged(kind: ResumableUpload.Checksum, piece: Int64) async throws {
        let data = Data("hello world".utf8)
        let server = try ResumableServer(.tus)
        var plan = ResumableUpload(.tus) { [state = server.state] stored in
            if stored?.offset == piece * 4 { state.change { $0.damagesPiece = $0.appended == piece * 4 } }
        }
        (plan.pause, plan.pieceSize, plan.checksum) = (.milliseconds(1), 4, kind)
        try await upload(.bytes(data), to: server.url, plan).value
        #expect(server.data == data)
        let patches = server.requests.filter { $0.method == "PATCH" }
        #expect(patches.count == 4 && patches.allSatisfy { $0.fields["upload-checksum"]?.hasPrefix(kind.rawValue) == true })
        #expect(Set(patches.map { $0.fields["upload-checksum"] }).count == 3)
    }

    @Test("by the draft rejects a checksum, because the draft has none", arguments: Dialect.allCases.filter { $0 != .tus })
    func checksumOfDraft(dialect: Dialect) async throws {
        let server = try ResumableServer(dialect)
        for stored in [nil, try await state(server, .bytes(Self.data), by: dialect)] {
            let before = server.requests.count
            let plan = plan(dialect, continuing: stored) { $0.checksum = .sha256 }
            let response = await upload(.bytes(Self.data), to: server.url, plan).response
            #expect(response.error?.label == "transport.unsupported", "\(response.result)")
            #expect(server.requests.count == before)
        }
    }

    @Test("fails with the error of a sequence that throws", arguments: Dialect.allCases, [nil, 20] as [Int64?])
    func throwing(by dialect: Dialect, length: Int64?) async throws {
        struct Broken: Error {}
        let server = try ResumableServer(dialect)
        let response = await upload(.breaking(with: Broken(), length: length), to: server.url, plan(dialect)).response
        #expect(response.transportError?.bodyError is Broken, "\(response.result)")
        #expect(server.state.current.complete.isEmpty)
    }

    @Test("is discarded by its state; a forgotten upload is not an error", arguments: Dialect.allCases, [204, 404, 410, 500])
    func discarded(by dialect: Dialect, status: Int) async throws {
        let server = try ResumableServer(dialect)
        let state = try await state(server, .bytes(Self.data), by: dialect)
        if status != 204 { server.script("DELETE", status) }
        let channel = Channel.test(server.url)
        do {
            try await channel.manager.discard(state, of: .post("a"))
            #expect(status != 500)
        } catch { #expect(status == 500, "\(error)") }
        #expect(server.requests.last?.method == "DELETE" && server.requests.last?.target == "/files/1")
        #expect(server.requests.last?.fields["tus-resumable"] == (dialect == .tus ? "1.0.0" : nil))
    }

    @Test("of many bytes is cancelled while they are hashed, also if uploads occupy all threads")
    func cancelledWhileHashed() async throws {
        let server = try ResumableServer(.tus)
        let bytes = Data(count: 1 << 30)
        let start = ContinuousClock.now
        let uploads = (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in
            upload(.bytes(bytes), to: server.url, plan(.tus))
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
        let server = try ResumableServer(.tus, cuts: Array(repeating: 0, count: 100))
        let states = States([])
        let upload = upload(.bytes(Self.data), to: server.url, plan(.tus, states) { $0.pause = .seconds(30) })
        try await eventually("the upload made no second request") { server.requests.count >= 2 }
        upload.cancel()
        #expect(await upload.response.error?.isCancelled == true)
        #expect(states.current.last??.offset == 0)
    }
}

@Suite("The fields of resumable uploads", .closing)
struct UploadDialectTests {
    private func answer(_ dialect: ResumableUpload.Dialect, _ fields: [(String, String)]) throws -> ResumableUpload.Dialect.Status
    {
        var all = HTTPFields()
        for (name, value) in fields { all.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        return try dialect.status(all)
    }

    @Test("are read")
    func read() throws {
        let new = try answer(
            .ietf, [("Upload-Offset", " 7 "), ("Upload-Complete", "?0;a=1"), ("Upload-Limit", "max-append-size=9")])
        #expect(new == ResumableUpload.Dialect.Status(offset: 7, isComplete: false, limit: 9))
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
    func malformed(fields: [(String, String)]) { #expect(throws: TransportError.self) { try answer(.ietf, fields) } }
}
