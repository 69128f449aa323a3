/// Draws time spans on one scale, one per line.
package struct BarChart: Sendable {
    /// One span.
    package struct Bar: Sendable {
        let label: String
        /// The start, from the beginning of the chart.
        let start: Duration
        let length: Duration
        let tone: Tone

        var end: Duration { start + length }

        package init(_ label: String, from start: Duration, lasting length: Duration, _ tone: Tone = .plain) {
            self.label = label
            self.start = start
            self.length = length
            self.tone = tone
        }
    }

    /// Spans of one group, under a heading.
    package struct Group: Sendable {
        let title: String
        let bars: [Bar]
    }

    package var groups: [Group]
    /// The greatest width of the bars, in characters. A narrow terminal has shorter ones.
    package var width = 40

    /// The lines, without a final newline: the heading, and for each span its label, its duration as text and its bar. A span
    /// has at least one character, unless its duration is zero.
    package func rendered(_ palette: Palette = .none) -> String {
        let bars = groups.flatMap(\.bars)
        let whole = bars.map(\.end).max() ?? .zero
        let labels = bars.map(\.label.count).max() ?? 0
        let lengths = bars.map(\.length.readable.count).max() ?? 0
        let width = min(width, palette.columns.map { $0 - labels - lengths - 7 } ?? width)
        return groups.flatMap { group in
            [palette.paint(group.title, .strong)]
                + group.bars.map { bar in
                    let length = bar.length.readable
                    let padding = String(repeating: " ", count: labels - bar.label.count + 2 + lengths - length.count)
                    let line = "  \(bar.label)\(padding)\(length)"
                    let drawn = drawn(bar, of: whole, within: width, palette)
                    return drawn.isEmpty ? line : "\(line)  \(drawn)"
                }
        }.joined(separator: "\n")
    }

    private func drawn(_ bar: Bar, of whole: Duration, within width: Int, _ palette: Palette) -> String {
        guard bar.length > .zero, width > 0 else { return "" }
        let first = min(max(0, Int(bar.start / whole * Double(width))), width - 1)
        let end = max(first + 1, min(Int((bar.end / whole * Double(width)).rounded()), width))
        return String(repeating: " ", count: first) + palette.paint(String(repeating: "█", count: end - first), bar.tone)
    }
}
