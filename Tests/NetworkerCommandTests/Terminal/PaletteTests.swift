import TestSupport

@testable import NetworkerCommand

@Suite("Colour")
struct PaletteTests {
    @Test(
        "is for terminals only, unless NO_COLOR is set",
        arguments: [
            (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
            (true, ["TERM": "dumb"], false), (true, ["TERM": "xterm"], true),
        ] as [(Bool, [String: String], Bool)])
    func when(isTerminal: Bool, variables: [String: String], expected: Bool) {
        #expect(Palette(isTerminal: isTerminal, variables: variables).isColoured == expected)
    }

    @Test("is set before a text and reset after it")
    func paint() {
        #expect(Palette(isColoured: true).paint("x", .good) == "\u{1B}[32mx\u{1B}[0m")
        #expect(Palette(isColoured: true).paint("x", .plain) == "x")
        #expect(Palette.none.paint("x", .good) == "x")
    }
}
