import TestSupport

@testable import CoreAPICore

@Suite("The transport's trust", .closing, .serialized)
struct TrustTests {
    let requests = Requests()
    static let wrongPin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    /// RFC 9525 §1.4.1 rejects a common name as a host's name; OpenSSL, and so libcurl, takes it without an alternative name.
    @Test("A common name is taken for the host only in a certificate without alternative names")
    func commonName() async throws {
        let authority = try TestAuthority()
        for (hosts, isTaken) in [([], true), (["other.example"], false)] {
            let certificate = try authority.certificate(for: hosts, name: "localhost")
            let server = try LoopbackServer.test(tls: ServerTLS(certificate, authority: authority)) { _ in .ok("x") }
            let requests = Requests(trusting: authority.certificate.pem)
            let response = try await requests.send(.get, "https://localhost:\(server.port)")
            #expect(response.transportError?.label == (isTaken ? nil : "tls"), "\(hosts): \(response.result)")
        }
    }

    @Test(
        "Authorities that cannot be read are rejected, and a file is named",
        arguments: [
            (.file("/nowhere/ca.pem"), "/nowhere/ca.pem"),
            (.file("/etc/hostname"), "/etc/hostname"), (.pem(""), nil), (.pem("no certificate in here"), nil),
        ] as [(ServerTrustManager.Authorities, String?)])
    func unreadable(_ authorities: ServerTrustManager.Authorities, _ path: String?) async throws {
        var requests = requests
        requests.trust = ServerTrustManager(authorities: authorities)
        let server = try LoopbackServer.test(tls: ServerTLS()) { _ in .ok() }
        let response = try await requests.send(.get, server.url)
        #expect(response.transportError?.label == "tls", "\(response.result)")
        if let path { #expect("\(response.result)".contains(path)) }
    }

    @Test("A connection made without a pin, or with other authorities, is not reused with a pin", arguments: [true, false])
    func reuse(_ http2: Bool) async throws {
        let server = try await NginxServer(http2: http2)
        var requests = requests
        let authorities = ServerTrustManager.Authorities.pem(server.authority)
        requests.trust = ServerTrustManager(authorities: authorities)
        #expect(try await requests.send(.get, server.url + "/1k").status == 200)
        #expect(try await requests.send(.get, server.url + "/1k").metrics?.isConnectionReused == true)

        requests.trust = ServerTrustManager(authorities: authorities, pins: ["localhost": [Self.wrongPin]])
        let rejected = try await requests.send(.get, server.url + "/1k")
        #expect(rejected.transportError?.label == "pinMismatch", "\(rejected.result)")
        // Repeated, so that neither the failed connection nor its TLS session is used.
        #expect(try await requests.send(.get, server.url + "/1k").transportError?.label == "pinMismatch")

        requests.trust = ServerTrustManager(authorities: authorities, pins: ["localhost": [Self.wrongPin, server.pin]])
        #expect(try await requests.send(.get, server.url + "/1k").status == 200)
        requests.trust = ServerTrustManager(
            authorities: authorities, pins: ["localhost": [Self.wrongPin]], isPinningActive: false)
        #expect(try await requests.send(.get, server.url + "/1k").status == 200)
        requests.trust = .system
        #expect(try await requests.send(.get, server.url + "/1k").transportError?.label == "tls")
        requests.trust = ServerTrustManager(authorities: authorities)
        #expect(try await requests.send(.get, server.url + "/1k").metrics?.isConnectionReused == false, "closed with its trust")
    }

    @Test("A replaced file of authorities applies to the next connection")
    func replacedFile() async throws {
        let server = try await NginxServer(http2: true)
        let other = try await NginxServer(http2: true)
        let path = server.directory.appendingPathComponent("current.pem")
        var requests = requests
        requests.trust = ServerTrustManager(authorities: .file(path.path))
        try server.authority.write(to: path, atomically: true, encoding: .utf8)
        #expect(try await requests.send(.get, server.url + "/1k").status == 200)
        #expect(try await requests.send(.get, other.url + "/1k").transportError?.label == "tls")
        try other.authority.write(to: path, atomically: true, encoding: .utf8)
        #expect(try await requests.send(.get, other.url + "/1k").status == 200)
    }
}
