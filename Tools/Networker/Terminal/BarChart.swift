/// Spans of time drawn on one scale, line below line, so that it is seen what a call waited for.
struct BarChart: Sendable {
    /// One span.
    struct Bar: Sendable {
        let label: String
        /// From the beginning of the chart.
        let start: Duration
        let length: Duration
        let tone: Tone

        var end: Duration { start + length }

        init(_ label: String, from start: Duration, lasting length: Duration, _ tone: Tone = .plain) {
            self.label = label
            self.start = start
            self.length = length
            self.tone = tone
        }
    }

    /// Spans that belong together, under a heading.
    struct Group: Sendable {
        let title: String
        let bars: [Bar]
    }

    var groups: [Group]
    /// Characters that the whole time is drawn on.
    var width = 40

    /// The lines, without a newline at the end: heading, and for each span its label, its length in words and in characters. A
    /// span is at least one character, however short, because it did take place; one of no length has none.
    func rendered(_ palette: Palette = .none) -> String {
        let bars = groups.flatMap(\.bars)
        let whole = bars.map(\.end).max() ?? .zero
        let labels = bars.map(\.label.count).max() ?? 0
        let lengths = bars.map(\.length.readable.count).max() ?? 0
        return groups.flatMap { group in
            [palette.paint(group.title, .strong)]
                + group.bars.map { bar in
                    let length = bar.length.readable
                    let padding = String(repeating: " ", count: labels - bar.label.count + 2 + lengths - length.count)
                    let line = "  \(bar.label)\(padding)\(length)"
                    let drawn = drawn(bar, of: whole, palette)
                    return drawn.isEmpty ? line : "\(line)  \(drawn)"
                }
        }.joined(separator: "\n")
    }

    private func drawn(_ bar: Bar, of whole: Duration, _ palette: Palette) -> String {
        guard bar.length > .zero, width > 0 else { return "" }
        let first = min(Int(bar.start / whole * Double(width)), width - 1)
        let end = max(first + 1, min(Int((bar.end / whole * Double(width)).rounded()), width))
        return String(repeating: " ", count: first) + palette.paint(String(repeating: "█", count: end - first), bar.tone)
    }
}
