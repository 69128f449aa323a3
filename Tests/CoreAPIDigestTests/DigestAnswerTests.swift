import TestSupport

@testable import CoreAPICore

@Suite("The response to a Digest challenge (RFC 7616)")
struct DigestAnswerTests {
    private func answer(
        _ challenge: String, user: String = "Mufasa", password: String = "Circle of Life", count: UInt32 = 1,
        cnonce: String = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", allowsLegacy: Bool = false
    ) throws -> DigestAnswer {
        DigestAnswer(
            challenge: try #require(try DigestChallenge.best(of: [challenge], allowsLegacy: allowsLegacy)), username: user,
            password: Secret(password), method: "GET", uri: "/dir/index.html", count: count, clientNonce: cnonce)
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

    /// The first is RFC 2069's corrected example, the second RFC 2617 §3.5 without its qop. Python's hashlib gave the last.
    @Test(
        "to a challenge without qop has the form of RFC 2069, without a count and a client nonce, if that is allowed",
        arguments: [
            ("CircleOfLife", "", "", "1949323746fe6a43ef61f9606e7febea"),
            ("Circle Of Life", "", "", "670fd8c2df070c60b045671b8b24ff02"),
            ("Circle Of Life", ", algorithm=MD5", "algorithm=MD5, ", "670fd8c2df070c60b045671b8b24ff02"),
            ("Circle Of Life", ", qop=\"\"", "", "670fd8c2df070c60b045671b8b24ff02"),
            (
                "Circle Of Life", ", algorithm=sha-256", "algorithm=SHA-256, ",
                "e71f89d8267982ee1cd4dfb3637698eaf2f55848fe056aee7be175262aab5d2a"
            ),
        ])
    func legacy(password: String, extra: String, algorithm: String, response: String) throws {
        let nonce = "dcd98b7102dd2f0e8b11d0f600bfb0c093"
        let challenge = "Digest realm=\"testrealm@host.com\", nonce=\"\(nonce)\", opaque=\"5ccc\"\(extra)"
        let answer = try answer(challenge, password: password, count: 7, allowsLegacy: true)
        #expect(
            answer.header == """
                Digest username="Mufasa", realm="testrealm@host.com", uri="/dir/index.html", \(algorithm)nonce="\(nonce)", \
                response="\(response)", opaque="5ccc"
                """)
        #expect(throws: DigestAuthentication.Failure.self) { try DigestChallenge.best(of: [challenge]) }
    }

    /// RFC 2617 §3.5.
    @Test("to a challenge with qop does not change if one without qop is allowed")
    func rfc2617() throws {
        let challenge = """
            Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
            opaque="5ccc069c403ebaf9f0171e9517f40e41"
            """
        for allowsLegacy in [false, true] {
            let answer = try answer(challenge, password: "Circle Of Life", cnonce: "0a4f113b", allowsLegacy: allowsLegacy)
            #expect(answer.response == "6629fae49393a05397450978507c4ef1")
        }
    }

    @Test("prefers a challenge with qop, and never answers auth-int alone")
    func legacyLast() throws {
        func best(_ lines: String...) throws -> DigestChallenge? { try DigestChallenge.best(of: lines, allowsLegacy: true) }
        let (legacy, md5) = ("Digest realm=r, nonce=n, algorithm=SHA-256", "Digest realm=r, nonce=n, qop=auth")
        #expect(try best(legacy, md5)?.algorithm == .md5)
        #expect(try best("\(legacy), \(md5)")?.isLegacy == false)
        #expect(try best("Digest realm=r, nonce=n", legacy)?.algorithm == .sha256)
        for other in ["qop=\"auth-int\"", "qop=x"] {
            #expect(throws: DigestAuthentication.Failure.self) { try best("Digest realm=r, nonce=n, \(other)") }
        }
        #expect(throws: DigestAuthentication.Failure.unsupportedAlgorithm(["MD5-sess"])) {
            try best("Digest realm=r, nonce=n, algorithm=MD5-sess")
        }
    }

    @Test("quotes the user name and the realm, so that neither can add a parameter")
    func quoting() throws {
        let answer = try answer(#"Digest realm="a\"b\\", nonce="n\", uri=\"/x", qop=auth"#, user: #"x", response="0"#)
        let read = try #require(try AuthenticationChallenge.parse(answer.header).first)
        #expect(read.parameters["username"] == #"x", response="0"# && read.parameters["realm"] == #"a"b\"#)
        #expect(read.parameters["nonce"] == #"n", uri="/x"# && read.parameters["uri"] == "/dir/index.html")
        #expect(read.parameters["response"] == answer.response)
        #expect(read.parameters["algorithm"] == nil && read.parameters["opaque"] == nil)
    }

    @Test("has the user name in composed UTF-8, as a hash if the challenge asks for one, and plain without qop")
    func users() throws {
        #expect(
            try answer("Digest realm=r, nonce=n", user: "Jäs", allowsLegacy: true).header.hasPrefix("Digest username=\"Jäs\", "))
        let plain = "Digest realm=r, nonce=n, qop=auth, charset=UTF-8, algorithm=SHA-256"
        #expect(try answer(plain, user: "Jäsøn Doe").header.contains("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, realm="))
        // Compared as octets: Swift's texts are equal in either form.
        let typed = try DigestAuthentication(username: "a\u{308}", password: Secret("o\u{308}"))
        #expect(Array(typed.username.utf8) == Array("ä".utf8) && Array(typed.password.revealed.utf8) == Array("ö".utf8))
        let hashed = try answer(plain + ", userhash=true", user: "Jäsøn Doe").header
        #expect(hashed.hasSuffix(", userhash=true"))
        let name = DigestChallenge.Algorithm.sha256.hash("Jäsøn Doe:r")
        #expect(hashed.contains("username=\"\(name)\""))
        #expect(name.utf8.count == 64)
    }

    @Test("counts in hexadecimal", arguments: [(1, "00000001"), (255, "000000ff"), (.max, "ffffffff")] as [(UInt32, String)])
    func counts(_ count: UInt32, _ text: String) throws {
        #expect(try answer("Digest realm=r, nonce=n, qop=auth", count: count).header.contains("nc=\(text),"))
    }

    @Test("uses the best challenge that can be answered, in any order")
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

    @Test("is rejected with the reason if it cannot be given")
    func rejected() {
        let cases: [(String, DigestAuthentication.Failure)] = [
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
        for qop in [nil, "", " ", ","] {
            let error = DigestAuthentication.Failure.unsupportedProtection(qop)
            #expect(error.localizedDescription.contains("allowsLegacyChallenges"), "\(error)")
        }
        #expect(!DigestAuthentication.Failure.unsupportedProtection("x").localizedDescription.contains("allowsLegacyChallenges"))
        for name in ["a\rb", "a\nb", "a\u{0}b", "a\u{1}", "\u{7F}"] {
            #expect(throws: DigestAuthentication.Failure.unsafeUsername) {
                try DigestAuthentication(username: name, password: "p")
            }
        }
    }

    @Test(
        "is given to challenges of careless servers",
        arguments: [
            "realm=r, nonce=a==, qop=auth", "realm=r, nonce=a== , qop=auth, opaque=", "realm=\"r\" nonce=\"a==\" qop=auth",
            "realm=r, qop=auth,auth-int, nonce=a==, stale=FALSE", "nonce=\"a==\",realm=r, qop=\" auth , auth-int\",",
            "realm=r, nonce=a==, qop=\"auth\", algorithm=\"md5\"", "realm=r, nonce=a==, qop=\"\"", "realm=r, nonce=a==, qop=",
            "realm=r, nonce=a==, qop=\",\"",
        ])
    func careless(_ parameters: String) throws {
        let challenge = "Digest \(parameters)"
        let answer = try answer(challenge, allowsLegacy: true)
        #expect(answer.header.contains(#"realm="r""#) && answer.header.contains(#"nonce="a==""#), "\(answer.header)")
        guard answer.challenge.isLegacy else { return #expect(answer.header.contains("qop=auth,")) }
        let error = #expect(throws: DigestAuthentication.Failure.self) { try DigestChallenge.best(of: [challenge]) }
        #expect(error?.localizedDescription.contains("allowsLegacyChallenges: true") == true, "\(error as Any)")
    }

    @Test("never contains the password")
    func secret() throws {
        let answer = try answer(Self.example("MD5"), password: "s3cret")
        let authentication = try DigestAuthentication(username: "u", password: "s3cret")
        var dumped = ""
        dump(authentication, to: &dumped)
        dump(answer, to: &dumped)
        #expect(!"\(dumped) \(answer) \(answer.header) \(authentication)".contains("s3cret"))
    }

    @Test("of more than a thousand nonces the oldest is forgotten, and the others keep their counts")
    func manyNonces() throws {
        var sessions = DigestSessions()
        func turn(_ nonce: Int, at origin: String, insteadOf old: Int) throws -> UInt32? {
            let line = #"Digest realm="a", qop="auth", nonce="\#(nonce)""#
            sessions.take(try #require(try DigestChallenge.best(of: [line])), insteadOf: "\(old)", at: origin)
            return sessions.turn(at: origin)?.count
        }
        #expect(try turn(0, at: "kept", insteadOf: 0) == 1)
        for nonce in 1...1_200 { #expect(try turn(nonce, at: "busy", insteadOf: nonce - 1) == 1) }
        // A server may issue an old nonce again.
        #expect(try turn(900, at: "busy", insteadOf: 1_200) == 2)
        #expect(try turn(1, at: "busy", insteadOf: 900) == 1)
        #expect(sessions.turn(at: "kept")?.count == 2)
    }
}
