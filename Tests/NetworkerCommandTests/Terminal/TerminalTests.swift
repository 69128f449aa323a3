import TestSupport

@testable import NetworkerCommand

@Suite("Alternatives")
struct AlternativesTests {
    @Test("read as a sentence", arguments: [([], ""), (["A"], "A"), (["A", "B"], "A or B"), (["A", "B", "C"], "A, B or C")])
    func sentence(words: [String], text: String) { #expect(words.alternatives == text) }

    @Test(
        "have one that a mistyped word probably means",
        arguments: [
            ("orders", "Orders"), ("ordres", "Orders"), ("oders", "Orders"), ("ordders", "Orders"), ("TZ", "TY"), ("yt", "TY"),
            ("invoice", nil), ("XX", nil), ("", nil), ("ML", "ML"), ("KL", nil),
        ] as [(String, String?)])
    func nearest(word: String, meant: String?) { #expect(["Orders", "TY", "ML", "DL"].nearest(to: word) == meant) }
}

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
        let palette = Palette(isColoured: true)
        #expect(palette.paint("x", .good) == "\u{1B}[32mx\u{1B}[0m" && palette.paint("x", .plain) == "x")
        #expect(Palette.none.paint("x", .good) == "x")
    }
}

@Suite("A signal that stops the command", .timeLimit(.minutes(1)))
struct StopSignalTests {
    @Test("is heard at once, and after it the next one has its usual effect")
    func atOnce() async {
        // Nothing else sends this one.
        let stop = StopSignal([SIGUSR1])
        kill(getpid(), SIGUSR1)
        #expect(await stop.wait() == SIGUSR1)
        #expect(signal(SIGUSR1, SIG_IGN) == nil, "the default handler, which is null")
    }

    @Test("is none if the waiting task is cancelled")
    func cancelled() async {
        let stop = StopSignal([SIGUSR2])
        let waiting = Task { await stop.wait() }
        waiting.cancel()
        #expect(await waiting.value == nil)
    }
}

@Suite("A bar chart")
struct BarChartTests {
    @Test("draws all spans on one scale")
    func scale() {
        let bars: [BarChart.Bar] = [
            .init("DNS", from: .zero, lasting: .milliseconds(10)),
            .init("wait", from: .milliseconds(10), lasting: .milliseconds(30)),
        ]
        #expect(
            BarChart(groups: [.init(title: "attempt 1", bars: bars)], width: 8).rendered() == """
                attempt 1
                  DNS   10.0 ms  ██
                  wait  30.0 ms    ██████
                """)
    }

    @Test("shows every span with a duration, and none without")
    func extremes() {
        let bars: [BarChart.Bar] = [
            .init("a", from: .zero, lasting: .seconds(1)), .init("b", from: .seconds(1), lasting: .nanoseconds(1)),
            .init("c", from: .zero, lasting: .zero),
        ]
        let lines = BarChart(groups: [.init(title: "", bars: bars)], width: 10).rendered().split(separator: "\n")
        #expect(lines.map { $0.count { $0 == "█" } } == [10, 1, 0])
        #expect(lines.allSatisfy { $0.count <= 2 + 1 + 2 + 6 + 2 + 10 })
    }

    @Test("has shorter bars on a narrow terminal, and none on a very narrow one")
    func narrow() {
        let bar = BarChart.Bar("a", from: .zero, lasting: .seconds(1))
        let chart = BarChart(groups: [.init(title: "t", bars: [bar])])
        let lines = { (columns: Int) in
            chart.rendered(Palette(isColoured: false, columns: columns)).split(separator: "\n").map(\.count)
        }
        #expect(lines(90).max() == 53 && lines(38).max() == 37 && lines(10).max() == 11)
    }

    @Test("renders no lines without spans")
    func empty() { #expect(BarChart(groups: []).rendered().isEmpty) }
}

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

    /// A table with the columns a and b.
    private func table(_ rows: [TextTable.Cell]...) -> TextTable {
        var table = TextTable([.init("a"), .init("b")])
        for row in rows { table.add(row) }
        return table
    }

    @Test("counts grapheme clusters, and gives colour no width")
    func width() {
        let turkish = table(["çanta", "1"], ["c\u{327}anta", "2"]).rendered()
        #expect(turkish.split(separator: "\n").allSatisfy { $0.count == 8 })
        let coloured = table([.init("x", .bad), "1"]).rendered(Palette(isColoured: true))
        #expect(coloured.hasSuffix("\u{1B}[31mx\u{1B}[0m  1"))
    }

    @Test("shows control characters instead of obeying them")
    func controls() {
        let text = table(["x\u{1B}[2J\ny", ""]).rendered()
        #expect(!text.contains("\u{1B}") && text.split(separator: "\n").count == 2)
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
    func raggedRows() { #expect(table(["1"], ["1", "2", "3"]).rows.allSatisfy { $0.count == 2 }) }
}

@Suite("Amounts for people")
struct ReadableAmountsTests {
    @Test(
        "durations have three digits and a unit",
        arguments: [
            (Duration.zero, "0 µs"), (.microseconds(870), "870 µs"), (.nanoseconds(999_499), "999 µs"),
            (.nanoseconds(999_600), "1.0 ms"), (.microseconds(1_240), "1.2 ms"), (.microseconds(99_940), "99.9 ms"),
            (.microseconds(99_960), "100 ms"),
            (.milliseconds(120), "120 ms"), (.microseconds(999_600), "1.00 s"), (.milliseconds(1_240), "1.24 s"),
            (.milliseconds(59_999), "1 min 0 s"), (.seconds(125), "2 min 5 s"), (.milliseconds(-5), "-5.0 ms"),
        ])
    func durations(duration: Duration, text: String) { #expect(duration.readable == text) }

    @Test(
        "bytes are counted in powers of 1,000",
        arguments: [
            (Int64(0), "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_249, "1.2 kB"), (9_949, "9.9 kB"), (9_960, "10 kB"),
            (999_400, "999 kB"), (999_600, "1.0 MB"), (5_000_000_000, "5.0 GB"), (.max, "9223 PB"),
        ])
    func bytes(count: Int64, text: String) { #expect(count.readableBytes == text) }

    @Test("milliseconds for programs are exact to the microsecond")
    func milliseconds() { #expect(Duration.nanoseconds(1_234_567).milliseconds == 1.235) }
}
