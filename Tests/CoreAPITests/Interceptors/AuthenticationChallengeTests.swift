import TestSupport

@Suite("Challenges of a server (RFC 9110 §11.6.1)")
struct AuthenticationChallengeTests {
    private func shown(_ line: String) throws -> [String] {
        try AuthenticationChallenge.parse(line).map { challenge in
            let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=<\($0.value)>" }
            return ([challenge.scheme] + (challenge.token68.map { [$0] } ?? []) + parameters).joined(separator: " ")
        }
    }

    @Test(
        "are separated, also several in one line",
        arguments: [
            ("", []), (" , ,", []), ("Basic", ["basic"]), ("NEGOTIATE", ["negotiate"]),
            ("Basic realm=\"a\"", ["basic realm=<a>"]),
            (
                "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
                ["newauth realm=<apps> title=<Login to \"apps\"> type=<1>", "basic realm=<simple>"]
            ),
            ("Negotiate, Basic realm=x", ["negotiate", "basic realm=<x>"]),
            ("Negotiate abc/+d==, Basic realm=x", ["negotiate abc/+d==", "basic realm=<x>"]),
            ("Bearer abc", ["bearer abc"]), ("A, B, C", ["a", "b", "c"]),
            (",,Basic  realm = \"a\" ,, b=\t\"c\",", ["basic b=<c> realm=<a>"]),
            ("Digest realm=\"a,b=c, Basic\", nonce=\"\"", ["digest nonce=<> realm=<a,b=c, Basic>"]),
            ("Digest REALM=\"\\\\\\\"\"", ["digest realm=<\\\">"]), ("Digest realm=\"ş\"", ["digest realm=<ş>"]),
            ("Digest ,realm=x", ["digest realm=<x>"]), ("Digest realm=x,", ["digest realm=<x>"]),
            ("Digest\trealm=x", ["digest realm=<x>"]),
            // `realm=` is a token68, which the grammar allows.
            ("Basic realm=,", ["basic realm="]),
            // Of careless servers: without quotes or commas, and with empty values.
            ("Digest nonce=a==, qop=auth", ["digest nonce=<a==> qop=<auth>"]), ("Digest nonce=a==", ["digest nonce=<a==>"]),
            ("Digest nonce=a==,realm=x", ["digest nonce=<a==> realm=<x>"]),
            ("Digest a=b/c:d;e@f, g=(h)", ["digest a=<b/c:d;e@f> g=<(h)>"]),
            ("Basic realm=My Realm", ["basic realm=<My Realm>"]),
            ("Digest realm=My  Realm , nonce=b", ["digest nonce=<b> realm=<My  Realm>"]),
            ("Digest realm=\"a\" nonce=\"b\" qop=auth", ["digest nonce=<b> qop=<auth> realm=<a>"]),
            ("Digest realm=a nonce=b==  qop=\"auth\"", ["digest nonce=<b==> qop=<auth> realm=<a>"]),
            ("Digest realm=, nonce=b, opaque=", ["digest nonce=<b> opaque=<> realm=<>"]),
            ("Digest realm=ş", ["digest realm=<ş>"]),
            ("Digest qop=auth,auth-int, nonce=b", ["digest nonce=<b> qop=<auth,auth-int>"]),
            ("Digest qop=auth-int, auth,Basic realm=x", ["digest qop=<auth-int,auth>", "basic realm=<x>"]),
            ("Digest realm=x, Negotiate", ["digest realm=<x>", "negotiate"]),
            ("Digest realm=\"a\" , nonce=b ", ["digest nonce=<b> realm=<a>"]),
        ])
    func parsed(_ line: String, _ expected: [String]) throws { #expect(try shown(line) == expected) }

    @Test(
        "that are malformed are rejected with the offset",
        arguments: [
            ("=", "a token", 0), ("\"a\"", "a token", 0), ("Basic realm=\"a", "the closing quote", 14),
            ("Basic realm=\"a\\", "the closing quote", 15),
            ("Basic realm=\"a\u{1}b\"", "no control character", 14), ("Basic realm=\"\\\n\"", "no control character", 14),
            ("Basic realm=\"a\" b", "a comma", 16), ("Basic realm=a\"b\"", "a comma", 13), ("Basic realm=a\u{1}", "a comma", 13),
            ("Basic a b", "a parameter or a comma", 6),
            ("realm=x", "a space or a comma after the scheme", 5), ("Basic x=\"a\"y", "a comma", 11),
            ("Basic\u{0}", "a space or a comma after the scheme", 5),
            ("Basic abc=, d=e", "a space or a comma after the scheme", 13),
        ])
    func malformed(_ line: String, _ what: String, _ position: Int) throws {
        #expect(throws: AuthenticationChallenge.Malformed.expected(what, at: position)) {
            try AuthenticationChallenge.parse(line)
        }
    }

    @Test("with a parameter twice are rejected, whatever its case")
    func twice() {
        #expect(throws: AuthenticationChallenge.Malformed.duplicate(parameter: "nonce")) {
            try AuthenticationChallenge.parse("Digest nonce=a, NONCE=b")
        }
    }

    @Test("never trap, for any bytes of a server")
    func total() {
        let pieces = ["Digest", "realm", "=", ",", " ", "\"", "\\", "a", "\u{0}", "ş", "\t", "==", "/"]
        var generator = SystemRandomNumberGenerator()
        var challenges = 0
        for _ in 0..<20_000 {
            let line = (0..<Int.random(in: 0...12, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
                .joined()
            for challenge in (try? AuthenticationChallenge.parse(line)) ?? [] {
                challenges += 1
                #expect(!challenge.scheme.isEmpty && (challenge.token68 == nil || challenge.parameters.isEmpty), "\(line)")
            }
        }
        #expect(challenges > 0)
    }
}
