import CoreAPITransfers
import TestSupport

@Suite("A download", .closing, .timeLimit(.minutes(1)))
struct DownloadTests {
    private let folder = Folder()

    @Test("puts the complete, verified file into place, and leaves no other file")
    func whole() async throws {
        let served = Served(200_000) { $0.namesDigest = true }
        let server = try served.server()
        let download = folder.download(from: server)
        let last = await download.progress.reduce(TransferProgress()) { $1 }
        let file = try await download.value
        #expect(last == TransferProgress(completed: 200_000, total: 200_000) && last.fraction == 1)
        #expect(try Data(contentsOf: file.url) == served.bytes)
        #expect(file.head.status == .ok && file.length == 200_000 && file.reused == 0)
        #expect(file.digests.map(\.description) == [served.digest])
        #expect(try folder.names == ["export.bin"])
        #expect(server.requests[0].headers["accept-encoding"] == "identity")
    }

    @Test("works for every length: zero, one byte, unknown", arguments: [0, 1, 65_537])
    func lengths(count: Int) async throws {
        let served = Served(count)
        let server = try LoopbackServer.test { request in
            guard request.path == "/chunked" else { return served.reply(request) }
            let head = ServerReply.Step.sendHead(status: 200, headers: ["Transfer-Encoding": "chunked"])
            return served.bytes.isEmpty ? [head, .endChunks()] : [head, .sendChunk(served.bytes), .endChunks()]
        }
        for path in ["plain", "chunked"] {
            let file = try await Channel.loopback(server).manager.download(.get(path), to: folder.export).value
            #expect(try Data(contentsOf: file.url) == served.bytes)
            #expect(try folder.names == ["export.bin"])
        }
    }

    @Test("keeps an existing file until it is replaced, and its permissions")
    func existing() async throws {
        let (served, gate) = (Served(10_000), try Gate())
        let server = try LoopbackServer.test { served.reply($0).halting(after: 5_000, until: gate) }
        try Data("old".utf8).write(to: folder.export)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.export.path)
        let download = folder.download(from: server)
        for await update in download.progress where update.completed == 5_000 { break }
        #expect(try folder.exported == Data("old".utf8))
        gate.open()
        _ = try await download.value
        #expect(try folder.exported == served.bytes)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.export.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("fails with another digest than named, and keeps the old file", arguments: ["Repr-Digest", "Content-Digest", "caller"])
    func mismatch(from source: String) async throws {
        let other = Served(10, seed: 2).digest
        let served = Served(10_000) { if source != "caller" { $0.headers.append(source, other) } }
        let server = try served.server()
        try Data("old".utf8).write(to: folder.export)
        let options = DownloadOptions { if source == "caller" { $0.digests = [ContentDigest(other)].compactMap(\.self) } }
        let error = await folder.download(from: server, options).failure
        #expect(error?.download == .digestMismatch(expected: other, found: served.digest), "\(error as Any)")
        #expect(try folder.names == ["export.bin"])
        #expect(try folder.exported == Data("old".utf8))
    }

    @Test(
        "a wrong digest is found beside members of any type and length (RFC 9651)",
        arguments: [
            #"a=%"foo \ baz""#, #"a=%"f%c3%bc\""#, "a=:\(String(repeating: "AAAA", count: 2_500)):", "a=@1659578233;q=*t",
            #"a=(1 "x" %"\" :AA==:);b=-1.5, c"#,
        ], ["Repr-Digest", "Content-Digest"])
    func mismatchBesides(_ member: String, name: String) async throws {
        let other = Served(10, seed: 2).digest
        let served = Served(10_000) { $0.headers.append(name, "\(member), \(other)") }
        let error = await folder.download(from: try served.server()).failure
        #expect(error?.download == .digestMismatch(expected: other, found: served.digest), "\(error as Any)")
    }

    @Test(
        "a wrong digest is found beside an empty line of its field", arguments: ["Repr-Digest", "Content-Digest"], [true, false])
    func mismatchBesidesNothing(name: String, isFirst: Bool) async throws {
        var served = Served(10_000)
        let other = Served(10, seed: 2).digest
        for value in isFirst ? ["", other] : [other, ""] { served.headers.append(name, value) }
        let server = try served.server()
        let error = await folder.download(from: server).failure
        #expect(error?.download == .digestMismatch(expected: other, found: served.digest), "\(error as Any)")
    }

    @Test("verifies SHA-512, ignores unknown algorithms, and computes digests on request")
    func algorithms() async throws {
        let served = Served(10_000) { $0.headers.append("Repr-Digest", "md5=:AAAA:, unixsum=12") }
        let channel = Channel.loopback(try served.server())
        let file = try await channel.manager.download(
            .export, to: folder.export, DownloadOptions { $0.computes = [.sha256, .sha512] }
        ).value
        #expect(file.digests.map(\.algorithm) == [.sha256, .sha512])
        #expect(file.digests.first?.description == served.digest)
        let known = DownloadOptions { $0.digests = file.digests }
        #expect(try await channel.manager.download(.export, to: folder.export, known).value.digests == file.digests)
    }

    @Test("of a part or an incomplete answer fails without a file", arguments: [206, 202, 204, 404])
    func rejected(status: Int) async throws {
        let server = try LoopbackServer.test { _ in
            status == 206 ? .part("bytes 0-3/9", Data("part".utf8)) : .status(status, body: Data("soon".utf8))
        }
        let error = await folder.download(from: server).failure
        #expect(error?.label == (status == 206 ? "transport.malformedResponse" : "verification.unacceptableStatus.\(status)"))
        #expect(try folder.names == [])
    }

    @Test("of fewer bytes than the head announces fails, in the transport and in a middleware")
    func lossy() async throws {
        let transport = RecordingTransport(body: "abc", headers: [.contentLength: "5"])
        let error = await Channel.test(transport).manager.download(.export, to: folder.export).failure
        #expect(error?.label == "transport.malformedResponse")
        #expect(try folder.names == [])
    }

    @Test("stops at the size limit", arguments: [true, false])
    func sizeLimit(isAnnounced: Bool) async throws {
        let server = try LoopbackServer.test { _ in
            isAnnounced
                ? .status(200, body: Data(count: 10_001))
                : [.sendHead(status: 200), .sendEndlessly(Data(count: 1_000))]
        }
        let error = await folder.download(from: server, .init { $0.sizeLimit = 10_000 }).failure
        #expect(error?.label == "transport.responseTooLarge")
        #expect(try folder.names == [])
        try await server.waitForOpenConnections(atMost: isAnnounced ? 1 : 0)
    }

    private struct Forwarding: Dispatcher {
        let manager: NetworkManager<TestEndpoint>

        func response<Value>(for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>) async -> Response<Value> {
            await manager.response(for: endpoint, as: decoding)
        }
    }

    @Test("to a folder, into no folder or one that rejects it, to a device and below a file fails before any request")
    func targets() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let channel = Channel.loopback(server)
        try Data().write(to: folder.file("plain"))
        let targets: [(URL, Set<Int32>)] = [
            (folder.url, [EISDIR]), (folder.file("missing/export.bin"), [ENOENT]), (folder.file("plain/export.bin"), [ENOTDIR]),
            (URL(fileURLWithPath: "/dev/null"), [ESPIPE]),
            // Rejects root as well.
            (URL(fileURLWithPath: "/sys/export.bin"), [EACCES, EPERM, EROFS]),
        ]
        for (target, codes) in targets {
            let error = await Forwarding(manager: channel.manager).download(.export, to: target).failure
            #expect(codes.contains(error?.writeCode ?? 0), "\(target): \(error as Any)")
            #expect(error?.context.channel == "test" && error?.context.endpoint == "export")
        }
        #expect(server.requests.isEmpty)
        #expect(try folder.names == ["plain"])
    }

    @Test("of a file that another download writes fails, and does not disturb the other download")
    func busy() async throws {
        let (served, gate) = (Served(10_000), try Gate())
        let server = try LoopbackServer.test { served.reply($0).halting(after: 5_000, until: gate) }
        let first = folder.download(from: server)
        for await update in first.progress where update.completed == 5_000 { break }
        #expect(await folder.download(from: server).failure?.download == .busy(path: folder.part.path))
        #expect(throws: DownloadError.busy(path: folder.part.path)) { try Download.discardPart(of: folder.export) }
        gate.open()
        _ = try await first.value
        #expect(try folder.exported == served.bytes)
    }

    #if os(Linux)
    /// A child that is forked meanwhile has copies of all descriptors until it runs its program.
    @Test("whose file is free as soon as it has ended, even if a child process is just being started")
    func copiedDescriptor() async throws {
        let served = Served(10_000)
        let server = try served.server(cut: 5_000, then: .stall)
        let first = folder.download(from: server)
        for await update in first.progress where update.completed == 5_000 { break }
        let descriptor = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").first {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == folder.part.path
        }
        let copy = dup(try #require(descriptor.flatMap { Int32($0) }))
        defer { close(copy) }
        first.cancel()
        #expect(await first.failure != nil)
        _ = try await folder.download(from: server).value
        #expect(try folder.exported == served.bytes)
    }
    #endif

    @Test("ends its transfer when it is cancelled, released, or its waiting task is cancelled", arguments: 0..<3)
    func stopped(how: Int) async throws {
        let server = try LoopbackServer.test { _ in
            [.sendHead(status: 200, headers: ["Content-Length": "99999999"]), .sendBody(Data(count: 1_000)), .stall]
        }
        let channel = Channel.loopback(server)
        var download: Download? = channel.manager.download(.export, to: folder.export)
        let begun = try #require(download).progress
        for await progress in begun where progress.completed == 1_000 { break }
        if how != 1 {
            let waiting = Task { [download] in await download?.failure }
            if how == 0 { download?.cancel() } else { waiting.cancel() }
            #expect(await waiting.value?.isCancelled == true)
        }
        download = nil
        if how == 1 {
            // The sequence retains the download, too.
            withExtendedLifetime(begun) {}
        }
        await channel.close()
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("shows Foundation's progress, which cancels, pauses and resumes it")
    func foundation() async throws {
        let served = Served(300_000)
        let server = try served.server(cut: 100_000, then: .stall)
        let channel = Channel.loopback(server)
        let download = channel.manager.download(.export, to: folder.export)
        let progress = download.foundationProgress
        #expect(progress === download.foundationProgress)
        for await update in download.progress where update.completed == 100_000 { break }
        #expect(progress.completedUnitCount == 100_000 && progress.totalUnitCount == 300_000)
        progress.pause()
        // The handler may run on another thread.
        try await server.waitForOpenConnections(atMost: 0)
        #expect(download.isPaused)
        progress.resume()
        #expect(try await download.value.length == 300_000)
        #expect(progress.completedUnitCount == 300_000)
        #expect(server.ranges == [nil, "bytes=100000-"])
        #expect(try folder.exported == served.bytes)
        let second = channel.manager.download(.export, to: folder.file("second"))
        second.foundationProgress.cancel()
        #expect(await second.failure?.isCancelled == true)
    }

    @Test("that cannot be continued pauses by not reading")
    func pausedByBackpressure() async throws {
        let size = 32 << 20
        let sent = try Gate()
        let server = try LoopbackServer.test { _ in
            .status(200, body: Data(repeating: 7, count: size)).followed(by: .open(sent))
        }
        let download = folder.download(from: server)
        download.pause()
        await #expect(throws: (any Error).self) { try await sent.waitUntilOpen(timeout: .milliseconds(300)) }
        download.resume()
        #expect(try await download.value.length == Int64(size))
        #expect(server.requests.count == 1)
    }

    @Test("that is paused can be cancelled")
    func cancelledWhilePaused() async throws {
        let served = Served(300_000)
        let server = try LoopbackServer.test { served.reply($0, sending: 100_000, then: .stall) }
        let download = folder.download(from: server, .init { $0.resumes = false })
        for await update in download.progress where update.completed == 100_000 { break }
        download.pause()
        try await server.waitForOpenConnections(atMost: 0)
        download.cancel()
        #expect(await download.failure?.isCancelled == true)
        #expect(try folder.names == [])
    }

    @Test("that is cancelled and resumed at once goes on", arguments: [true, false])
    func resumedWhileEnding(isPausedToo: Bool) async throws {
        let served = Served(300_000)
        let server = try served.server(cut: 100_000, then: .stall)
        let download = folder.download(from: server)
        for await update in download.progress where update.completed == 100_000 { break }
        let updates = download.progress
        let last = Task { await updates.reduce(nil as TransferProgress?) { $1 } }
        download.cancel()
        download.resume()
        if isPausedToo {
            download.pause()
            #expect(download.isPaused)
            download.resume()
        }
        #expect(try await download.value.length == 300_000)
        #expect(await last.value?.completed == 300_000)
        #expect(try folder.exported == served.bytes)
        #expect(server.ranges == [nil, "bytes=100000-"])
    }

    @Test("that is cancelled, resumed and cancelled again ends")
    func cancelledAgain() async throws {
        let served = Served(300_000)
        let server = try LoopbackServer.test { served.reply($0, sending: 100_000, then: .stall) }
        let download = folder.download(from: server)
        for await update in download.progress where update.completed == 100_000 { break }
        download.cancel()
        download.resume()
        download.cancel()
        #expect(await download.failure?.isCancelled == true)
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("that makes no request tells the result handler and the listeners the error that the caller gets")
    func beforehand() async throws {
        let server = try LoopbackServer.test { Served(1_000).reply($0) }
        let told = Shared<Set<String>>([])
        let channel = Channel.loopback(server).with {
            $0.resultHandler = ResultHandler { response in
                told.change { _ = $0.insert("result \(response.error?.label ?? "")") }
            }
            $0.listeners.append(
                FunctionLogger { event in
                    guard case .finished(let response) = event else { return }
                    told.change { _ = $0.insert("end \(response.error?.label ?? "")") }
                })
        }
        func error(_ file: URL, _ change: (Download) -> Void = { _ in }) async -> String? {
            told.change { $0 = [] }
            let download = channel.manager.download(.export, to: file)
            change(download)
            return await download.failure?.label
        }
        #expect(await error(folder.export.appendingPathComponent("none/export.bin")) == "unknown")
        #expect(told.current == ["result unknown", "end unknown"])
        #expect(server.requests.isEmpty)
        for index in 0..<20 {
            let requests = server.requests.count
            let label = await error(folder.file("\(index)")) {
                $0.pause()
                $0.cancel()
            }
            #expect(label == "cancelled")
            // A request that was made has told its own result.
            if server.requests.count == requests { #expect(told.current == ["result cancelled", "end cancelled"]) }
        }
        #expect(server.requests.count < 20)
    }

    @Test("is no faster than its limit", arguments: [1, 3])
    func rate(parts: Int) async throws {
        let served = Served(400_000)
        let server = try served.server()
        let start = ContinuousClock.now
        let options = DownloadOptions { ($0.bytesPerSecond, $0.parts) = (800_000, parts) }
        _ = try await folder.download(from: server, options).value
        // After a pause up to 0.1 s is caught up.
        let time = ContinuousClock.now - start
        #expect(time > .milliseconds(350) && time < .seconds(20), "\(time)")
        #expect(try folder.exported == served.bytes)
    }
}
