import TestSupport

@testable import CoreAPITransfers

@Suite("Fields of a download")
struct ParserTests {
    private static let empty = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test(
        "a field of digests is read by the rules of RFC 9530 and RFC 9651",
        arguments: [
            ("sha-256=:\(empty):", 1), ("sha-256=:\(empty.dropLast()):", 1), (" sha-256=:\(empty): ", 1),
            ("md5=:AAAA:, sha-256=:\(empty):;a=1;b", 1), ("a, b=?1, c=(1 \"x\" :AAAA:);q, sha-256=:\(empty):", 1),
            (#"x="a\"b,c", sha-256=:\#(empty):"#, 1), ("sha-256=:\(empty):\t,\tsha-512=:AA==:", 2),
            ("sha-256=:AA==:, sha-256=:\(empty):", 1), ("SHA-256=:\(empty):", nil), ("sha-256=:\(empty)", nil),
            ("sha-256=:\(empty):,", nil), ("sha-256=:*:", nil), ("sha-256 =:\(empty):", nil), ("=", nil), (",", nil), ("", 0),
            ("sha-256=:\(empty): x", nil), (#"a="x, sha-256=:\#(empty):"#, nil), ("a=(1 2, sha-256=:\(empty):", nil),
            ("md5=:AAAA:", 0), ("sha-256", 1), ("sha-256=1", 1), ("sha-256=::", 1),
            ("a=" + String(repeating: "x", count: 9_000), 0), (#"a=%"foo \ baz", sha-256=:\#(empty):"#, 1),
            (#"a=%"f%c3%bc\", sha-256=:\#(empty):"#, 1), (#"a=%"f%C3%BC", sha-256=:\#(empty):"#, nil),
            (#"a=%"%c3", sha-256=:\#(empty):"#, nil), (#"a=%"é", sha-256=:\#(empty):"#, nil), ("a=%b, sha-256=:\(empty):", nil),
            ("a=:" + String(repeating: "AAAA", count: 16_384) + ":, sha-256=:\(empty):", 1),
            ("a=@1659578233, sha-256=:\(empty):", 1), ("a=@1.5, sha-256=:\(empty):", nil), ("a=*t/1:x, sha-256=:\(empty):", 1),
            ("a=-12.5;b=%\"\";c=@0, sha-256=:\(empty):", 1), ("a=999999999999999, sha-256=:\(empty):", 1),
            ("a=1234567890123456, sha-256=:\(empty):", nil), ("a=1., sha-256=:\(empty):", nil),
            ("a=1.2345, sha-256=:\(empty):", nil), ("a=?2, sha-256=:\(empty):", nil),
            (#"a=("x" %"y\" :AA==: @1 tok);q=1, sha-256=:\#(empty):"#, 1), ("a=(1 (2)), sha-256=:\(empty):", nil), ("a=()", 0),
            ("a=1;B, sha-256=:\(empty):", nil), ("a=/x, sha-256=:\(empty):", nil), ("sha-256=:iZ==:", 1),
            ("sha-256=:=AAA:", nil), ("sha-256=:\(String(repeating: "A", count: 400)):", 1),
        ].map { (Abbreviated($0), $1) } as [(Abbreviated, Int?)])
    func digestField(field: Abbreviated, count: Int?) { #expect(DigestField(field.text)?.members.count == count) }

    @Test("a digest of a known algorithm with another form or length matches nothing")
    func unmatched() throws {
        let empty = try #require(ContentDigest(.sha256, SHA256.hash([])))
        #expect(DigestField("sha-256=:\(Self.empty):")?.mismatch([empty]) == nil)
        for text in ["sha-256=:AA==:", "sha-256=1", "sha-256", "sha-256=::", "sha-256=:\(Self.empty):, sha-256=:AA==:"] {
            #expect(DigestField(text)?.mismatch([empty]) != nil, "\(text)")
        }
    }

    @Test("a digest is read in hexadecimal, in Base64, and in the form of a field")
    func contentDigest() {
        let hexadecimal = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        let texts = [
            "sha-256=\(hexadecimal)", "SHA-256=\(hexadecimal.uppercased())", "sha-256=\(Self.empty)", "sha-256=:\(Self.empty):",
        ]
        for text in texts {
            #expect(ContentDigest(text)?.hexadecimal == hexadecimal, "\(text)")
            #expect(ContentDigest(text)?.description == "sha-256=:\(Self.empty):")
        }
        for text in [
            "", "sha-256", "md5=AAAA", "sha-256=", "sha-256=00", "sha-512=\(hexadecimal)", "sha-256=:", "sha-256=\(hexadecimal)0",
        ] { #expect(ContentDigest(text) == nil, "\(text)") }
    }

    @Test(
        "a Content-Range is read strictly",
        arguments: [
            ("bytes 0-0/1", "0..<1 of 1"), ("bytes 5-9/*", "5..<10 of nil"), ("bytes */10", "nil of 10"),
            ("BYTES 0-9/10", "0..<10 of 10"),
            ("bytes 9-5/10", nil), ("bytes 0-10/10", nil), ("bytes */*", nil), ("bytes -5/10", nil), ("bytes 5-/10", nil),
            ("items 0-0/1", nil), ("bytes 0-0", nil), ("bytes=0-0/1", nil), ("bytes 0-0/1/1", nil), ("bytes +0-0/1", nil),
            ("bytes 0-9999999999999999999/*", nil), ("", nil), ("bytes 0-0/1 x", nil),
        ] as [(String, String?)])
    func contentRange(text: String, expected: String?) {
        let range = ContentRange(text)
        func shown<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "nil" }
        #expect(range.map { "\(shown($0.bytes)) of \(shown($0.total))" } == expected)
    }
}
