import CoreAPIJSON
import TestSupport

@Suite("The grammar of RFC 8259, beside JSONDecoder")
struct GrammarTests {
    private let decoders = Decoders()

    /// Reads the whole document. Both decoders must give the same result.
    private func isTaken(_ data: Data) -> Bool {
        let ours = decoders.same(AnyValue.self, data)
        decoders.same(Anything.self, data)
        return !ours.isFailure
    }

    @Test("valid documents are accepted", arguments: GrammarCases.sound)
    func sound(document: String) { #expect(isTaken(Data(document.utf8))) }

    @Test("invalid documents are rejected", arguments: GrammarCases.broken)
    func broken(document: String) { #expect(!isTaken(Data(document.utf8))) }

    @Test("invalid UTF-8 is rejected", arguments: GrammarCases.brokenBytes)
    func brokenBytes(document: [UInt8]) { #expect(!isTaken(Data(document))) }

    @Test("extensions that JSONDecoder accepts are accepted", arguments: GrammarCases.lenient)
    func lenient(document: String) { #expect(isTaken(Data(document.utf8))) }

    @Test("optional parts of the grammar that JSONDecoder rejects are rejected", arguments: GrammarCases.strict)
    func strict(document: String) { #expect(!isTaken(Data(document.utf8))) }

    @Test("there are more than 300 cases, all different")
    func count() {
        let texts = GrammarCases.sound + GrammarCases.broken + GrammarCases.lenient + GrammarCases.strict
        #expect(Set(texts).count == texts.count)
        #expect(texts.count + GrammarCases.brokenBytes.count >= 300)
    }

    /// One of the differences from `JSONDecoder`; `EndlessKeyTests` have another. Depending on the text's length, `JSONDecoder`
    /// looks for rounded digits even in a zero's exponent, and so rejects `0e1` but accepts `0e-1`. RFC 8259 §6 allows both.
    @Test(
        "zero may have any exponent",
        arguments: ["0e1", "-0e1", "0e9", "-0.0e1", "0.00e12", "0E+7", "0e-1", "0e400", "0.000e-400", "0e99999999999999999999"])
    func zeros(number: String) throws {
        #expect(try JSONBodyDecoder().decode(Double.self, from: Data(number.utf8)) == 0)
        #expect(try JSONBodyDecoder().decode([Float].self, from: Data("[\(number)]".utf8)) == [0])
    }

    @Test("at most 512 levels of nesting", arguments: ["[]", "{}"])
    func depth(pair: String) {
        func nested(_ depth: Int) -> Data {
            let (open, close) = pair == "[]" ? ("[", "]") : ("{\"a\":", "}")
            return Data((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
        }
        decoders.same(Anything.self, nested(512))
        #expect(!decoders.both(Anything.self, nested(512)).ours.isFailure)
        decoders.same(AnyValue.self, nested(512))
        #expect(decoders.both(Anything.self, nested(513)) == (.failure("dataCorrupted at []"), .failure("dataCorrupted at []")))
        #expect(decoders.both(Anything.self, Data(String(repeating: "[", count: 1_000_000).utf8)).ours.isFailure)
    }

    @Test("a document that is cut anywhere is rejected, and so is one followed by anything but white space")
    func cuts() {
        let document = Array(#"{"a":[1,-2.5e+3,true,false,null,"\u00e9\n é",{}],"b":{"c":""}}"#.utf8)
        for length in 0..<document.count { #expect(!isTaken(Data(document[..<length]))) }
        for byte in UInt8.min...UInt8.max {
            #expect(isTaken(Data(document + [byte])) == [0x20, 0x09, 0x0A, 0x0D].contains(byte))
        }
    }

    @Test("a document with any one byte changed gives the same result")
    func replacements() {
        let document = Array(#"{"a":[1,-1.5e1,true,"\u00e9é"],"b":null}"#.utf8)
        for place in document.indices {
            for byte: UInt8 in [
                0, 0x1F, 0x20, 0x22, 0x2C, 0x2D, 0x2E, 0x30, 0x3A, 0x5B, 0x5C, 0x5D, 0x65, 0x75, 0x7B, 0x7D, 0x80, 0xC3, 0xFF,
            ] {
                var changed = document
                changed[place] = byte
                _ = isTaken(Data(changed))
            }
        }
    }
}
