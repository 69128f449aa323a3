#if Signing
import CoreAPI
import Foundation
import Testing

@testable import CoreAPIDigest

@Suite("The answer to a Digest challenge (RFC 7616)")
struct DigestAnswerTests {
    private func answer(
        _ challenge: String, user: String = "Mufasa", password: String = "Circle of Life", count: UInt32 = 1,
        cnonce: String = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    ) throws -> DigestAnswer {
        DigestAnswer(
            challenge: try #require(try DigestChallenge.best(of: [challenge])), username: user, password: Secret(password),
            method: "GET",
            uri: "/dir/index.html", count: count, clientNonce: cnonce)
    }

    private static func example(_ algorithm: String) -> String {
        """
        Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """
    }

    @Test(
        "is that of §3.9.1",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ])
    func vectors(_ algorithm: String, _ response: String) throws {
        let answer = try answer(Self.example(algorithm))
        #expect(answer.response == response)
        #expect(
            answer.header == """
                Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=\(algorithm), \
                nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, \
                cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="\(response)", \
                opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
                """)
    }

    @Test("cannot be broken out of by a user name or a realm")
    func quoting() throws {
        let answer = try answer(#"Digest realm="a\"b\\", nonce="n\", uri=\"/x", qop=auth"#, user: #"x", response="0"#)
        let read = try #require(try AuthenticationChallenge.parse(answer.header).first)
        #expect(read.parameters["username"] == #"x", response="0"#)
        #expect(read.parameters["realm"] == #"a"b\"#)
        #expect(read.parameters["nonce"] == #"n", uri="/x"#)
        #expect(read.parameters["uri"] == "/dir/index.html")
        #expect(read.parameters["response"] == answer.response)
        #expect(read.parameters["algorithm"] == nil && read.parameters["opaque"] == nil)
    }

    @Test("names a user in UTF-8, in its composed form, or by a hash where that is asked for")
    func users() throws {
        let plain = "Digest realm=r, nonce=n, qop=auth, charset=UTF-8, algorithm=SHA-256"
        #expect(try answer(plain, user: "Jäsøn Doe").header.contains("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, realm="))
        #expect(try answer(plain, user: "a\u{308}").header == answer(plain, user: "ä").header)
        #expect(try answer(plain, password: "a\u{308}").header == answer(plain, password: "ä").header)
        let hashed = try answer(plain + ", userhash=true", user: "Jäsøn Doe").header
        #expect(hashed.hasSuffix(", userhash=true"))
        let name = DigestChallenge.Algorithm.sha256.hash("Jäsøn Doe:r")
        #expect(hashed.contains("username=\"\(name)\""))
        #expect(name.utf8.count == 64)
    }

    @Test(
        "counts in eight hexadecimal digits",
        arguments: [(1, "00000001"), (255, "000000ff"), (.max, "ffffffff")] as [(UInt32, String)])
    func counts(_ count: UInt32, _ text: String) throws {
        #expect(try answer("Digest realm=r, nonce=n, qop=auth", count: count).header.contains("nc=\(text),"))
    }

    @Test("goes to the best challenge that can be answered, wherever it stands")
    func best() throws {
        func algorithm(_ lines: String...) throws -> String? { try DigestChallenge.best(of: lines)?.algorithm.rawValue }
        let (md5, sha) = ("Digest realm=r, nonce=n, qop=auth", "Digest realm=r, nonce=n, qop=auth, algorithm=sha-256")
        #expect(try algorithm(md5, sha) == "SHA-256")
        #expect(try algorithm("\(md5), Basic realm=x, \(sha)") == "SHA-256")
        #expect(try algorithm(md5, "Digest realm=r, nonce=n, qop=auth, algorithm=SHA-512-256") == "MD5")
        #expect(try algorithm("Digest realm=r, nonce=n, qop=auth-int, algorithm=SHA-256", md5) == "MD5")
        #expect(try algorithm("\u{1}", md5) == "MD5")
        #expect(try algorithm("Basic realm=x", "Negotiate") == nil)
        #expect(try algorithm() == nil)
    }

    @Test("is refused where it cannot be given, with the reason")
    func refused() {
        let cases: [(String, DigestAuthenticationError)] = [
            ("realm=r, nonce=n, qop=auth, algorithm=SHA-512-256", .unsupportedAlgorithm(["SHA-512-256"])),
            ("realm=r, nonce=n, qop=auth, algorithm=MD5-sess", .unsupportedAlgorithm(["MD5-sess"])),
            ("realm=r, nonce=n, qop=\"auth-int\"", .unsupportedProtection("auth-int")),
            ("realm=r, nonce=n", .unsupportedProtection(nil)),
            ("nonce=n, qop=auth", .missingParameter("realm")), ("realm=r, qop=auth", .missingParameter("nonce")),
            ("realm=\"a\u{1}\", nonce=n, qop=auth", .malformedChallenge(.expected("no control character", at: 15))),
            ("realm=r, nonce=\"n\u{7F}\", qop=auth", .malformedChallenge(.expected("no control character", at: 24))),
        ]
        for (parameters, error) in cases {
            #expect(throws: error, "\(parameters)") { try DigestChallenge.best(of: ["Digest " + parameters]) }
            #expect(error.localizedDescription.contains("expected"))
        }
        for name in ["a\rb", "a\nb", "a\u{0}b", "a\u{1}", "\u{7F}"] {
            #expect(throws: DigestAuthenticationError.unsafeUsername) { try DigestAuthentication(username: name, password: "p") }
        }
    }

    @Test("shows the password nowhere")
    func secret() throws {
        let answer = try answer(Self.example("MD5"), password: "s3cret")
        let authentication = try DigestAuthentication(username: "u", password: "s3cret")
        var dumped = ""
        dump(authentication, to: &dumped)
        dump(answer, to: &dumped)
        #expect(!"\(dumped) \(answer) \(answer.header) \(authentication)".contains("s3cret"))
    }
}
#endif
