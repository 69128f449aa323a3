import TestSupport

@testable import CoreAPITransfers

@Suite("A download is continued", .closing, .timeLimit(.minutes(1)))
struct ResumeTests {
    private let folder = Folder()

    /// Plays a script of replies; the last one repeats.
    private func server(_ script: [@Sendable (ReceivedRequest) -> ServerReply]) throws -> LoopbackServer {
        let turn = Shared(0)
        return try LoopbackServer.test { request in script[min(turn.next(), script.count - 1)](request) }
    }

    @Test("after each interruption that the policy repeats", arguments: [.closeConnection, .reset, .stall] as [Served.Step])
    func withinACall(cut: Served.Step) async throws {
        let served = Served(100_000)
        let server = try server([
            { served.reply($0, sending: 30_000, then: cut) }, { served.reply($0, sending: 1, then: cut) }, { served.reply($0) },
        ])
        let channel = Channel.loopback(server, retries: true) { $0.modifiers = [Timeout(idle: .seconds(2))] }
        let file = try await channel.manager.download(.export, to: folder.export).value
        #expect(try folder.exported == served.bytes)
        #expect(file.head.status.code == 206 && file.reused == 0)
        let requests = server.requests
        #expect(requests.count == 3 && requests[0].headers["range"] == nil)
        #expect(requests.dropFirst().allSatisfy { $0.headers["if-range"] == #""one""# })
        #expect(requests[2].headers["range"]?.hasPrefix("bytes=") == true)
        #expect(try folder.names == ["export.bin"])
    }

    @Test("the Repr-Digest of a 206 is that of the file: wrong bytes fail", arguments: [true, false])
    func reprDigestOfTheRest(isRight: Bool) async throws {
        let served = Served(100_000)
        let rest = isRight ? served.bytes[30_000...] : Data(count: 70_000)
        let server = try server([
            { served.reply($0, sending: 30_000) },
            { _ in .part("bytes 30000-99999/100000", rest, ["Repr-Digest": served.digest]) },
        ])
        let download = folder.download(from: server, retries: true)
        if isRight {
            #expect(try await download.value.digests.map(\.description) == [served.digest])
            #expect(try folder.exported == served.bytes)
        } else {
            let error = await download.failure
            #expect(error?.label == "verification.custom", "\(String(describing: error))")
            #expect(try folder.names.isEmpty)
        }
    }

    private final class Signing: RequestInterceptor {
        let signatures = Shared<[String?]>([])

        func adapt(_ request: inout Request) async throws { try request.setHeader("X-Signature", "s") }

        func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult {
            signatures.change { $0.append(response.request?.headers[HTTPField.Name("X-Signature")!]) }
            return .retry
        }
    }

    @Test("an interceptor that is asked about a broken body sees the request as it was sent")
    func asked() async throws {
        let server = try Served(100_000).server(cut: 30_000)
        let signing = Signing()
        let channel = Channel.loopback(server) { $0.interceptors = [signing] }
        #expect(try await channel.manager.download(.export, to: folder.export).value.reused == 0)
        #expect(signing.signatures.current == ["s"])
        #expect(server.requests.map { $0.headers["x-signature"] } == ["s", "s"])
    }

    @Test("as often as the policy allows, and never without a policy")
    func bounded() async throws {
        let served = Served(100_000)
        let server = try server([{ served.reply($0, sending: 10) }])
        await folder.interrupt(.loopback(server, retries: true))
        #expect(server.requests.count == 5)
        await folder.interrupt(.loopback(server, retries: true) { $0.limits.attempts = 2 })
        #expect(server.requests.count == 7)
        await folder.interrupt(server)
        #expect(server.requests.count == 8)
    }

    @Test("by a later download, from a part and a sidecar only")
    func later() async throws {
        let served = Served(100_000)
        let server = try served.server(cut: 40_000)
        await folder.interrupt(server)
        #expect(try folder.names == ["export.bin.part", "export.bin.part.json"])
        let text = try String(contentsOf: folder.sidecar, encoding: .utf8)
        #expect(!text.contains("127.0.0.1") && !text.contains("/export"), "\(text)")
        let download = folder.download(from: server)
        #expect(try await download.value.reused == 40_000)
        for await progress in download.progress { #expect(progress.completed == 100_000 && progress.reused == 40_000) }
        #expect(server.ranges == [nil, "bytes=40000-"])
        #expect(try folder.exported == served.bytes)
        #expect(try folder.names == ["export.bin"])
    }

    @Test("by the same download after its failure, from another address")
    func freshAddress() async throws {
        let served = Served(100_000)
        let server = try server([{ served.reply($0, sending: 40_000) }, { _ in .status(403) }, { served.reply($0) }])
        let download = Channel.loopback(server).manager.download(.get("export?signature=first"), to: folder.export)
        #expect(await download.failure != nil)
        download.resume()
        #expect(await download.failure?.label == "verification.unacceptableStatus.403")
        download.resume(with: .get("elsewhere/export?signature=second"))
        #expect(try await download.value.reused == 40_000)
        #expect(server.ranges == [nil, "bytes=40000-", "bytes=40000-"])
        #expect(try folder.exported == served.bytes)
    }

    @Test("from another address only if the caller states that the file is the same", arguments: [false, true])
    func otherAddress(isNamed: Bool) async throws {
        let served = Served(100_000)
        let server = try served.server(cut: 40_000)
        let channel = Channel.loopback(server)
        let options = DownloadOptions { if isNamed { $0.identity = "the export of May" } }
        await folder.interrupt(channel, options)
        let download = channel.manager.download(.get("other"), to: folder.export, options)
        let file = try await download.value
        #expect(file.reused == (isNamed ? 40_000 : 0))
        for await progress in download.progress { #expect(progress.reused == file.reused) }
        #expect(server.requests.count == (isNamed ? 2 : 3))
        #expect(try folder.exported == served.bytes)
    }

    @Test("even if a secret in its address has changed")
    func secretInAddress() async throws {
        let server = try Served(100_000).server(cut: 40_000)
        let channel = Channel.loopback(server)
        #expect(await channel.manager.download(.get("export?token=s3cr3t-1"), to: folder.export).failure != nil)
        let file = try await channel.manager.download(.get("export?token=s3cr3t-2"), to: folder.export).value
        #expect(file.reused == 40_000)
    }

    @Test("through a redirect to an address that always changes")
    func redirected() async throws {
        let served = Served(100_000)
        let turn = Shared(0)
        let server = try LoopbackServer.test { request in
            let turn = turn.next() + 1
            guard request.path != "/export" else { return .redirect(to: "/cdn/\(turn)") }
            return served.reply(request, sending: turn == 2 ? 40_000 : nil)
        }
        await folder.interrupt(server)
        #expect(try await folder.download(from: server).value.reused == 40_000)
        #expect(try folder.exported == served.bytes)
    }

    @Test("only by default: without `resumes` a failure leaves no file, and an earlier part is removed")
    func unwanted() async throws {
        let served = Served(100_000)
        let server = try server([{ served.reply($0, sending: 40_000) }])
        await folder.interrupt(server)
        #expect(try folder.names.count == 2)
        await folder.interrupt(server, .init { $0.resumes = false })
        #expect(try folder.names == [])
        #expect(server.requests[1].headers["range"] == nil)
        await folder.interrupt(server)
        try Download.discardPart(of: folder.export)
        #expect(try folder.names == [])
    }

    private static let earlier = "Sun, 01 Nov 2026 10:00:00 GMT"

    @Test(
        "only with a strong validator",
        arguments: [
            (["ETag": #""a""#], true), (["ETag": #"W/"a""#], false), (["ETag": "a"], false), ([:], false),
            (["Last-Modified": earlier, "Date": "Sun, 01 Nov 2026 10:01:00 GMT"], true),
            (["Last-Modified": earlier, "Date": "Sun, 01 Nov 2026 10:00:59 GMT"], false), (["Last-Modified": earlier], false),
            (["Last-Modified": earlier, "Date": "Sun, 01 Nov 2026 12:00:00 GMT", "ETag": #"W/"a""#], false),
            (["ETag": #""a""#, "Accept-Ranges": "none"], false),
        ] as [(HeaderLines, Bool)])
    func validators(headers: HeaderLines, isContinued: Bool) async throws {
        let served = Served(100_000) { ($0.tag, $0.headers, $0.checksIfRange) = (nil, headers, false) }
        let server = try served.server(cut: 40_000)
        await folder.interrupt(server)
        #expect(try folder.names.count == (isContinued ? 2 : 0))
        #expect(try await folder.download(from: server).value.reused == (isContinued ? 40_000 : 0))
        #expect(server.requests[1].headers["if-range"] == (isContinued ? headers["ETag"] ?? headers["Last-Modified"] : nil))
        #expect(try folder.exported == served.bytes)
    }

    @Test("from the beginning without a strong validator, if the policy repeats it")
    func weak() async throws {
        let served = Served(100_000) { $0.tag = nil }
        let server = try served.server(cut: 40_000)
        _ = try await folder.download(from: server, retries: true).value
        #expect(server.ranges == [nil, nil])
        #expect(try folder.exported == served.bytes)
    }

    @Test("never if the method is not GET")
    func post() async throws {
        let served = Served(100_000)
        let server = try server([{ served.reply($0, sending: 40_000) }])
        let channel = Channel.loopback(server, retries: true)
        #expect(await channel.manager.download(.post("export"), to: folder.export).failure != nil)
        #expect(server.requests.count == 1)
        #expect(try folder.names == [])
    }

    @Test(
        "with the right file whatever the server answers to a range",
        arguments: [
            "changed", "changed, If-Range ignored", "changed, no tag", "changed, no tag, digest differs", "changed, no date",
            "ranges ignored", "other start", "no range", "too long", "other total", "multipart", "416", "empty range",
            "the rest as 200", "the rest as 200 with a range",
        ])
    func otherAnswers(kind: String) async throws {
        let isDated = kind == "changed, no date"
        let old = Served(100_000) { old in
            let dates: HeaderLines = ["Last-Modified": Self.earlier, "Date": "Sun, 01 Nov 2026 12:00:00 GMT"]
            if isDated { (old.tag, old.headers) = (nil, dates) }
            old.namesDigest = kind.contains("digest")
        }
        let after = Served(100_000, seed: kind.hasPrefix("changed") ? 2 : 1) { new in
            new.tag = isDated || kind.contains("no tag") ? nil : kind.hasPrefix("changed") ? #""two""# : #""one""#
            (new.checksIfRange, new.knowsRanges) = (kind == "changed", kind != "ranges ignored")
            new.namesDigest = kind.contains("digest")
        }
        let rest = Data(after.bytes[40_000...])
        let server = try server([
            { old.reply($0, sending: 40_000) },
            { request in
                switch kind {
                case "other start": .part("bytes 39999-99999/100000", Data(after.bytes[39_999...]))
                case "no range": .part(nil, rest)
                case "too long": .part("bytes 40000-99998/100000", rest)
                case "other total": .part("bytes 40000-99999/100001", rest)
                case "multipart":
                    .part("bytes 40000-99999/100000", rest, ["Content-Type": "multipart/byteranges; boundary=a"])
                case "416": .status(416, headers: ["Content-Range": "bytes */40000", "ETag": #""one""#])
                case "empty range": .part("bytes 40000-39999/100000", Data())
                case "the rest as 200": .ok(rest, headers: ["ETag": #""one""#])
                case "the rest as 200 with a range": .ok(rest, headers: ["Content-Range": "bytes 40000-99999/100000"])
                default: after.reply(request)
                }
            },
            { after.reply($0) },
        ])
        await folder.interrupt(server)
        let file = try await folder.download(from: server).value
        #expect(try folder.exported == after.bytes)
        #expect(file.reused == 0)
        // The download reads a response with the whole file at once.
        #expect(server.ranges == [nil, "bytes=40000-"] + (["changed", "ranges ignored"].contains(kind) ? [] : [nil]))
        #expect(try folder.names == ["export.bin"])
    }

    /// The bytes on the disk are the only ones that the user has, until the server sends others.
    @Test(
        "and keeps its bytes if the server rejects the range, and then the whole file",
        arguments: ["416", "other tag", "other start", "no range"], [401, 503])
    func keptUntilOthersCome(kind: String, status: Int) async throws {
        let served = Served(100_000)
        let rest = Data(served.bytes[40_000...])
        let server = try server([
            { served.reply($0, sending: 40_000) },
            { _ in
                switch kind {
                case "416": .status(416, headers: ["Content-Range": "bytes */50000"])
                case "other tag": .part("bytes 40000-99999/100000", rest, tag: #""two""#)
                case "other start": .part("bytes 39999-99998/100000", rest)
                default: .part(nil, rest)
                }
            },
            { _ in .status(status) },
            { served.reply($0) },
        ])
        await folder.interrupt(server)
        await folder.interrupt(server)
        #expect(server.ranges == [nil, "bytes=40000-", nil])
        #expect(try folder.names == ["export.bin.part", "export.bin.part.json"])
        let file = try await folder.download(from: server).value
        #expect(try folder.exported == served.bytes)
        #expect(file.reused == 40_000)
    }

    @Test("and keeps its bytes if a download that begins anew gets no response")
    func keptBesideAnewOne() async throws {
        let served = Served(100_000)
        let server = try server([{ served.reply($0, sending: 40_000) }, { _ in .status(503) }, { served.reply($0) }])
        await folder.interrupt(server)
        await folder.interrupt(server, .init { $0.beginsAnew = true })
        #expect(try folder.names == ["export.bin.part", "export.bin.part.json"])
        #expect(try await folder.download(from: server).value.reused == 40_000)
        #expect(server.ranges == [nil, nil, "bytes=40000-"])
    }

    @Test("with as many attempts as its policy allows if the server ignores ranges and breaks off, and the error says how")
    func neverWhole() async throws {
        let served = Served(100_000) { $0.knowsRanges = false }
        let server = try server([{ served.reply($0, sending: 40_000) }])
        let channel = Channel.loopback(server) { $0.interceptors = [RetryPolicy(attempts: 3, base: .milliseconds(1))] }
        #expect(await folder.interrupt(channel)?.transport == .truncated(received: 40_000, expected: 100_000))
        #expect(server.requests.count == 3)
    }

    /// RFC 9110 §15.3.7 allows a shorter part, so the download goes on. Without a bound it would not end.
    @Test("not a byte at a time: a server that sends only that ends the download")
    func byteByByte() async throws {
        let served = Served(1_000_000)
        let server = try server([
            { served.reply($0, sending: 10) },
            { request in
                let first = request.headers["range"].flatMap { Int($0.dropFirst(6).prefix { $0.isNumber }) } ?? 0
                return .part("bytes \(first)-\(first)/\(served.bytes.count)", Data(served.bytes[first...first]))
            },
        ])
        let error = await folder.download(from: server, retries: true).failure
        #expect(error?.label == "transport.malformedResponse", "\(String(describing: error))")
        #expect(server.requests.count == 1 + DownloadOptions.mostPartialResponses)
    }

    @Test("part by part if the server sends less than the requested range")
    func smallerParts() async throws {
        let served = Served(100_000)
        let server = try server([
            { served.reply($0, sending: 40_000) },
            { _ in .part("bytes 40000-69999/*", Data(served.bytes[40_000..<70_000])) }, { served.reply($0) },
        ])
        await folder.interrupt(server)
        _ = try await folder.download(from: server).value
        #expect(server.ranges == [nil, "bytes=40000-", "bytes=70000-"])
        #expect(try folder.exported == served.bytes)
    }

    @Test("to its end if only the length was missing: 416 with the length is the end")
    func wholeAlready() async throws {
        let served = Served(50_000)
        let head = ServerReply.Step.sendHead(status: 200, headers: ["Transfer-Encoding": "chunked", "ETag": #""one""#])
        let server = try server([{ _ in [head, .sendChunk(served.bytes), .closeConnection] }, { served.reply($0) }])
        await folder.interrupt(server)
        let file = try await folder.download(from: server).value
        #expect(file.head.status.code == 416 && file.reused == 50_000 && file.length == 50_000)
        #expect(try folder.exported == served.bytes)
    }

    @Test("if a server changes the file at every request, the download ends with an error")
    func everChanging() async throws {
        let turn = Shared(1)
        let server = try LoopbackServer.test { request in
            let seed = turn.next()
            return Served(10_000, seed: UInt64(seed)) { $0.tag = "\"\(seed)\"" }.reply(request, sending: 5_000)
        }
        let channel = Channel.loopback(server, retries: true) { $0.interceptors = [RetryPolicy(attempts: 99, base: .zero)] }
        await folder.interrupt(channel)
        #expect(server.requests.count < 40)
    }

    @Test("if the digest shows a damaged part, the file is downloaded again")
    func damaged() async throws {
        let served = Served(100_000) { $0.namesDigest = true }
        let server = try served.server(cut: 40_000)
        await folder.interrupt(server)
        var bytes = try Data(contentsOf: folder.part)
        bytes[123] ^= 1
        let handle = try FileHandle(forWritingTo: folder.part)
        try handle.write(contentsOf: bytes)
        try handle.close()
        let file = try await folder.download(from: server).value
        #expect(try folder.exported == served.bytes)
        #expect(file.reused == 0 && server.requests.count == 3)
    }

    @Test("a Content-Digest of the rest is checked: with a false one the download begins again", arguments: [true, false])
    func digestOfTheRest(isRight: Bool) async throws {
        let served = Served(100_000)
        let digest = Served.digest(of: isRight ? Data(served.bytes.suffix(60_000)) : Data("else".utf8))
        let rest = Served(100_000) { $0.headers.append("Content-Digest", digest) }
        let server = try server([{ served.reply($0, sending: 40_000) }, { rest.reply($0) }, { served.reply($0) }])
        await folder.interrupt(server)
        let file = try await folder.download(from: server).value
        #expect(try folder.exported == served.bytes)
        #expect(file.reused == (isRight ? 40_000 : 0))
        #expect(server.ranges == [nil, "bytes=40000-"] + (isRight ? [] : [nil]))
        #expect(try folder.names == ["export.bin"])
    }

    @Test(
        "with a false sidecar the download still gives the right file",
        arguments: [
            "", "{", "null", #"{"version":2}"#, "length", "tag", "longer", "resource", "gap", "overlap", "negative", "huge",
            "folder", "link", "large", "weak",
        ], [false, true])
    func lies(kind: String, isSealed: Bool) async throws {
        let served = Served(100_000)
        let server = try served.server(cut: 40_000)
        await folder.interrupt(server)
        let path = folder.sidecar.path
        let text = try String(contentsOf: folder.sidecar, encoding: .utf8)
        func put(_ old: String, _ new: String) throws {
            #expect(text.contains(old), "\(text)")
            try text.replacingOccurrences(of: old, with: new).write(toFile: path, atomically: false, encoding: .utf8)
        }
        switch kind {
        case "length": try put("100000", "99999")
        case "tag": try put(#"\"one\""#, #"\"two\""#)
        case "weak": try put(#"\"one\""#, #"W/\"one\""#)
        case "longer": try put(#""done":40000"#, #""done":40001"#)
        case "resource": try put(#""resource":""#, #""resource":"00"#)
        case "gap": try put(#""start":0"#, #""start":1"#)
        case "overlap":
            try put(#"{"done":40000,"end":100000,"start":0}"#, #"{"done":9,"end":9,"start":0},{"done":8,"end":100000,"start":8}"#)
        case "negative": try put(#""done":40000"#, #""done":-1"#)
        case "huge": try put(#""done":40000"#, #""done":99999999999999999999"#)
        case "large": try (text + String(repeating: " ", count: 70_000)).write(toFile: path, atomically: false, encoding: .utf8)
        case "folder":
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "link":
            try text.write(to: folder.file("other.json"), atomically: false, encoding: .utf8)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("other.json").path)
        default: try kind.write(toFile: path, atomically: false, encoding: .utf8)
        }
        // The other checks hold without the seal, too.
        if isSealed, kind != "link" { try seal() }
        let file = try await folder.download(from: server).value
        #expect(try folder.exported == served.bytes)
        #expect(file.reused == 0)
        #expect(try folder.names == ["export.bin"] + (kind == "link" ? ["other.json"] : []))
        if kind == "link" { #expect(try String(contentsOf: folder.file("other.json"), encoding: .utf8) == text) }
    }

    /// Gives a changed sidecar the right seal.
    private func seal() throws {
        guard let json = try? Data(contentsOf: folder.sidecar), var sidecar = Sidecar(json: json) else { return }
        let part = try PartFile(beside: folder.export)
        defer { part.close() }
        guard let seal = try? part.seal(of: sidecar) else { return }
        sidecar.seal = seal
        try sidecar.json?.write(to: folder.sidecar)
    }

    @Test("a sidecar that a killed process left beside the whole file is removed by the next download")
    func sidecarWithoutPart() async throws {
        let served = Served(100_000)
        let server = try served.server(cut: 40_000)
        await folder.interrupt(server)
        try FileManager.default.moveItem(at: folder.part, to: folder.export)
        #expect(try folder.names == ["export.bin", "export.bin.part.json"])
        let file = try await folder.download(from: server).value
        #expect(try folder.exported == served.bytes && file.reused == 0)
        #expect(try folder.names == ["export.bin"])
    }

    @Test("a part that another download has replaced keeps its sidecar when the first one is discarded")
    func discardsOnlyItsOwn() throws {
        let first = try PartFile(beside: folder.export)
        try FileManager.default.removeItem(at: folder.part)
        let second = try PartFile(beside: folder.export)
        defer { second.close() }
        try Data("{}".utf8).write(to: folder.sidecar)
        first.discard()
        #expect(try folder.names == ["export.bin.part", "export.bin.part.json"])
        second.discard()
        first.discard()
        #expect(try folder.names == [])
    }

    @Test("the download never writes to a part that is a link or has a second name", arguments: [true, false])
    func links(isSymbolic: Bool) async throws {
        let served = Served(10_000)
        let server = try served.server()
        let other = folder.file("other")
        try Data("mine".utf8).write(to: other)
        if isSymbolic {
            try FileManager.default.createSymbolicLink(atPath: folder.part.path, withDestinationPath: other.path)
        } else {
            try FileManager.default.linkItem(at: other, to: folder.part)
        }
        _ = try await folder.download(from: server).value
        #expect(try Data(contentsOf: other) == Data("mine".utf8))
        #expect(try folder.exported == served.bytes)
        #expect(try folder.names == ["export.bin", "other"])
    }

    @Test("in several parts at once, each with its own interruptions")
    func parts() async throws {
        let served = Served(400_003) { $0.namesDigest = true }
        let cuts = Shared<Set<String>>([""])
        let server = try LoopbackServer.test { request in
            let isFirst = cuts.take { $0.insert(request.headers["range"] ?? "").inserted }
            return served.reply(request, sending: isFirst ? 30_000 : nil)
        }
        _ = try await folder.download(from: server, retries: true, .init { $0.parts = 4 }).value
        #expect(try folder.exported == served.bytes)
        let ranges = server.requests.compactMap { $0.headers["range"] }
        let rests = ["bytes=100000-199999", "bytes=130000-199999", "bytes=200000-299999", "bytes=300000-"]
        #expect(Set(ranges).isSuperset(of: rests), "\(ranges)")
        #expect(ranges.count >= 6)
        #expect(try folder.names == ["export.bin"])
    }

    @Test("four parts are sent at the same time")
    func fasterParts() async throws {
        let (served, gate) = (Served(2 << 20), try Gate())
        let server = try LoopbackServer.test { served.reply($0).halting(after: 1_000, until: gate) }
        let download = folder.download(from: server, .init { $0.parts = 4 })
        // No body ends before all four requests are there.
        try await server.waitForRequests(4, timeout: .seconds(30))
        gate.open()
        _ = try await download.value
        #expect(try folder.exported == served.bytes)
        #expect(server.requests.count == 4)
    }

    @Test(
        "in several parts by a later one; from the beginning if the sidecar claims bytes that the part lacks",
        arguments: ["nothing", "the first segment", "one segment for all", "bytes that are gone"])
    func partsLater(lie: String) async throws {
        let served = Served(400_000)
        let isBroken = Shared(true)
        let server = try LoopbackServer.test { served.reply($0, sending: isBroken.current ? 50_000 : nil, then: .stall) }
        // Stops after 50,000 bytes of each of four parts.
        let first = folder.download(from: server, .init { $0.parts = 4 })
        for await update in first.progress where update.completed == 200_000 { break }
        first.pause()
        try await server.waitForOpenConnections(atMost: 0)
        first.cancel()
        #expect(await first.failure != nil)
        isBroken.change { $0 = false }
        var text = try String(contentsOf: folder.sidecar, encoding: .utf8)
        switch lie {
        case "the first segment":
            #expect(text.contains(#""done":50000"#), "\(text)")
            text = text.replacingOccurrences(of: #""done":50000"#, with: #""done":100000"#)
        case "one segment for all":
            let start = try #require(text.range(of: #""segments":["#)?.upperBound)
            let end = try #require(text[start...].firstIndex(of: "]"))
            text.replaceSubrange(start..<end, with: #"{"done":350000,"end":400000,"start":0}"#)
        case "bytes that are gone":
            let handle = try FileHandle(forWritingTo: folder.part)
            try handle.truncate(atOffset: 0)
            try handle.truncate(atOffset: 350_000)
            try handle.close()
        default: break
        }
        try text.write(to: folder.sidecar, atomically: false, encoding: .utf8)
        let file = try await folder.download(from: server).value
        #expect(try folder.exported == served.bytes)
        #expect(file.reused == (lie == "nothing" ? 200_000 : 0))
        #expect(try folder.names == ["export.bin"])
    }

    @Test("in one part if the server does not announce ranges, or the file is small")
    func onePart() async throws {
        for (count, headers) in [(400_000, [:]), (100_000, ["Accept-Ranges": "bytes"])] as [(Int, HeaderLines)] {
            let server = try Served(count) { $0.headers = headers }.server()
            _ = try await folder.download(from: server, .init { $0.parts = 4 }).value
            #expect(server.requests.count == 1)
        }
    }

    @Test("in one part if the server does not repeat its validator with a range")
    func partsWithoutTag() async throws {
        let served = Served(400_000)
        let server = try LoopbackServer.test { request in
            var served = served
            if request.headers["range"] != nil { (served.tag, served.checksIfRange) = (nil, false) }
            return served.reply(request)
        }
        _ = try await folder.download(from: server, .init { $0.parts = 4 }).value
        #expect(try folder.exported == served.bytes)
        // The first request, and the one for all of it; a part may still reach the server after that.
        #expect(server.requests.count { $0.headers["range"] == nil } == 2)
    }

    @Test("a file that changes between its parts is downloaded again")
    func partsChanged() async throws {
        let (old, changed) = (Served(400_000), Served(400_000, seed: 2) { $0.tag = #""two""# })
        let server = try server([{ old.reply($0) }, { changed.reply($0) }])
        _ = try await folder.download(from: server, .init { $0.parts = 4 }).value
        #expect(try folder.exported == changed.bytes)
    }
}
