internal import Foundation

/// Keys in snake case and what they are in camel case, remembered for one document.
final class ConvertedNames {
    private var known: [String: String] = [:]

    func converted(_ name: String) -> String {
        // Other strings can be equal and not the same.
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return Self.convert(name) }
        if let known = known[name] { return known }
        let converted = Self.convert(name)
        known[name] = converted
        return converted
    }

    /// `one_two__three_` becomes `oneTwoThree_`: underscores in front and at the end stay. A name of one word stays as it is.
    private static func convert(_ name: String) -> String {
        guard let first = name.firstIndex(where: { $0 != "_" }), let last = name.lastIndex(where: { $0 != "_" }) else {
            return name
        }
        let words = name[first...last].split(separator: "_")
        guard words.count > 1, let head = words.first else { return name }
        let joined = head.lowercased() + words.dropFirst().map(\.capitalized).joined()
        return name[..<first] + joined + name[name.index(after: last)...]
    }
}
