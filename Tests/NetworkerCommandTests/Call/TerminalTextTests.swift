import TestSupport

@testable import NetworkerCommand

@Suite("A body on a terminal while it arrives")
struct TerminalTextTests {
    private func shown(_ chunks: [String]) -> [String] { shown(chunks.map { Data($0.utf8) }) }

    private func shown(_ chunks: [Data]) -> [String] {
        var text = TerminalText()
        let pieces = chunks.map { text.next($0) } + [text.end()]
        return pieces.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("is shown at each chunk, without a line end, and ends with one")
    func atOnce() {
        #expect(shown(["Hel", "lo", " you"]) == ["Hel", "lo", " you", "\n"])
        #expect(shown(["a\nb", "\n"]) == ["a\nb", "\n", ""])
        #expect(shown([""]) == ["", ""])
    }

    @Test("has whole characters and line ends, wherever the chunks are cut", arguments: ["é", "€", "😀", "\r\n", "x\u{301}"])
    func cut(text: String) {
        let bytes = Data("a\(text)b".utf8)
        for cut in 0...bytes.count {
            let whole = shown([Data(bytes[..<cut]), Data(bytes[cut...])]).joined()
            #expect(whole == "a\(text == "\r\n" ? "\n" : text)b\n")
        }
        #expect(shown(bytes.map { Data([$0]) }).joined() == "a\(text == "\r\n" ? "\n" : text)b\n")
    }

    @Test("does not control the terminal, and bytes that are no text hold nothing back")
    func controls() {
        #expect(!shown(["\u{1B}[2", "J"]).joined().contains("\u{1B}"))
        #expect(shown([Data([0xFF, 0x80, 0x80, 0x80]), Data("x".utf8)]).last == "\n")
    }
}
