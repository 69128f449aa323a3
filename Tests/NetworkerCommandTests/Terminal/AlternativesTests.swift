import TestSupport

@testable import NetworkerCommand

@Suite("Alternatives")
struct AlternativesTests {
    @Test("are joined as in a sentence")
    func sentence() {
        #expect([String]().alternatives == "" && ["A"].alternatives == "A")
        #expect(["A", "B"].alternatives == "A or B" && ["A", "B", "C"].alternatives == "A, B or C")
    }

    @Test(
        "have one that a mistyped word probably means",
        arguments: [
            ("orders", "Orders"), ("ordres", "Orders"), ("oders", "Orders"), ("ordders", "Orders"), ("TZ", "TY"), ("yt", "TY"),
            ("invoice", nil), ("XX", nil), ("", nil), ("ML", "ML"), ("KL", nil),
        ] as [(String, String?)])
    func nearest(word: String, meant: String?) {
        #expect(["Orders", "TY", "ML", "DL"].nearest(to: word) == meant)
    }
}
