/// What a piece of text means to its reader; which colour that is, if any, is the ``Palette``'s business.
enum Tone: Sendable, Hashable {
    case plain, strong, quiet, good, warning, bad
}

/// Paints text for a terminal, or leaves it alone.
struct Palette: Sendable, Hashable {
    /// Whether anything is painted at all.
    let isColoured: Bool

    /// Leaves everything alone.
    static let none = Palette(isColoured: false)

    init(isColoured: Bool) {
        self.isColoured = isColoured
    }

    /// Colour only where a person looks at a terminal that can show it and has not asked for none (https://no-color.org: any
    /// value but the empty one).
    init(isTerminal: Bool, variables: [String: String]) {
        isColoured = isTerminal && (variables["NO_COLOR"] ?? "").isEmpty && variables["TERM"] != "dumb"
    }

    func paint(_ text: String, _ tone: Tone) -> String {
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
