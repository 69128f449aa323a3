import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

/// The hosts of badssl.com, rebuilt: one row for each host that a client without a screen can distinguish from others.
///
/// Not rebuilt are:
/// - `revoked` and the hosts about certificate transparency, because libcurl checks neither (pin sets cover those cases);
/// - `rc4`, `rc4-md5`, `3des`, `dh480` and `dh512`, which this OpenSSL's servers do not support;
/// - `dh-composite` and `dh-small-subgroup`, which `dh1024` represents;
/// - `rsa8192`, whose key takes minutes to make;
/// - hosts about pages (mixed content, HSTS, spoofed icons).
enum BadSSL: String, CaseIterable {
    // Certificates
    case expired, notYetValid, wrongHost, selfSigned, untrustedRoot, incompleteChain, expiredIntermediate, weakKey,
        clientCertMissing
    case nestedWildcard, pinningTest, http
    case wildcard, noCommonName, sans1000, sans10000, client
    // Signatures and keys
    case sha1, sha1Intermediate, sha256, sha384, sha512, ecc256, ecc384, rsa2048, rsa4096
    // Key exchange, ciphers and versions
    case dh1024, dh2048, staticRSA, cbc, null, tls10, tls11, tls12, tls13

    /// Every host, and whether the kit accepts it.
    static let expected: [BadSSL: String] = [
        .expired: "tls", .notYetValid: "tls", .wrongHost: "tls", .selfSigned: "tls", .untrustedRoot: "tls",
        .incompleteChain: "tls", .expiredIntermediate: "tls", .weakKey: "tls", .clientCertMissing: "tls", .nestedWildcard: "tls",
        .pinningTest: "pinMismatch", .http: "request.insecureConnection", .wildcard: "ok", .noCommonName: "ok", .sans1000: "ok",
        .sans10000: "tls", .client: "ok", .sha1: "tls", .sha1Intermediate: "tls", .sha256: "ok", .sha384: "ok", .sha512: "ok",
        .ecc256: "ok", .ecc384: "ok", .rsa2048: "ok", .rsa4096: "ok", .dh1024: "tls", .dh2048: "ok", .staticRSA: "ok", .cbc: "ok",
        .null: "tls", .tls10: "tls", .tls11: "tls", .tls12: "ok", .tls13: "ok",
    ]

    /// The TLS settings of such a host; `nil` for a host without TLS.
    func server() throws -> ServerTLS? {
        let root = try TestAuthority()
        func with(_ certificate: TestCertificate, _ change: (inout ServerTLS) -> Void = { _ in }) -> ServerTLS {
            var tls = ServerTLS(certificate, authority: root)
            change(&tls)
            return tls
        }
        func named(_ count: Int) throws -> TestCertificate {
            try root.certificate(for: TestAuthority.loopback + (0..<count).map { "host-\($0).badssl.test" })
        }
        func ciphers(_ ciphers: String, bits: Int? = nil) throws -> ServerTLS {
            with(try root.certificate(key: .rsa(2048))) {
                $0.ciphers = ciphers
                $0.diffieHellmanBits = bits
                $0.versions = .tls12 ... .tls12
            }
        }
        func version(_ version: ServerTLS.Version) throws -> ServerTLS {
            with(try root.certificate()) {
                $0.versions = version...version
                $0.ciphers = "ALL"
            }
        }
        switch self {
        case .expired: return try ServerTLS(.expired)
        case .notYetValid: return try ServerTLS(.notYetValid)
        case .wrongHost: return try ServerTLS(.wrongHost)
        case .selfSigned: return try ServerTLS(.selfSigned)
        case .untrustedRoot: return try ServerTLS(.unknownAuthority)
        case .incompleteChain: return try ServerTLS(.missingIntermediate)
        case .expiredIntermediate: return with(try root.intermediate(validity: .expired).certificate())
        case .weakKey: return try ServerTLS(.weakKey)
        case .clientCertMissing, .client: return try ServerTLS(.clientAuthenticated)
        case .wildcard: return try ServerTLS(.wildcard)
        case .nestedWildcard: return with(try root.certificate(for: ["*.shop.localhost"])) { $0.host = "a.b.shop.localhost" }
        case .pinningTest: return try ServerTLS()
        case .http: return nil
        case .noCommonName: return with(try root.certificate(name: nil))
        case .sans1000: return with(try named(1000))
        case .sans10000: return with(try named(10_000))
        case .sha1: return with(try root.certificate(key: .rsa(2048), digest: "SHA1"))
        case .sha1Intermediate: return with(try root.intermediate(digest: "SHA1").certificate())
        case .sha256, .sha384, .sha512: return with(try root.certificate(digest: rawValue.uppercased()))
        case .ecc256: return with(try root.certificate(key: .p256))
        case .ecc384: return with(try root.certificate(key: .p384))
        case .rsa2048: return with(try root.certificate(key: .rsa(2048)))
        case .rsa4096: return with(try root.certificate(key: .rsa(4096)))
        case .dh1024: return try ciphers("DHE-RSA-AES128-GCM-SHA256", bits: 1024)
        case .dh2048: return try ciphers("DHE-RSA-AES128-GCM-SHA256")
        case .staticRSA: return try ciphers("AES128-GCM-SHA256")
        case .cbc: return try ciphers("ECDHE-RSA-AES128-SHA")
        case .null: return try ciphers("NULL-SHA256")
        case .tls10: return try version(.tls10)
        case .tls11: return try version(.tls11)
        case .tls12: return try version(.tls12)
        case .tls13: return try version(.tls13)
        }
    }
}

@Suite("The hosts of badssl.com, rebuilt", .closing, .serialized)
struct BadSSLTests {
    @Test("are accepted or rejected, as in the table", arguments: BadSSL.allCases)
    func matrix(host: BadSSL) async throws {
        // Large keys take seconds, which would block a thread of the other tests' tasks.
        let tls = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .background).async { continuation.resume(with: Result { try host.server() }) }
        }
        let server = try LoopbackServer.start(tls: tls) { _ in .ok("ok") }
        var requests = Requests()
        requests.allowsInsecure = false
        requests.trust = ServerTrustManager(authorities: server.tls.map { .pem($0.authorityPEM) } ?? .system)
        if host == .pinningTest {
            let pins = try (0..<2).map { _ in try TestAuthority().certificate.certificate.pin }
            requests.trust.pins = PinSet(["localhost": pins])
        }
        if host == .client {
            let certificate = try #require(server.tls?.clientAuthority).certificate(for: [], name: "client")
            requests.trust.identity = .pem(certificates: certificate.chainPEM, key: Secret(certificate.keyPEM))
        }
        let response = try await requests.send(.get, server.url)
        let outcome = response.error.map { response.transportError?.label ?? $0.label } ?? response.text
        #expect(outcome == BadSSL.expected[host], "\(response.result)")
        #expect(server.requests.count == (outcome == "ok" ? 1 : 0))
    }
}
