import TestSupport

@Suite("A server with TLS")
struct SecureServerTests {
    @Test("serves HTTP/2 and HTTP/1.1, and records each request's connection", arguments: ["h2", "http/1.1"])
    func versions(name: String) async throws {
        let version = try #require(ServerTLS.ApplicationProtocol(rawValue: name))
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [version])) { request in
            .ok("\(request.method) \(request.bodyText)")
        }
        let client = try Client(server)
        let first = try await client.send("/a?b=c", body: "hello")
        let second = try await client.send("/again")
        #expect([first, second] == ["POST hello", "GET "])
        let requests = server.requests
        #expect(requests.map(\.version) == Array(repeating: version == .http2 ? "HTTP/2" : "HTTP/1.1", count: 2))
        #expect(requests.map(\.connection) == [0, 0])
        #expect(requests.map(\.exchange) == [0, 1])
        #expect(requests[0].target == "/a?b=c")
        #expect(requests[0].headers["host"] == "localhost:\(server.port)")
        #expect(requests[0].headers["content-length"] == "5")
        #expect(requests[0].security?.version == "TLSv1.3")
        #expect(requests[0].security?.serverName == "localhost")
        await client.close()
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("accepts only the configured versions")
    func tlsVersion() async throws {
        var tls = try ServerTLS()
        tls.versions = .tls12 ... .tls12
        let server = try LoopbackServer.start(tls: tls) { _ in .ok("old") }
        let client = try Client(server)
        let text = try await client.send()
        #expect(text == "old")
        #expect(server.requests.first?.security?.version == "TLSv1.2")
        await client.close()
    }

    @Test("counts the failed handshakes")
    func failedHandshakes() async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(.unknownAuthority)) { _ in .ok("not for you") }
        let client = try Client(server)
        let response = await client.respond()
        #expect(response.failure?.label == "transport.tls")
        await client.close()
        try await server.waitForOpenConnections(atMost: 0)
        #expect(server.handshakesFailed == 1)
        #expect(server.requests.isEmpty)
    }

    @Test("a client that trusts two authorities of one name accepts a certificate of either")
    func sameName() async throws {
        let authorities = try (0..<2).map { _ in try TestAuthority(name: "Twin") }
        for authority in authorities {
            var tls = try ServerTLS(authority.certificate(), authority: authority)
            tls.authorityPEM = authorities.map(\.pem).joined()
            let server = try LoopbackServer.start(tls: tls) { _ in .ok("hello") }
            let client = try Client(server)
            let text = try await client.send()
            #expect(text == "hello")
            await client.close()
        }
    }

    @Test("makes certificates that a strict openssl accepts, with the pins that openssl computes")
    func certificates() async throws {
        let root = try TestAuthority(name: "Root")
        let leaf = try root.intermediate().certificate(for: ["a.test", "*.b.test", "10.1.2.3"], key: .rsa(2048))
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kit-test-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
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
