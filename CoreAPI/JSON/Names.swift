internal import Foundation

/// Converts keys between snake case and camel case, as Foundation does.
enum SnakeCase {
    /// `one_two__three_` becomes `oneTwoThree_`. Leading and trailing underscores stay. A single word is unchanged.
    static func decoded(_ name: String) -> String {
        guard let first = name.firstIndex(where: { $0 != "_" }), let last = name.lastIndex(where: { $0 != "_" }) else {
            return name
        }
        let words = name[first...last].split(separator: "_")
        guard words.count > 1, let head = words.first else { return name }
        let joined = head.lowercased() + words.dropFirst().map(\.capitalized).joined()
        return name[..<first] + joined + name[name.index(after: last)...]
    }

    /// `oneTwoURLThree` becomes `one_two_url_three`. The last of several capitals begins a word if a small letter follows.
    static func encoded(_ name: String) -> String {
        guard !name.isEmpty else { return name }
        var words: [Substring] = []
        var start = name.startIndex
        var rest = name[name.index(after: start)...]
        while let upper = rest.unicodeScalars.firstIndex(where: isUpper) {
            words.append(name[start..<upper])
            start = upper
            let letters = name[upper...].unicodeScalars
            guard let lower = letters.firstIndex(where: { $0.properties.generalCategory == .lowercaseLetter }) else { break }
            if lower != name.index(after: upper) {
                let last = name.index(before: lower)
                words.append(name[upper..<last])
                start = last
            }
            rest = name[name.unicodeScalars.index(after: lower)...]
        }
        words.append(name[start...])
        return words.map { $0.lowercased() }.joined(separator: "_")
    }

    private static func isUpper(_ scalar: Unicode.Scalar) -> Bool {
        let category = scalar.properties.generalCategory
        return category == .uppercaseLetter || category == .titlecaseLetter
    }
}

/// The keys that a strategy has converted, cached for one document.
final class ConvertedNames {
    private let convert: (String) -> String
    private var known: [String: String] = [:]

    init(_ convert: @escaping (String) -> String) { self.convert = convert }

    func converted(_ name: String) -> String {
        // Not cached beyond ASCII: equal strings may differ in bytes.
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return convert(name) }
        if let known = known[name] { return known }
        let converted = convert(name)
        known[name] = converted
        return converted
    }
}

extension String {
    /// The most combining marks in a row that a key may have. Stream-Safe Text Format has the same limit (UAX #15); no language
    /// needs more.
    static let combiningMarkLimit = 30

    /// Whether more combining marks follow each other. To compare or hash a string, the standard library sorts them in quadratic
    /// time: a key of 40 KB takes seconds, one of 1 MB an hour.
    var hasEndlessCombiningMarks: Bool {
        // Each takes at least two bytes.
        guard utf8.count > 2 * Self.combiningMarkLimit else { return false }
        var count = 0
        for scalar in unicodeScalars {
            let isMark = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
            count = isMark ? count + 1 : 0
            if count > Self.combiningMarkLimit { return true }
        }
        return false
    }
}
