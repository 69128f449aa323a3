import TestSupport

@testable import NetworkerCommand

@Suite("JSON in lines")
struct JSONIndenterTests {
    @Test("keeps the order of names, the text of numbers, and all that stands in strings")
    func faithful() {
        let json = #"{"z":1.10,"a":[{"b":"x,{\"} \\"},[]], "e" : {},"n":12345678901234567890}"#
        #expect(
            JSONIndenter.indented(Data(json.utf8)) == #"""
                {
                  "z": 1.10,
                  "a": [
                    {
                      "b": "x,{\"} \\"
                    },
                    []
                  ],
                  "e": {},
                  "n": 12345678901234567890
                }
                """#)
    }

    @Test("leaves a lone value alone, and what is no JSON to others")
    func others() {
        #expect(JSONIndenter.indented(Data("\"a b\"".utf8)) == "\"a b\"")
        #expect(JSONIndenter.indented(Data("<html>".utf8)) == nil)
        #expect(JSONIndenter.indented(Data("{}{}".utf8)) == nil)
        #expect(JSONIndenter.indented(Data()) == nil)
    }

    @Test("steers no terminal, and makes no large text of a small one")
    func bounds() {
        let json = "[\"\u{7F}\u{9B}31m\u{202E}ğ\"]"
        #expect(JSONIndenter.indented(Data(json.utf8)) == "[\n  \"\\u007f\\u009b31m\\u202eğ\"\n]")
        let deep =
            String(repeating: "[", count: 400) + String(repeating: "1,", count: 5_000) + "1" + String(repeating: "]", count: 400)
        #expect((JSONIndenter.indented(Data(deep.utf8)) ?? "").utf8.count < 20 * deep.utf8.count)
    }

    @Test("comes out of the command's own JSON as it went in")
    func values() throws {
        let json = #"{"a":[1,2.5,true,null,"x"],"price":1899.9}"#
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == json)
    }
}
