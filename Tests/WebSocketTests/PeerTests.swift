import TestSupport

@testable import CoreAPIWebSocket

/// A server and a proxy of another project: Python's `websockets`, from the virtual environment of `Scripts/setup tests`.
struct PythonPeer {
    private static let environment = FileManager.default.currentDirectoryPath + "/.build/httpbin-venv"
    static let python = environment + "/bin/python"
    static let isInstalled = ((try? FileManager.default.contentsOfDirectory(atPath: environment + "/lib")) ?? []).contains {
        FileManager.default.isReadableFile(atPath: environment + "/lib/\($0)/site-packages/websockets")
    }

    private static let script = """
        import asyncio, os, ssl, sys
        from websockets.asyncio.server import serve
        folder, kind = sys.argv[1], sys.argv[2]
        async def main():
            stop = asyncio.Event()
            async def handler(socket):
                path = socket.request.path
                if path == '/stop': stop.set()
                elif path == '/close': await socket.close(4001, 'enough')
                elif path == '/fragments':
                    await socket.send(['frag', 'ments', ' ğ'])
                    await socket.send([b'ab', b'cd'])
                else:
                    async for message in socket: await socket.send(message)
            tunnels = 0
            async def pipe(reader, writer):
                try:
                    while data := await reader.read(65536):
                        writer.write(data)
                        await writer.drain()
                except ConnectionError: pass
                finally: writer.close()
            async def proxy(reader, writer):
                nonlocal tunnels
                head = (await reader.readuntil(b'\\r\\n\\r\\n')).decode()
                method, target, _ = head.split(' ', 2)
                if method != 'CONNECT':
                    writer.write(b'HTTP/1.1 405 No\\r\\nContent-Length: 0\\r\\n\\r\\n')
                    return writer.close()
                tunnels += 1
                open(folder + '/tunnels', 'w').write(str(tunnels))
                host, port = target.rsplit(':', 1)
                there, back = await asyncio.open_connection(host, int(port))
                writer.write(b'HTTP/1.1 200 Connection established\\r\\n\\r\\n')
                await asyncio.gather(pipe(reader, back), pipe(there, writer))
            context = None
            if kind == 'tls':
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(folder + '/cert.pem', folder + '/key.pem')
            async with serve(handler, '127.0.0.1', 0, ssl=context, max_size=None,
                             select_subprotocol=lambda _, offered: 'chat' if 'chat' in offered else None) as server:
                relay = await asyncio.start_server(proxy, '127.0.0.1', 0)
                ports = (server.sockets[0].getsockname()[1], relay.sockets[0].getsockname()[1])
                open(folder + '/ports.part', 'w').write('%d %d' % ports)
                os.rename(folder + '/ports.part', folder + '/ports')
                try: await asyncio.wait_for(stop.wait(), 60)
                except asyncio.TimeoutError: pass
        asyncio.run(main())
        """

    let url: String
    let proxy: String
    let folder: URL
    private let process: Task<Program.Outcome, any Error>

    init(_ tls: ServerTLS?) async throws {
        let folder = try temporaryFolder()
        if let tls {
            let chain = ([tls.certificate] + tls.certificate.intermediates).map(\.pem).joined()
            try chain.write(to: folder.appendingPathComponent("cert.pem"), atomically: true, encoding: .utf8)
            try tls.certificate.keyPEM.write(to: folder.appendingPathComponent("key.pem"), atomically: true, encoding: .utf8)
        }
        let arguments = [Self.python, "-c", Self.script, folder.path, tls == nil ? "clear" : "tls"]
        process = Task { try await Program.run(arguments, capturesErrors: true) }
        let file = folder.appendingPathComponent("ports")
        try await eventually("the Python server did not start") { FileManager.default.fileExists(atPath: file.path) }
        let ports = try String(contentsOf: file, encoding: .utf8).split(separator: " ")
        url = "\(tls == nil ? "http://127.0.0.1" : "https://localhost"):\(ports[0])"
        (proxy, self.folder) = ("http://127.0.0.1:\(ports[1])", folder)
    }

    func stop(_ channel: Channel) async throws {
        _ = try? await channel.dispatcher.webSocket(.get("stop"))
        let outcome = try await process.value
        #expect(outcome.status == 0, "\(outcome.text)")
    }
}

private let viaProxy = ProcessInfo.processInfo.environment["NETWORKERKIT_WEBSOCKET_VIA_PROXY"]

@Suite("Against Python's websockets", .closing, .enabled(if: PythonPeer.isInstalled), .timeLimit(.minutes(2)))
struct PeerTests {
    @Test(
        "messages of every size, compressed or not, in clear text, or with TLS and a pin", arguments: [false, true],
        [false, true])
    func echoes(secure: Bool, compressed: Bool) async throws {
        let tls = secure ? try ServerTLS() : nil
        let peer = try await PythonPeer(tls)
        var channel = Channel.test(peer.url, authority: tls?.authorityPEM)
        if let tls { channel.environment.serverTrustManager.pins = ["localhost": [tls.certificate.certificate.pin]] }
        var options = WebSocket.Options(subprotocols: "x", "chat")
        if !compressed { options.compression = nil }
        let socket = try await channel.dispatcher.webSocket(.get("echo"), options)
        #expect(socket.subprotocol == "chat" && socket.isCompressed == compressed)
        for size in [0, 1, 125, 126, 127, 65_535, 65_536, 65_537, 1 << 20] {
            let text = String(repeating: "ş", count: size / 2) + (size.isMultiple(of: 2) ? "" : "s")
            try await socket.send(.text(text))
            #expect(try await socket.first { _ in true } == .text(text))
            let data = Data((0..<size).map { _ in UInt8.random(in: 0...255) })
            try await socket.send(.binary(data))
            #expect(try await socket.first { _ in true } == .binary(data))
        }
        #expect(try await socket.ping() > .zero)
        await socket.close(code: .init(rawValue: 3_000), reason: "enough")
        #expect(socket.closing?.side == .here)
        try await peer.stop(channel)
    }

    @Test("either side can demand a reset of contexts", arguments: [(true, false), (false, true), (true, true)])
    func contexts(own: Bool, server: Bool) async throws {
        let peer = try await PythonPeer(nil)
        let channel = Channel.test(peer.url)
        let options = WebSocket.Options.with {
            $0.compression?.resetsOwnContext = own
            $0.compression?.resetsServerContext = server
        }
        let socket = try await channel.dispatcher.webSocket(.get("echo"), options)
        for index in 0..<50 {
            let text = String(repeating: "the same text again, ", count: 20) + "\(index)"
            try await socket.send(.text(text))
            #expect(try await socket.first { _ in true } == .text(text))
        }
        try await peer.stop(channel)
    }

    @Test("both sides understand each other's fragments and Close frames")
    func fragments() async throws {
        let peer = try await PythonPeer(nil)
        let channel = Channel.test(peer.url)
        let socket = try await channel.dispatcher.webSocket(.get("fragments"))
        var messages: [WebSocket.Message] = []
        for try await message in socket { messages.append(message) }
        #expect(messages == [.text("fragments ğ"), .binary(Data("abcd".utf8))])
        #expect(socket.closing == .init(code: .normal, reason: "", side: .peer))
        let cut = try await channel.dispatcher.webSocket(.get("echo"), .with { $0.fragmentSize = 777 })
        let text = (0..<5_000).map { "\($0)" }.joined(separator: "ş")
        try await cut.send(.text(text))
        #expect(try await cut.first { _ in true } == .text(text))
        let closed = try await channel.dispatcher.webSocket(.get("close"))
        #expect(await failure { for try await _ in closed {} } != nil)
        #expect(closed.closing == .init(code: .init(rawValue: 4_001), reason: "enough", side: .peer))
        try await peer.stop(channel)
    }

    /// The environment's proxy is read once in a process, so this program runs again, with one test.
    @Test("through the tunnel of a proxy", .enabled(if: viaProxy == nil), arguments: [false, true])
    func proxy(secure: Bool) async throws {
        let tls = secure ? try ServerTLS() : nil
        let peer = try await PythonPeer(tls)
        var environment = ProcessInfo.processInfo.environment
        for name in ["no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY", "HTTPS_PROXY"] { environment[name] = nil }
        environment["NETWORKERKIT_WEBSOCKET_VIA_PROXY"] = peer.url
        environment["NETWORKERKIT_WEBSOCKET_AUTHORITY"] = tls?.authorityPEM
        (environment["http_proxy"], environment["https_proxy"]) = (peer.proxy, peer.proxy)
        let outcome = try await Program.run(
            [CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter", "PeerTests.process"],
            environment: environment, capturesErrors: true)
        #expect(outcome.status == 0 && outcome.text.contains("echoed 50000"), "\(outcome.text)")
        #expect(try String(contentsOf: peer.folder.appendingPathComponent("tunnels"), encoding: .utf8) == "1")
        try await peer.stop(Channel.test(peer.url, authority: tls?.authorityPEM))
    }

    @Test("The process behind the proxy", .enabled(if: viaProxy != nil))
    func process() async throws {
        let authority = ProcessInfo.processInfo.environment["NETWORKERKIT_WEBSOCKET_AUTHORITY"]
        let channel = Channel.test(viaProxy ?? "", authority: authority)
        let socket = try await channel.dispatcher.webSocket(.get("echo"))
        let text = String(repeating: "x", count: 50_000)
        try await socket.send(.text(text))
        let answer = try await socket.first { _ in true }
        print("echoed \(answer == .text(text) ? answer?.data.count ?? 0 : -1)")
        await socket.close()
        await channel.close()
        // A proxy would look up the address, so a channel that rejects some uses none: no second tunnel.
        let direct = Channel.test(viaProxy ?? "", authority: authority) { $0.limits.rejectedAddresses = .linkLocal }
        let other = try await direct.dispatcher.webSocket(.get("echo"))
        try await other.send(.text("direct"))
        #expect(try await other.first { _ in true } == .text("direct"))
        await other.close()
    }
}

/// The address of Autobahn's test suite, `wstest -m fuzzingserver`, and the folder of its reports. `Scripts/peers` starts it.
private let autobahn = ProcessInfo.processInfo.environment["NETWORKERKIT_AUTOBAHN"]
private let reports = ProcessInfo.processInfo.environment["NETWORKERKIT_AUTOBAHN_REPORTS"]

@Suite("Autobahn's cases", .closing, .enabled(if: autobahn != nil && reports != nil))
struct AutobahnTests {
    private struct Verdict: Decodable {
        let behavior: String
        let behaviorClose: String
        var isOK: Bool { behavior == "OK" && behaviorClose == "OK" }
        var text: String { "\(behavior), close \(behaviorClose)" }
    }

    /// In these cases the server breaks a rule directly after a valid message. The kit fails the connection as soon as it reads
    /// the violation (RFC 6455 §7.1.7), so the echo of the message may come too late. Autobahn names that NON-STRICT.
    private static let nonStrict: Set = ["3.2", "3.3", "3.4", "4.1.3", "4.1.4", "4.1.5", "4.2.3", "4.2.4", "4.2.5", "5.15"]
    /// The RFC leaves the outcome open, so Autobahn only reports it. 7.1.6: a Close frame follows a message of 256 KiB, whose
    /// echo the kit may not have finished by then. 7.13.1 and 7.13.2: close codes 5000 and 65535.
    private static let informational: Set = ["7.1.6", "7.13.1", "7.13.2"]

    @Test("end well, or otherwise for a known reason")
    func run() async throws {
        let channel = Channel.test(autobahn ?? "")
        let options = WebSocket.Options.with { ($0.messageSize, $0.frameSize) = (64 << 20, 64 << 20) }
        let counter = try await channel.dispatcher.webSocket(.get("getCaseCount"))
        let number = try #require(try await counter.first { _ in true })
        let count = try #require(Int(String(decoding: number.data, as: UTF8.self)))
        for index in 1...count {
            let socket = try await channel.dispatcher.webSocket(
                .get("runCase", query: ["case": "\(index)", "agent": "NetworkerKit"]), options)
            _ = await failure { for try await message in socket { try await socket.send(message) } }
            await socket.close()
        }
        let report = try await channel.dispatcher.webSocket(.get("updateReports", query: ["agent": "NetworkerKit"]))
        for try await _ in report {}
        await channel.close()

        let index = try Data(contentsOf: URL(fileURLWithPath: reports ?? "").appendingPathComponent("index.json"))
        let verdicts = try #require(try JSONDecoder().decode([String: [String: Verdict]].self, from: index)["NetworkerKit"])
        #expect(verdicts.count == count)
        for (number, verdict) in verdicts where !verdict.isOK {
            let isKnown =
                switch verdict.behavior {
                case "NON-STRICT": verdict.behaviorClose == "OK" && Self.nonStrict.contains(number)
                case "INFORMATIONAL": Self.informational.contains(number)
                default: false
                }
            #expect(isKnown, "case \(number): \(verdict.text)")
        }
        let counts = Dictionary(grouping: verdicts.values, by: \.text).mapValues(\.count)
        print("\(count) cases: \(counts)")
    }
}
