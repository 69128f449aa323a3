import CoreAPIJSON
import TestSupport

@Suite("Strings, beside the standard library's")
struct StringTests {
    /// Both sides of every bound in the table of well-formed sequences (Unicode 17, table 3-7).
    private static let leads: [UInt8] = [
        0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    private static let others: [UInt8] = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2]

    private static let sequences: [[UInt8]] = {
        var sequences = leads.map { [$0] }
        var longest = sequences
        for length in 2...4 {
            // Shorter sequences have covered the lead bytes of shorter sequences.
            let extended = longest.filter { length < 4 || $0[0] >= 0xED }
            longest = extended.flatMap { sequence in others.map { sequence + [$0] } }
            sequences += longest
        }
        return sequences
    }()

    @Test("every kind of UTF-8 sequence, valid or not, at every offset of a string, with and without an escape")
    func sequences() {
        let decoder = JSONBodyDecoder()
        var sound = 0
        for (index, sequence) in Self.sequences.enumerated() {
            // A sequence may lie in one word, in two, or at the end.
            let text =
                Array("0123456789abcdefg".utf8.prefix(index % 18)) + sequence + Array("0123456789é".utf8.prefix(index % 13))
            let expected = String(validating: text, as: UTF8.self)
            sound += expected == nil ? 0 : 1
            let plain = try? decoder.decode(String.self, from: Data([0x22] + text + [0x22]))
            let escaped = try? decoder.decode(String.self, from: Data([0x22] + text + Array(#"\t\u00e9"#.utf8) + [0x22]))
            if plain != expected { Issue.record("\(text): \(plain.debugDescription), expected \(expected.debugDescription)") }
            if escaped != expected.map({ $0 + "\té" }) { Issue.record("\(text), escaped: \(escaped.debugDescription)") }
        }
        #expect(Self.sequences.count == 20 + 20 * 9 + 20 * 81 + 9 * 729)
        #expect(sound > 100)
    }

    @Test("escapes between any numbers of letters", arguments: ["", "é", "中"])
    func escapes(other: String) throws {
        let decoder = JSONBodyDecoder()
        let escapes: [(text: String, value: String)] = [
            (#"\n"#, "\n"), (#"\""#, "\""), (#"\\"#, "\\"), (#"\\\\"#, "\\\\"), (#"\u0041"#, "A"), (#"\u00e9"#, "é"),
            (#"\uD83D\uDE00"#, "😀"), (#"\u0000"#, "\0"), ("", ""),
        ]
        let letters = String(repeating: "abcdefghij", count: 4)
        for before in 0...17 {
            for after in [0, 1, 7, 8, 9, 16, 33] {
                for escape in escapes {
                    let (head, tail) = (letters.prefix(before) + other, other + letters.prefix(after))
                    // Text after the string must not get into it.
                    let document = "[\"\(head)\(escape.text)\(tail)\",\"\\\\\",\"\(letters)\"]"
                    let value = try decoder.decode([String].self, from: Data(document.utf8))
                    if value != [head + escape.value + tail, "\\", letters] { Issue.record("\(document): \(value)") }
                }
            }
        }
    }

    @Test("a control character is rejected at every offset, with and without an escape")
    func controls() {
        let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        let escape = Array(#"\n"#.utf8)
        for control in [UInt8(0x01), 0x0A, 0x1F] {
            for place in 0...20 {
                let word = letters[..<place] + [control] + letters[place...]
                for text in [word, word + escape, escape + word] {
                    let document = Data([0x22] + text + [0x22])
                    #expect(throws: DecodingError.self) { try JSONBodyDecoder().decode(String.self, from: document) }
                }
            }
        }
    }
}
