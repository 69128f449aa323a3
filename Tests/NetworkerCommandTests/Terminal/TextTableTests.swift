import TestSupport

@testable import NetworkerCommand

@Suite("A text table")
struct TextTableTests {
    @Test("lines up its columns and leaves no blanks at the ends of lines")
    func alignment() {
        var table = TextTable([.init("name"), .init("ms", .trailing), .init("note")])
        table.add(["a", "1.2", "x"])
        table.add(["longer", "100", ""])
        #expect(
            table.rendered() == """
                name     ms  note
                a       1.2  x
                longer  100
                """)
    }

    @Test("counts grapheme clusters")
    func turkish() {
        var table = TextTable([.init("a"), .init("b")])
        table.add(["çanta", "1"])
        table.add(["c\u{327}anta", "2"])
        #expect(table.rendered().split(separator: "\n").allSatisfy { $0.count == 8 })
    }

    @Test("gives colour no width, and does not colour blanks")
    func colour() {
        var table = TextTable([.init("a"), .init("b")])
        table.add([.init("x", .bad), "1"])
        #expect(table.rendered(Palette(isColoured: true)).hasSuffix("\u{1B}[31mx\u{1B}[0m  1"))
    }

    @Test("shows control characters instead of obeying them")
    func controls() {
        var table = TextTable([.init("a")])
        table.add([.init("x\u{1B}[2J\ny")])
        #expect(!table.rendered().contains("\u{1B}"))
        #expect(table.rendered().split(separator: "\n").count == 2)
    }

    @Test("has a line for each cell on a terminal that is too narrow, and repeats the first cell")
    func narrow() {
        var table = TextTable([.init("name"), .init("address"), .init("n", .trailing)])
        table.add(["a", "https://a.example", "1"])
        table.add(["", "https://b.example", ""])
        #expect(table.rendered(Palette(isColoured: false, columns: 26)).hasPrefix("name  address            n\n"))
        #expect(
            table.rendered(Palette(isColoured: false, columns: 25)) == """
                name     a
                address  https://a.example
                n        1

                name     a
                address  https://b.example
                """)
    }

    @Test("fills short rows and cuts long ones")
    func raggedRows() {
        var table = TextTable([.init("a"), .init("b")])
        table.add(["1"])
        table.add(["1", "2", "3"])
        #expect(table.rows.allSatisfy { $0.count == 2 })
    }
}
