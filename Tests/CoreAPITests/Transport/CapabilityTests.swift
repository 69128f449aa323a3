// Asks libcurl itself whether it rejects what the kit has switched off.
import CCurl
import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

/// Libraries with fewer capabilities than the linked one: the kit works without them, or rejects requests by name.
@Suite("A libcurl without", .closing, .timeLimit(.minutes(2)))
struct CapabilityTests {
    private func transport(without capability: CurlCapabilities) -> CurlTransport {
        closing(CurlTransport(library: .linked.without(capability)))
    }

    @Test("TLS rejects https by name, and sends http requests")
    func tls() async throws {
        let server = try LoopbackServer.start { _ in .ok("clear") }
        let transport = transport(without: .tls)
        #expect(try await Requests(transport).send(.get, server.url).text == "clear")
        let rejected = try await Requests(transport).send(.get, "https://localhost:1")
        #expect(rejected.transportError == .unsupported(capability: "https (a libcurl with TLS)"))
    }

    @Test("HTTP/2 uses HTTP/1.1, with as many connections as allowed")
    func http2() async throws {
        let server = try LoopbackServer.start(tls: ServerTLS()) { .ok("\($0.connection)") }
        let requests = Requests(transport(without: .http2), to: server)
        await each(of: 40, atOnce: 40) { _ in
            let response = try? await requests.send(.get, server.url)
            #expect(response?.metrics?.httpVersion == "HTTP/1.1")
        }
        #expect(server.peakConnections > 1)
    }

    @Test("OpenSSL compares pins with the server's own key, and rejects report-only pins by name")
    func openSSL() async throws {
        let server = try LoopbackServer.start(tls: ServerTLS()) { _ in .ok("pinned") }
        var requests = Requests(transport(without: .openSSL), to: server)
        let own = try Certificate(pem: try #require(server.tls).certificate.pem).pin
        let wrong = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        requests.trust.pins = ["localhost": [own]]
        #expect(try await requests.send(.get, server.url).text == "pinned")
        requests.trust.pins = ["localhost": [wrong]]
        #expect(try await requests.send(.get, server.url).transportError?.label == "pinMismatch")
        requests.trust.pins.mode = .reportOnly
        let rejected = try await requests.send(.get, server.url)
        #expect(rejected.transportError == .unsupported(capability: "pins that only report (libcurl with OpenSSL)"))
    }

    @Test("its own file of authorities rejects additional ones by name, and trusts a file and a text")
    func systemAuthorities() async throws {
        let server = try LoopbackServer.start(tls: ServerTLS()) { _ in .ok("trusted") }
        var requests = Requests(transport(without: .systemAuthorities), to: server)
        #expect(try await requests.send(.get, server.url).text == "trusted")
        requests.trust = ServerTrustManager(authorities: .systemAndPEM(try #require(server.tls).authorityPEM))
        let rejected = try await requests.send(.get, server.url)
        #expect(rejected.transportError?.label == "unsupported" && "\(rejected.result)".contains("authorities"))
        var besides = Requests()
        besides.trust = requests.trust
        #expect(try await besides.send(.get, server.url).text == "trusted")
    }

    @Test(
        "a newer option works without it",
        arguments: [CurlCapabilities.protocolNames, .quickExit, .authorityCacheTimeout, [.protocolNames, .quickExit]])
    func options(missing: CurlCapabilities) async throws {
        let (clear, secure) = (
            try LoopbackServer.start { _ in .ok("a") }, try LoopbackServer.start(tls: ServerTLS()) { _ in .ok("b") }
        )
        let transport = transport(without: missing)
        let file = temporaryFile("authority.pem")
        try Data(try #require(secure.tls).authorityPEM.utf8).write(to: file)
        var requests = Requests(transport)
        #expect(try await requests.send(.get, clear.url).text == "a")
        requests.trust = ServerTrustManager(authorities: .file(file.path))
        #expect(try await requests.send(.get, secure.url).text == "b")
    }

    @Test("allowed protocols by name allows http and https by their bits, as one with them does, and nothing else")
    func protocols() throws {
        for library in [CurlLibrary.linked, .linked.without(.protocolNames)] {
            let handle = try #require(CurlHandle(LoopConnections(nil, library)))
            try handle.allowProtocols()
            // Calls libcurl directly, because no request of the kit can have such a URL.
            for url in ["file:///etc/hostname", "ftp://127.0.0.1:1", "gopher://127.0.0.1:1"] {
                try handle.set(CURLOPT_URL, url)
                #expect(curl_easy_perform(handle.easy) == CURLE_UNSUPPORTED_PROTOCOL)
            }
        }
    }
}

/// HTTP/2 without END_STREAM events: nghttp2 is linked statically, or the platform's linker cannot replace its functions.
@Suite("HTTP/2 without nghttp2's events", .closing, .timeLimit(.minutes(2)))
struct UnmonitoredHTTP2Tests {
    private let transport = closing(CurlTransport(library: .linked.without(.streamMonitor)))

    @Test("returns answers, and reports which of them had an announced end", arguments: [true, false])
    func ends(hasLength: Bool) async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { _ in
            [.sendHead(status: 200, headers: hasLength ? ["Content-Length": "4"] : [:]), .sendBody(Data("body".utf8)), .complete]
        }
        let response = try await Requests(transport, to: server).send(.get, server.url)
        #expect(response.text == "body" && response.error == nil, "\(response.result)")
        #expect(response.metrics?.httpVersion == "HTTP/2" && response.metrics?.isEndAnnounced == hasLength)
        #expect(try await Requests(to: server).send(.get, server.url).metrics?.isEndAnnounced == true)
    }

    @Test("bursts on fresh connections, large responses and bodies arrive whole, and wait for no timer")
    func bursts() async throws {
        let server = try await NginxServer(http2: true)
        let (sender, url) = (Requests(transport, trusting: server.authority), server.url)
        // An exchange that could not begin must not count as one that ended.
        for _ in 0..<10 {
            let missing = URL(fileURLWithPath: "/nowhere/\(UUID())")
            #expect(try await sender.send(.put, url, body: .file(missing)).transportError?.label == "bodyUnreadable")
        }
        let start = ContinuousClock.now
        for _ in 0..<10 {
            await each(of: 64, atOnce: 64) { index in
                let path = index.isMultiple(of: 8) ? "/300k" : "/1k"
                let response = try? await sender.send(.get, url + path)
                #expect(response?.status == 200 && response?.metrics?.httpVersion == "HTTP/2")
            }
        }
        #expect(ContinuousClock.now - start < .seconds(20))
        let posted = try await sender.send(.post, server.url + "/1k", body: .bytes(Data(repeating: 0x61, count: 200_000)))
        #expect(posted.status == 405)
    }

    @Test(
        "a body shorter than its length, a reset in its middle, also without a length, and a cut connection are failures",
        arguments: [
            ("9", [.resetStream(code: 0)]), ("9", [.resetStream(code: 2)]), (nil, [.resetStream(code: 2)]),
            ("9", [.goAway(rejecting: true)]), ("9", [.goAway(), .closeConnection]), ("9", [.closeConnection]),
            ("9", [.truncate]),
        ] as [(String?, [ServerReply.Step])])
    func cut(length: String?, steps: [ServerReply.Step]) async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { _ in
            let fields = length.map { HeaderLines([.init(name: "Content-Length", value: $0)]) } ?? [:]
            return ServerReply([.sendHead(status: 200, headers: fields), .sendBody(Data("part".utf8))] + steps)
        }
        let response = try await Requests(transport, to: server).send(.get, server.url, timeout: Timeout(.seconds(5)))
        #expect(response.transportError?.label == "truncated", "\(response.result)")
    }

    @Test("an order that the server rejected is neither processed twice nor reported as a success")
    func rejected() async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { request in
            request.connection == 0 && request.exchange == 0 ? [.resetStream(code: 7)] : .ok("done")
        }
        let response = try await Requests(transport, to: server).send(.post, server.url, body: .bytes(Data("order".utf8)))
        #expect(response.error != nil || (response.text == "done" && server.requests.count == 2), "\(response.result)")
        #expect(try await Requests(transport, to: server).send(.get, server.url).text == "done")
    }

    #if os(Linux)
    @Test(
        "a response before the request's body is sent ends the call, and the loop does not spin",
        arguments: StreamEndTests.Early.allCases, [(413, true), (413, false), (200, true), (200, false)])
    func earlyAnswer(early: StreamEndTests.Early, case: (status: Int, readsOn: Bool)) async throws {
        let (status, readsOn) = `case`
        // The server of the held upload cannot answer it; the next request has its response before its own.
        let server = try LoopbackServer.start(
            tls: ServerTLS(protocols: [.http2]), faults: readsOn ? .none : [nil, Fault(.beforeRequest, .stall)],
            answersEarly: true
        ) { request in
            let frames: ServerReply.Step = .send(early.frames(status, 3))
            return request.method == "POST"
                ? [frames, .stall] : request.path == "/frames" ? ServerReply.ok().after(frames) : .ok()
        }
        let loops = closing(LoopGroup(loops: 1))
        let transport = closing(CurlTransport(loops: loops, library: .linked.without(.streamMonitor)))
        let requests = Requests(transport, to: server)
        #expect(try await requests.send(.get, server.url).error == nil)
        let thread = ReadingThread()
        let began = ContinuousClock.now
        async let upload = requests.send(
            .post, server.url, body: .stream(thread.body(of: 3_000_000)), timeout: Timeout(.seconds(3)))
        if !readsOn {
            while thread.time == nil { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try await requests.send(.get, server.url + "/frames").error == nil)
        }
        // No END_STREAM can be seen, so only the timeout may be left to end the call, or the end counts as a cut.
        let response = try await upload
        let label = response.transportError?.label
        let isAnswered = response.error == nil && response.status == status
        #expect(isAnswered || ["timedOut.total", "connectionLost", "truncated"].contains(label), "\(response.result)")
        #expect(began.duration(to: .now) < .seconds(30))
        let time = try #require(thread.time)
        #expect(time < .seconds(1), "\(time)")
    }
    #endif
}
