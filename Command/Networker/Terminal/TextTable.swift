import CoreAPI

/// Rows under headings, aligned for a terminal.
///
/// Widths are counted in grapheme clusters, so that `ç` counts as one.
package struct TextTable: Sendable {
    /// A heading and the alignment of its column.
    package struct Column: Sendable {
        package enum Alignment: Sendable {
            case leading, trailing
        }

        let title: String
        let alignment: Alignment

        package init(_ title: String, _ alignment: Alignment = .leading) {
            self.title = title
            self.alignment = alignment
        }
    }

    /// One piece of text. Its colour is separate, so that it adds no width.
    package struct Cell: Sendable, ExpressibleByStringInterpolation {
        let text: String
        let tone: Tone

        package init(_ text: String, _ tone: Tone = .plain) {
            // A server's text must neither break the line nor control the terminal.
            self.text = text.escapingControls
            self.tone = tone
        }

        package init(stringLiteral text: String) {
            self.init(text)
        }
    }

    package let columns: [Column]
    private(set) var rows: [[Cell]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row. Missing cells are empty; cells beyond the last column are dropped.
    package mutating func add(_ cells: [Cell]) {
        rows.append(Array((cells + Array(repeating: "", count: max(0, columns.count - cells.count))).prefix(columns.count)))
    }

    /// The lines, without a final newline, with two spaces between columns and no trailing spaces.
    ///
    /// A terminal that is too narrow for a table of more than two columns has a line for each cell instead, after its heading.
    package func rendered(_ palette: Palette = .none) -> String {
        let headings = columns.map { Cell($0.title, .strong) }
        let widths = columns.indices.map { index in
            ([headings] + rows).map { $0[index].text.count }.max() ?? 0
        }
        if let room = palette.columns, columns.count > 2, widths.reduce(-2, { $0 + $1 + 2 }) > room { return records(palette) }
        return ([headings] + rows).map { line($0, widths: widths, palette) }.joined(separator: "\n")
    }

    /// The rows, separated by empty lines.
    private func records(_ palette: Palette) -> String {
        let width = columns.map(\.title.count).max() ?? 0
        var first: Cell = ""
        return rows.map { row in
            // A table leaves out the first cell if it is that of the row above.
            if let cell = row.first, !cell.text.isEmpty { first = cell }
            return zip(columns, [first] + row.dropFirst()).filter { !$1.text.isEmpty }.map { column, cell in
                let padding = String(repeating: " ", count: width - column.title.count + 2)
                return palette.paint(column.title, .quiet) + padding + palette.paint(cell.text, cell.tone)
            }.joined(separator: "\n")
        }.joined(separator: "\n\n")
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
