import CoreAPI

/// Rows under headings, lined up for a terminal.
///
/// A value: it is filled, then rendered. Widths are counted in characters as a person sees them, so that `ç` is one.
struct TextTable: Sendable {
    /// A heading and the side on which its cells line up.
    struct Column: Sendable {
        enum Alignment: Sendable {
            case leading, trailing
        }

        let title: String
        let alignment: Alignment

        init(_ title: String, _ alignment: Alignment = .leading) {
            self.title = title
            self.alignment = alignment
        }
    }

    /// One piece of text. Its colour is kept apart, so that it adds no width.
    struct Cell: Sendable, ExpressibleByStringInterpolation {
        let text: String
        let tone: Tone

        init(_ text: String, _ tone: Tone = .plain) {
            // What a server sent must neither break the line nor steer the terminal.
            self.text = text.escapingControls
            self.tone = tone
        }

        init(stringLiteral text: String) {
            self.init(text)
        }
    }

    let columns: [Column]
    private(set) var rows: [[Cell]] = []

    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row. Missing cells are empty; those beyond the last column are left out.
    mutating func add(_ cells: [Cell]) {
        rows.append(Array((cells + Array(repeating: "", count: max(0, columns.count - cells.count))).prefix(columns.count)))
    }

    /// The lines, without a newline at the end, with two spaces between columns and no spaces at the ends of lines.
    func rendered(_ palette: Palette = .none) -> String {
        let headings = columns.map { Cell($0.title, .strong) }
        let widths = columns.indices.map { index in
            ([headings] + rows).map { $0[index].text.count }.max() ?? 0
        }
        return ([headings] + rows).map { line($0, widths: widths, palette) }.joined(separator: "\n")
    }

    private func line(_ cells: [Cell], widths: [Int], _ palette: Palette) -> String {
        var line = ""
        var owed = 0
        for (index, cell) in cells.enumerated() {
            let padding = widths[index] - cell.text.count
            let isTrailing = columns[index].alignment == .trailing
            if !cell.text.isEmpty {
                line += String(repeating: " ", count: owed + (isTrailing ? padding : 0)) + palette.paint(cell.text, cell.tone)
                owed = isTrailing ? 0 : padding
            } else {
                owed += padding
            }
            owed += 2
        }
        return line
    }
}
