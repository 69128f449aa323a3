/// Keys in camel case and what they are in snake case, remembered for one document.
struct SnakeCase {
    private var known: [String: String] = [:]

    mutating func converted(_ name: String) -> String {
        // Other strings can be equal and not the same.
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return Self.convert(name) }
        if let known = known[name] { return known }
        let converted = Self.convert(name)
        known[name] = converted
        return converted
    }

    /// `oneTwoURLThree` becomes `one_two_url_three`: of several capitals in a row the last begins a word, if something small
    /// follows.
    private static func convert(_ name: String) -> String {
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
