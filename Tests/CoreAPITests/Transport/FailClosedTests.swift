import TestSupport

@testable import CoreAPICore

/// A peer that a fresh handshake would reject stays rejected, whatever the origin of a connection.
@Suite("No way around a pin", .closing)
struct FailClosedTests {
    private let transport = closing(CurlTransport())

    private func requests(_ server: LoopbackServer, _ pins: PinSet = [:]) throws -> Requests {
        var requests = Requests(transport)
        requests.trust = ServerTrustManager(authorities: .pem(try #require(server.tls).authorityPEM), pins: pins)
        return requests
    }

    private static let wrong = [
        "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE=",
    ]

    @Test("A rejected HTTP/2 connection is not used by the next request, nor by a hundred at once")
    func rejectedConnection() async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { _ in .ok("secret") }
        let requests = try requests(server, ["localhost": Self.wrong])
        for _ in 0..<3 { #expect(try await requests.send(.get, server.url).transportError?.label == "pinMismatch") }
        let labels = try await atOnce(100) { try await requests.send(.get, server.url).transportError?.label }
        #expect(labels == Array(repeating: "pinMismatch", count: 100))
        #expect(server.requests.isEmpty)
    }

    @Test("An HTTP/2 connection is not used for another name of its certificate that has other pins")
    func coalescing() async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { _ in .ok("x") }
        let certificate = try #require(server.tls).certificate.certificate
        let requests = try requests(server, ["localhost": [certificate.pin, Self.wrong[0]], "127.0.0.1": Self.wrong])
        let address = "https://127.0.0.1:\(server.port)"
        for _ in 0..<3 {
            #expect(try await requests.send(.get, server.url).status == 200)
            #expect(try await requests.send(.get, address).transportError?.label == "pinMismatch")
        }
        #expect(server.requests.allSatisfy { $0.headers["host"] == "localhost:\(server.port)" })
    }

    @Test("A connection with a reported mismatch is not used after its pin set begins to block", arguments: ["h2", "http/1.1"])
    func modeThatChanges(name: String) async throws {
        let tls = try ServerTLS(protocols: [try #require(ServerTLS.ApplicationProtocol(rawValue: name))])
        let server = try LoopbackServer.start(tls: tls) { _ in .ok("x") }
        var pins: PinSet = ["localhost": Self.wrong]
        let expiry = Date(timeIntervalSinceNow: 1)
        (pins.mode, pins.modeAfterExpiry, pins.expiry) = (.reportOnly, .enforce, expiry)
        let requests = try requests(server, pins)
        #expect(try await requests.send(.get, server.url).status == 200)
        #expect(server.openConnections == 1)
        try await Task.sleep(for: .seconds(max(0, expiry.timeIntervalSinceNow) + 0.01))
        #expect(try await requests.send(.get, server.url).transportError?.label == "pinMismatch")
        #expect(server.requests.count == 1)
    }

    @Test(
        "Every rejected or reported handshake is an event, also with several at once",
        arguments: [PinSet.Mode.enforce, .reportOnly])
    func events(mode: PinSet.Mode) async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http1])) { _ in
            .ok("x", headers: ["Connection": "close"]).followed(by: .closeConnection)
        }
        let heard = Shared(0)
        let channel = Channel.test(server) {
            $0.logger = FunctionLogger { if case .pinMismatch = $0 { heard.change { $0 += 1 } } }
            $0.environment.serverTrustManager.pins = ["localhost": Self.wrong]
            $0.environment.serverTrustManager.pins.mode = mode
        }
        let labels = await atOnce(24) {
            let response = await channel.manager.response(for: TestEndpoint(), as: .text)
            return response.transportError?.label ?? response.text
        }
        #expect(labels == Array(repeating: mode == .enforce ? "pinMismatch" : "x", count: 24))
        #expect(heard.current == (mode == .enforce ? 24 : server.connectionsAccepted))
    }

    @Test(
        "No TLS session is resumed: every connection presents its certificates, and each trust checks them",
        arguments: [ServerTLS.Version.tls12, .tls13])
    func resumption(version: ServerTLS.Version) async throws {
        var tls = try ServerTLS(protocols: [.http1])
        tls.versions = version...version
        let server = try LoopbackServer.start(tls: tls) { _ in
            .ok("x", headers: ["Connection": "close"]).followed(by: .closeConnection)
        }
        let open = try requests(server)
        for _ in 0..<3 { #expect(try await open.send(.get, server.url).status == 200) }
        // Sessions belong to handles, and all three requests have the same handle.
        #expect(server.requests.map { $0.security?.isResumed } == [false, false, false])
        let pinned = try requests(server, ["localhost": Self.wrong])
        let authority = try TestAuthority()
        var stranger = try requests(server)
        stranger.trust = ServerTrustManager(authorities: .pem(authority.pem))
        for _ in 0..<2 {
            #expect(try await pinned.send(.get, server.url).transportError?.label == "pinMismatch")
            #expect(try await stranger.send(.get, server.url).transportError?.label == "tls")
        }
        #expect(server.requests.count == 3)
    }

    @Test("Each of three certificates of the chain can be pinned; one that the server only sends beside its chain cannot")
    func shownBesides() async throws {
        let root = try TestAuthority()
        let below = try root.intermediate()
        let leaf = try below.certificate()
        let tls = ServerTLS(leaf, authority: root)
        let server = try LoopbackServer.start(tls: tls) { _ in .ok("fine") }
        for certificate in [leaf.certificate, below.certificate.certificate, root.certificate.certificate] {
            let requests = try requests(server, ["localhost": [certificate.pin, Self.wrong[0]]])
            #expect(try await requests.send(.get, server.url).text == "fine")
        }
        // The pinned authority, sent by a server whose own chain has another authority.
        let pinned = try root.intermediate(name: "Pinned")
        var deceit = ServerTLS(leaf, authority: root)
        deceit.intermediates = [below.certificate, pinned.certificate]
        let deceiver = try LoopbackServer.start(tls: deceit) { _ in .ok("secret") }
        #expect(try await self.requests(deceiver, [:]).send(.get, deceiver.url).text == "secret")
        let rejected = try await self.requests(deceiver, ["localhost": [pinned.certificate.certificate.pin, Self.wrong[0]]])
            .send(.get, deceiver.url)
        #expect(rejected.transportError?.label == "pinMismatch")
    }
}
