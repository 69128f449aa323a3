/// The meaning of a piece of text; the ``Palette`` chooses its colour.
package enum Tone: Sendable, Hashable {
    case plain, strong, quiet, good, warning, bad
}

/// Colours text for a terminal, or leaves it unchanged.
package struct Palette: Sendable, Hashable {
    /// Whether text is coloured.
    package let isColoured: Bool

    /// Leaves all text unchanged.
    package static let none = Palette(isColoured: false)

    package init(isColoured: Bool) {
        self.isColoured = isColoured
    }

    /// Colours text only for a terminal that can show colours, unless `NO_COLOR` has a value that is not empty
    /// (https://no-color.org).
    package init(isTerminal: Bool, variables: [String: String]) {
        isColoured = isTerminal && (variables["NO_COLOR"] ?? "").isEmpty && variables["TERM"] != "dumb"
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
