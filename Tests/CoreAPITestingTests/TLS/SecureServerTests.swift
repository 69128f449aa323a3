import TestSupport

@Suite("A server with TLS", .closing)
struct SecureServerTests {
    @Test("serves HTTP/2 and HTTP/1.1, and records each request's connection", arguments: ["h2", "http/1.1"])
    func versions(name: String) async throws {
        let version = try #require(ServerTLS.ApplicationProtocol(rawValue: name))
        let server = try LoopbackServer.test(tls: ServerTLS(protocols: [version])) { request in
            .ok("\(request.method) \(request.bodyText)")
        }
        let manager = server.manager
        #expect(try await manager.text("a?b=c", body: "hello") == "POST hello")
        #expect(try await manager.text("again") == "GET ")
        let requests = server.requests
        #expect(requests.map(\.version) == Array(repeating: version == .http2 ? "HTTP/2" : "HTTP/1.1", count: 2))
        #expect(requests.map(\.connection) == [0, 0] && requests.map(\.exchange) == [0, 1])
        #expect(requests[0].target == "/a?b=c" && requests[0].headers["host"] == "localhost:\(server.port)")
        #expect(requests[0].headers["content-length"] == "5")
        await manager.channel?.close()
        #expect(requests[0].security?.version == "TLSv1.3" && requests[0].security?.serverName == "localhost")
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("accepts only the configured versions")
    func tlsVersion() async throws {
        var tls = try ServerTLS()
        tls.versions = .tls12 ... .tls12
        let server = try LoopbackServer.test(tls: tls) { _ in .ok("old") }
        #expect(try await server.manager.text() == "old")
        #expect(server.requests.first?.security?.version == "TLSv1.2")
    }

    @Test("counts the failed handshakes")
    func failedHandshakes() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(.unknownAuthority)) { _ in .ok("not for you") }
        #expect(await server.manager.response(for: .get("x"), as: .text).error?.label == "transport.tls")
        try await server.waitForOpenConnections(atMost: 0)
        #expect(server.handshakesFailed == 1 && server.requests.isEmpty)
    }

    @Test("a client that trusts two authorities of one name accepts a certificate of either")
    func sameName() async throws {
        let authorities = try (0..<2).map { _ in try TestAuthority(name: "Twin") }
        for authority in authorities {
            var tls = try ServerTLS(authority.certificate(), authority: authority)
            tls.authorityPEM = authorities.map(\.pem).joined()
            let server = try LoopbackServer.test(tls: tls) { _ in .ok("hello") }
            #expect(try await server.manager.text() == "hello")
        }
    }

    @Test("makes certificates that a strict openssl accepts, with the pins that openssl computes")
    func certificates() async throws {
        let root = try TestAuthority(name: "Root")
        let leaf = try root.intermediate().certificate(for: ["a.test", "*.b.test", "10.1.2.3"], key: .rsa(2048))
        let folder = try temporaryFolder("kit-test")
        for (name, text) in [("root", root.pem), ("leaf", leaf.pem), ("chain", leaf.chainPEM), ("key", leaf.keyPEM)] {
            try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
        }
        let script = """
            cd \(folder.path)
            openssl verify -x509_strict -CAfile root -untrusted chain -verify_hostname x.b.test -verify_ip 10.1.2.3 leaf
            openssl pkey -in key -pubout -outform der | openssl dgst -sha256 -binary | base64
            """
        let output = try await Program.run(["/bin/bash", "-c", script]).text
        #expect(output == "leaf: OK\n\(leaf.certificate.pin.dropFirst("sha256/".count))\n")
    }
}
