internal import CoreAPIHTTPSupport

/// The modifiers of several levels on their way into one list, farthest first.
struct ModifierLevels {
    private(set) var all: [any RequestModifier] = []
    /// The base URL that the levels select: the highest priority wins, then the nearest.
    private(set) var base: BaseURL?

    /// Adds a level nearer than those before it.
    ///
    /// - Throws: ``RequestError/duplicateModifier(type:)``, ``RequestError/conflictingBaseURLs(_:)``.
    mutating func append(_ level: [any RequestModifier]) throws(RequestError) {
        guard !level.isEmpty else { return }
        try Self.refuseDuplicates(level)
        try take(level.compactMap { $0 as? BaseURL }.filter { $0.string != nil || $0.isIgnoring })
        all += level
    }

    private static func refuseDuplicates(_ level: [any RequestModifier]) throws(RequestError) {
        guard level.count > 1 else { return }
        var seen: [any RequestModifier.Type] = []
        for type in level.map({ type(of: $0) }) where !type.allowsSeveral {
            guard !seen.contains(where: { $0 == type }) else { throw .duplicateModifier(type: "\(type)") }
            seen.append(type)
        }
    }

    private mutating func take(_ bases: [BaseURL]) throws(RequestError) {
        guard let highest = bases.map(\.priority).max() else { return }
        let candidates = Set(bases.filter { $0.priority == highest })
        guard let candidate = candidates.first, candidates.count == 1 else {
            throw .conflictingBaseURLs(candidates.map { $0.string ?? "none" }.sorted())
        }
        if let base, base.priority > candidate.priority { return }
        base = candidate
    }
}
