internal import Foundation

/// Keys in snake case and in camel case.
enum SnakeCase {
    /// `one_two__three_` becomes `oneTwoThree_`: underscores in front and at the end stay. A name of one word stays as it is.
    static func decoded(_ name: String) -> String {
        guard let first = name.firstIndex(where: { $0 != "_" }), let last = name.lastIndex(where: { $0 != "_" }) else {
            return name
        }
        let words = name[first...last].split(separator: "_")
        guard words.count > 1, let head = words.first else { return name }
        let joined = head.lowercased() + words.dropFirst().map(\.capitalized).joined()
        return name[..<first] + joined + name[name.index(after: last)...]
    }

    /// `oneTwoURLThree` becomes `one_two_url_three`: of several capitals in a row the last begins a word, if something small
    /// follows.
    static func encoded(_ name: String) -> String {
        guard !name.isEmpty else { return name }
        var words: [Substring] = []
        var start = name.startIndex
        var rest = name[name.index(after: start)...]
        while let upper = rest.unicodeScalars.firstIndex(where: isUpper) {
            words.append(name[start..<upper])
            start = upper
            guard
                let lower = name[upper...].unicodeScalars.firstIndex(where: { $0.properties.generalCategory == .lowercaseLetter })
            else { break }
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
