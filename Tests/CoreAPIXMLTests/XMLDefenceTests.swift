import CoreAPIXML
import TestSupport

@Suite("Hostile XML", .timeLimit(.minutes(1)))
struct XMLDefenceTests {
    final class Tree: Decodable { var a: Tree? }

    private func rejection(_ document: Data) -> String? {
        do {
            _ = try BodyCoder.xml.decode(Tree.self, from: document)
            return nil
        } catch DecodingError.dataCorrupted(let context) {
            return context.debugDescription
        } catch { return "another error: \(error)" }
    }

    private func nested(_ depth: Int) -> Data {
        Data((String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)).utf8)
    }

    @Test("nesting is accepted up to its limit")
    func depth() async {
        #expect(rejection(nested(128)) == nil)
        #expect(rejection(nested(129))?.contains("128 elements") == true)
        #expect(rejection(nested(1_000_000))?.contains("128 elements") == true)
        #expect(rejection(Data(String(repeating: "<a x='>'>", count: 1_000_000).utf8))?.contains("128 elements") == true)
        #expect(rejection(Data(("<a><!-- <a> -->" + String(repeating: "<a/>", count: 1_000) + "</a>").utf8)) == nil)
    }

    @Test("endless attributes are rejected")
    func attributes() {
        let many = "<a " + (0..<100_000).map { "x\($0)='1'" }.joined(separator: " ") + "/>"
        #expect(rejection(Data(many.utf8))?.contains("256 attributes") == true)
    }

    @Test(
        "a document type declaration is rejected, in UTF-16 too, and text that looks like one is not",
        arguments: [String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf16BigEndian])
    func entities(encoding: String.Encoding) throws {
        var laughs = "<!DOCTYPE l [<!ENTITY a0 \"lol\">"
        for level in 1...12 { laughs += "<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">" }
        for document in [
            laughs + "]><l>&a12;</l>", "<!DOCTYPE a SYSTEM \"http://127.0.0.1/x.dtd\"><a/>",
            "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>",
        ] {
            let data = try #require(document.data(using: encoding))
            #expect(rejection(data)?.contains("document type") == true)
        }
        let harmless = try #require("<a><!-- <!DOCTYPE x> --><b><![CDATA[<!DOCTYPE html>]]></b></a>".data(using: encoding))
        #expect(rejection(harmless) == nil)
    }

    @Test("an encoding that can hide markup is rejected", arguments: ["utf-7", "ibm037", "iso-2022-jp", "x"])
    func encodings(name: String) {
        #expect(rejection(Data("<?xml version='1.0' encoding=\"\(name)\"?><a/>".utf8))?.contains(name) == true)
    }

    @Test(
        "comments and instructions are removed, with any content", arguments: ["<?x?>", "<?x y?>", "<!---->", "<!-- <b> -->"])
    func nothing(markup: String) {
        #expect(rejection(Data("<a>\(markup)<a>\(markup)</a></a>".utf8)) == nil)
        #expect(rejection(Data("\(markup)<a/>\(markup)".utf8)) == nil)
    }

    @Test(
        "a document that is not well-formed is rejected, because the parser would continue",
        arguments: [
            "", "text", "<a", "<a>", "</a>", "<a></b>", "<a/><a/>", "<a/>text", "<a x=1/>", "<a x/>", "<a x='1' x='2'/>",
            "<a x='<'/>", "<a x='1'y='2'/>", "<a>&b;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#+65;</a>", "<a>&#;</a>",
            "<a>&#x;</a>", "<a>&amp</a>", "<a>\u{1}</a>", "<:a/>", "<a:/>", "<a:b:c/>", "<1/>", "</a<?x?>", "<a><![CDATA[</a>",
            "<!ELEMENT a>", "<![CDATA[x]]><a/>", "<a><!-- </a>", "<?x",
        ])
    func malformed(document: String) { #expect(rejection(Data(document.utf8))?.contains("the XML is rejected") == true) }

    @Test(
        "a well-formed document is decoded",
        arguments: ["<a>&lt;&#65;&#x1F600;</a>", "<n:a xmlns:n='u' n:x = \"1>2\" ></n:a >", "<ğ/>"])
    func wellFormed(document: String) { #expect(rejection(Data(document.utf8)) == nil) }

    @Test("a document changed at any byte is a value or an error")
    func mutations() {
        let document = Array(
            "<?xml version='1.0' encoding='UTF-8'?><a xmlns:n='u' n:y='2' x='1'><a><![CDATA[b]]></a><!-- c --><?d e?></a>".utf8)
        var generator = SplitMix(1)
        for _ in 0..<20_000 {
            var changed = document
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<changed.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: changed[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: changed.remove(at: place)
                default: changed.insert("<>/&'\"![]-?".utf8.randomElement(using: &generator) ?? 0, at: place)
                }
            }
            _ = rejection(Data(changed))
        }
    }
}
