/// The meaning of a piece of text; the ``Palette`` chooses its colour.
package enum Tone: Sendable, Hashable {
    case plain, strong, quiet, good, warning, bad
}

/// Colours text for a terminal, or leaves it unchanged, and knows the terminal's width.
package struct Palette: Sendable, Hashable {
    /// Whether text is coloured.
    package let isColoured: Bool
    /// The width of the terminal in characters; `nil` if it is not known, or if there is no terminal.
    package let columns: Int?

    /// Leaves all text unchanged.
    package static let none = Palette(isColoured: false)

    package init(isColoured: Bool, columns: Int? = nil) {
        self.isColoured = isColoured
        self.columns = columns
    }

    /// Colours text only for a terminal that can show colours, unless `NO_COLOR` has a value that is not empty
    /// (https://no-color.org).
    package init(isTerminal: Bool, columns: Int? = nil, variables: [String: String]) {
        isColoured = isTerminal && (variables["NO_COLOR"] ?? "").isEmpty && variables["TERM"] != "dumb"
        self.columns = columns
    }

    package func paint(_ text: String, _ tone: Tone) -> String {
        guard isColoured, !text.isEmpty, let code = Self.code(of: tone) else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }

    /// SGR parameters (ECMA-48 §8.3.117).
    private static func code(of tone: Tone) -> String? {
        switch tone {
        case .plain: nil
        case .strong: "1"
        case .quiet: "2"
        case .good: "32"
        case .warning: "33"
        case .bad: "31"
        }
    }
}
