import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("Pins", .closing, .serialized, .timeLimit(.minutes(2)))
struct PinningTests {
    private static let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    private static let wrong: PinSet = ["localhost": [other, other.replacing("AAA=", with: "AAE=")]]

    private func channel(_ server: NginxServer, _ pins: PinSet, change: (inout ServerTrustManager) -> Void = { _ in })
        -> (Channel, Shared<[String]>)
    {
        let heard = Shared<[String]>([])
        var trust = ServerTrustManager(authorities: .pem(server.authority), pins: pins)
        change(&trust)
        let host = TestHost(name: "nginx", baseURL: server.url, isSimulated: true)
        var channel = closing(Channel(name: "nginx", environment: APIEnvironment(host, serverTrustManager: trust)))
        channel.logger = FunctionLogger { event in
            switch event {
            case .pinMismatch(_, let mismatch):
                heard.change {
                    $0.append(
                        "\(mismatch.isEnforced ? "rejected" : "reported") \(mismatch.chain.count) \(mismatch.configured.count)")
                }
            case .warning(_, let text): heard.change { $0.append(text) }
            default: break
            }
        }
        return (channel, heard)
    }

    private func outcome(_ channel: Channel) async -> String {
        let response = await channel.manager.response(for: TestEndpoint("1k"), as: .data)
        return response.error?.label ?? "\(response.data.count)"
    }

    @Test(
        "any certificate of the verified chain may match, including the root; a mismatch error has the chain's pins",
        arguments: [true, false])
    func chain(http2: Bool) async throws {
        let server = try await NginxServer(http2: http2)
        let root = try Certificate(pem: server.authority).pin
        for pin in [server.pin, root] {
            let (channel, heard) = channel(server, ["localhost": [pin, Self.other]])
            #expect(await outcome(channel) == "1024")
            #expect(heard.current.isEmpty)
        }
        let (channel, heard) = channel(server, ["**.localhost": [Self.other, Self.other.replacing("AAA=", with: "AAE=")]])
        for _ in 0..<3 {
            let error = await channel.manager.response(for: TestEndpoint("1k"), as: .data).error
            #expect(error?.label == "transport.pinMismatch")
            #expect(error?.description.contains(server.pin) == true && error?.description.contains(root) == true)
            #expect(error?.description.contains(Self.other) == true)
        }
        #expect(heard.current == Array(repeating: "rejected 2 2", count: 3))
    }

    @Test("pins are checked in addition to ordinary verification, never instead: unknown authority, wrong host")
    func besides() async throws {
        let server = try await NginxServer(http2: true)
        let stranger = try await NginxServer(http2: true)
        var (channel, heard) = channel(server, ["localhost": [server.pin, Self.other]]) {
            $0.authorities = .pem(stranger.authority)
        }
        #expect(await outcome(channel) == "transport.tls")
        channel.environment.serverTrustManager = ServerTrustManager(
            authorities: .pem(server.authority), pins: ["127.0.0.1": [server.pin, Self.other]])
        channel.environment.baseURL = "https://127.0.0.1:\(server.port)"
        #expect(await outcome(channel) == "transport.tls")
        #expect(heard.current.isEmpty)
    }

    @Test("a report-only or expired set keeps the connection and reports; a set that blocks after its expiry blocks")
    func modes() async throws {
        let server = try await NginxServer(http2: true)
        var reporting = Self.wrong
        reporting.mode = .reportOnly
        var expired = Self.wrong
        expired.expiry = Date(timeIntervalSinceNow: -1)
        var blocking = expired
        blocking.modeAfterExpiry = .enforce
        var current = Self.wrong
        current.expiry = Date(timeIntervalSinceNow: 3_600)
        for (pins, outcome, event) in [
            (reporting, "1024", "reported 2 2"), (expired, "1024", "reported 2 2"),
            (blocking, "transport.pinMismatch", "rejected 2 2"), (current, "transport.pinMismatch", "rejected 2 2"),
        ] {
            let (channel, heard) = channel(server, pins)
            #expect(await self.outcome(channel) == outcome)
            #expect(heard.current == [event])
        }
    }

    @Test("a replaced set applies to the next request and closes rejected connections; a missing backup is one warning")
    func replaced() async throws {
        let server = try await NginxServer(http2: true)
        var (channel, heard) = channel(server, ["localhost": [server.pin]])
        let place = APIEnvironment.Switch(channel.environment)
        channel.environmentSwitch = place
        let manager = channel.manager
        for _ in 0..<3 { _ = try await manager.response(for: TestEndpoint("1k"), as: .data).value }
        #expect(heard.current.count == 1 && heard.current.first?.contains("no backup") == true)
        place.environment.serverTrustManager.pins = Self.wrong
        #expect(await manager.response(for: TestEndpoint("1k"), as: .data).error?.label == "transport.pinMismatch")
        place.environment.serverTrustManager.pins = ["localhost": [server.pin, Self.other]]
        let back = await manager.response(for: TestEndpoint("1k"), as: .data)
        #expect(back.error == nil)
        #expect(back.metrics?.isConnectionReused == false, "the old trust's connection was closed")
        let transport = try #require(channel.transport as? CurlTransport)
        #expect(transport.poolCount == 1)
    }

    @Test("channels with the same trust share connections over one transport")
    func shared() async throws {
        let server = try await NginxServer(http2: true)
        let transport = closing(CurlTransport())
        var (first, _) = channel(server, [:])
        first.transport = transport
        var second = first
        second.name = "second"
        #expect(await outcome(first) == "1024")
        #expect(await second.manager.response(for: TestEndpoint("1k"), as: .data).metrics?.isConnectionReused == true)
        #expect(transport.poolCount == 1)
    }

    @Test("a set is read from a file; an invalid file is named", arguments: [true, false])
    func file(isSound: Bool) throws {
        let path = temporaryFile("pins.json").path
        let pin = isSound ? Self.other : "sha256/short"
        let text = #"{"pins": {"*.example.com": ["\#(pin)"]}, "expiry": "2030-01-01T00:00:00Z", "mode": "reportOnly"}"#
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        guard isSound else {
            #expect(throws: Certificate.ReadError.self) { try PinSet(contentsOfFile: path) }
            #expect(throws: Certificate.ReadError.self) { try PinSet(contentsOfFile: path + ".nowhere") }
            for text in [#"{"pins": {}}"#, String(repeating: "[", count: 513)] {
                try text.write(toFile: path, atomically: true, encoding: .utf8)
                #expect(throws: Certificate.ReadError.self) { try PinSet(contentsOfFile: path) }
            }
            return
        }
        let set = try PinSet(contentsOfFile: path)
        #expect(set.pins(for: "a.example.com") == [Self.other])
        #expect(set.mode == .reportOnly && set.modeAfterExpiry == .reportOnly)
        #expect(set.expiry == Date(timeIntervalSince1970: 1_893_456_000))
        #expect(set.warnings.count == 1)
    }
}

@Suite("Client certificates, authorities and versions of TLS", .closing, .serialized, .timeLimit(.minutes(2)))
struct ClientIdentityTests {
    @Test("only the right client certificate is accepted, from PEM and PKCS#12, and never through another client's connection")
    func identities() async throws {
        let server = try await NginxServer(http2: true, verifiesClients: true)
        func text(_ name: String) throws -> String {
            try String(contentsOf: server.directory.appendingPathComponent(name), encoding: .utf8)
        }
        var requests = Requests()
        let pem = ClientIdentity.pem(
            certificates: try text("client.pem"), key: Secret(try text("client.key")), passphrase: "open")
        let p12 = ClientIdentity.pkcs12(
            try Data(contentsOf: server.directory.appendingPathComponent("client.p12")), passphrase: "sesame")
        for identity in [pem, p12] {
            requests.trust = ServerTrustManager(authorities: .pem(server.authority), identity: identity)
            let response = try await requests.send(.get, server.url + "/1k")
            #expect(response.status == 200, "\(response.result)")
            requests.trust = ServerTrustManager(authorities: .pem(server.authority))
            #expect(try await requests.send(.get, server.url + "/1k").status != 200)
        }
        for wrong in [
            ClientIdentity.pem(certificates: try text("client.pem"), key: Secret(try text("client.key")), passphrase: "wrong"),
            .pkcs12(Data("rubbish".utf8), passphrase: "sesame"), .pem(certificates: "", key: ""),
        ] {
            requests.trust = ServerTrustManager(authorities: .pem(server.authority), identity: wrong)
            let error = try await requests.send(.get, server.url + "/1k")
            #expect(error.transportError?.label == "tls", "\(error.result)")
        }
    }

    @Test("a version of TLS below the minimum is rejected")
    func versions() async throws {
        let server = try await NginxServer(http2: true, protocols: "TLSv1.2")
        var requests = Requests(trusting: server.authority)
        #expect(try await requests.send(.get, server.url + "/1k").status == 200)
        requests.trust.minimumTLSVersion = .tls13
        #expect(try await requests.send(.get, server.url + "/1k").transportError?.label == "tls")
    }

    @Test("additional authorities are trusted, and the system's too")
    func besides() async throws {
        let server = try await NginxServer(http2: true)
        var requests = Requests()
        requests.trust = ServerTrustManager(authorities: .systemAndPEM(server.authority))
        #expect(try await requests.send(.get, server.url + "/1k").status == 200)
        let all = try #require(CurlHandle(LoopConnections())).authorities(besides: server.authority)
        #expect(all.hasSuffix(server.authority) && all.components(separatedBy: "BEGIN CERTIFICATE").count > 50)
        requests.trust = ServerTrustManager(authorities: .systemAndPEM("nonsense"))
        #expect(try await requests.send(.get, server.url + "/1k").transportError?.label == "tls")
    }
}
