extension [String] {
    /// `A`, `A or B`, `A, B or C`, for an error message. Always English, like the rest of the message.
    package var alternatives: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }

    /// The text that a mistyped word probably means, in any case; `nil` if no text or several are equally near.
    ///
    /// One typing error is allowed for each three characters begun: in a name of two letters, one.
    func nearest(to word: String) -> String? {
        let distances = map { (text: $0, typos: $0.lowercased().typingErrors(from: word.lowercased())) }
        guard let least = distances.map(\.typos).min(), least <= (word.count + 2) / 3 else { return nil }
        let nearest = Set(distances.filter { $0.typos == least }.map(\.text))
        return nearest.count == 1 ? nearest.first : nil
    }
}

extension String {
    /// How many characters were left out, added, replaced or exchanged with their neighbour (optimal string alignment).
    fileprivate func typingErrors(from other: String) -> Int {
        let mine = Array(self)
        let theirs = Array(other)
        var rows = [Array(0...theirs.count)]
        for i in mine.indices {
            var row = [i + 1]
            for j in theirs.indices {
                var least = Swift.min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (mine[i] == theirs[j] ? 0 : 1))
                if i > 0, j > 0, mine[i] == theirs[j - 1], mine[i - 1] == theirs[j] {
                    least = Swift.min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[mine.count][theirs.count]
    }
}
