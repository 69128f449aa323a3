import TestSupport

@testable import NetworkerCommand

@Suite("A bar chart")
struct BarChartTests {
    @Test("draws all spans on one scale")
    func scale() {
        let chart = BarChart(
            groups: [
                .init(
                    title: "attempt 1",
                    bars: [
                        .init("DNS", from: .zero, lasting: .milliseconds(10)),
                        .init("wait", from: .milliseconds(10), lasting: .milliseconds(30)),
                    ])
            ], width: 8)
        #expect(
            chart.rendered() == """
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
    func empty() {
        #expect(BarChart(groups: []).rendered().isEmpty)
    }
}
