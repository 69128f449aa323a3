import Testing

@testable import networker

@Suite("Colour")
struct PaletteTests {
    @Test(
        "is for terminals only, and not for who wants none",
        arguments: [
            (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
            (true, ["TERM": "dumb"], false), (true, ["TERM": "xterm"], true),
        ] as [(Bool, [String: String], Bool)])
    func when(isTerminal: Bool, variables: [String: String], expected: Bool) {
        #expect(Palette(isTerminal: isTerminal, variables: variables).isColoured == expected)
    }

    @Test("is put around text and taken back behind it")
    func paint() {
        #expect(Palette(isColoured: true).paint("x", .good) == "\u{1B}[32mx\u{1B}[0m")
        #expect(Palette(isColoured: true).paint("x", .plain) == "x")
        #expect(Palette.none.paint("x", .good) == "x")
    }
}
