import CoreAPI

/// The text of a `Package.swift`, edited without evaluating it: adds elements to the array literals in its call of `Package`.
struct ManifestText: Sendable, Hashable {
    /// A manifest whose form this type does not know.
    struct Unknown: Error, Hashable {
        let reason: String
    }

    private(set) var text: String

    init(_ text: String) {
        self.text = text
    }

    /// The arguments of `Package`, in the order that the initializer demands.
    private static let order = [
        "name", "defaultLocalization", "platforms", "pkgConfig", "providers", "products", "traits", "dependencies", "targets",
        "swiftLanguageModes", "swiftLanguageVersions", "cLanguageStandard", "cxxLanguageStandard",
    ]

    /// Adds elements at the end of an argument's array literal, or adds the argument.
    ///
    /// - Throws: ``Unknown`` if the value begins with something else than an array literal.
    mutating func add(_ elements: [String], to label: String) throws(Unknown) {
        let source = ManifestSource(text)
        let arguments = try source.arguments(ofCallTo: "Package")
        if let argument = arguments.first(where: { $0.label == label }) {
            try add(elements, in: source, at: argument.value.lowerBound, what: "'\(label)'")
            return
        }
        let rank = Self.order.firstIndex(of: label) ?? Self.order.count
        let earlier = arguments.last { (Self.order.firstIndex(of: $0.label) ?? Self.order.count) < rank }
        guard let earlier else { throw Unknown(reason: "the call of Package has no name") }
        let lines = elements.map { $0.indented(by: 8) + ",\n" }.joined()
        let new = ",\n    \(label): [\n\(lines)    ]"
        text = source.replacing(earlier.value.upperBound..<earlier.value.upperBound, with: new)
    }

    /// Adds an element at the end of the array literal of `let <name> = […]`.
    mutating func add(_ element: String, toConstant name: String) throws(Unknown) {
        let source = ManifestSource(text)
        guard let start = source.value(ofConstant: name) else { throw Unknown(reason: "there is no 'let \(name) = ['") }
        let end = try source.end(ofArrayAt: start)
        let isEmpty = source.lastCode(in: start + 1..<end) == nil
        text = source.replacing(end..<end, with: isEmpty ? element : ", \(element)")
    }

    private mutating func add(_ elements: [String], in source: ManifestSource, at start: Int, what: String) throws(Unknown) {
        guard source.code[start] == "[" else { throw Unknown(reason: "the value of \(what) does not begin with '['") }
        let end = try source.end(ofArrayAt: start)
        let indent = source.indentation(ofLineAt: start)
        let lines = elements.map { $0.indented(by: indent + 4) + ",\n" }.joined()
        let closing = String(repeating: " ", count: indent)
        let inside = start + 1..<end
        let last = source.lastCode(in: inside)
        let comma = last.map { source.code[$0] == "," ? "" : "," } ?? ""
        if let newline = source.lastNewline(in: (last.map { $0 + 1 } ?? inside.lowerBound)..<end) {
            // The bracket is on a line of its own; comments above it stay above the new elements.
            text = source.replacing(newline + 1..<newline + 1, with: lines)
            if let last { text = ManifestSource(text).replacing(last + 1..<last + 1, with: comma) }
        } else if let last, let first = inside.first(where: { source.code[$0] != " " }), !source.hasNewline(in: inside) {
            let old = source.text(in: first..<last + 1).indented(by: indent + 4)
            text = source.replacing(inside, with: "\n\(old)\(comma)\n\(lines)\(closing)")
        } else {
            text = source.replacing(end..<end, with: "\(comma)\n\(lines)\(closing)")
        }
    }
}

/// Swift source as characters of one scalar each, beside a copy in which comments are blanks and the characters of strings are
/// underscores. A quote before a combining mark is a quote to the compiler, too.
struct ManifestSource {
    private let characters: [Character]
    /// As long as the source.
    private(set) var code: [Character]

    init(_ text: String) {
        characters = text.unicodeScalars.map { Character($0) }
        code = characters
        var index = 0
        blankCode(from: &index, until: nil)
    }

    func text(in range: Range<Int>) -> String { String(characters[range]) }

    func replacing(_ range: Range<Int>, with new: String) -> String {
        String(characters[..<range.lowerBound]) + new + String(characters[range.upperBound...])
    }

    // MARK: - Structure

    struct Argument {
        let label: String
        let value: Range<Int>
    }

    /// - Throws: ``ManifestText/Unknown`` unless there is exactly one such call.
    func arguments(ofCallTo name: String) throws(ManifestText.Unknown) -> [Argument] {
        let calls = positions(of: name).compactMap { start -> Int? in
            let next = code[(start + name.count)...].firstIndex { !$0.isWhitespace }
            return next.flatMap { code[$0] == "(" ? $0 : nil }
        }
        guard calls.count == 1, let open = calls.first else {
            throw ManifestText.Unknown(reason: "expected one call of \(name)(…), found \(calls.count)")
        }
        var arguments: [Argument] = []
        var start = open + 1
        var depth = 0
        for index in code.indices[(open + 1)...] {
            switch code[index] {
            case "(", "[", "{": depth += 1
            case ")" where depth == 0, "," where depth == 0:
                if let argument = argument(in: start..<index) { arguments.append(argument) }
                if code[index] == ")" { return arguments }
                start = index + 1
            case ")", "]", "}": depth -= 1
            default: break
            }
        }
        throw ManifestText.Unknown(reason: "the call of \(name) has no end")
    }

    private func argument(in range: Range<Int>) -> Argument? {
        guard let colon = code[range].firstIndex(of: ":"), let last = lastCode(in: range), last > colon,
            let first = code[(colon + 1)...last].firstIndex(where: { !$0.isWhitespace })
        else { return nil }
        let label = String(code[range.lowerBound..<colon]).filter { !$0.isWhitespace }
        return Argument(label: label, value: first..<last + 1)
    }

    /// The opening bracket of `let name = [`.
    func value(ofConstant name: String) -> Int? {
        positions(of: name).lazy.compactMap { start -> Int? in
            let rest = code[(start + name.count)...]
            guard let equals = rest.firstIndex(where: { !$0.isWhitespace }), code[equals] == "=",
                let open = code[(equals + 1)...].firstIndex(where: { !$0.isWhitespace }), code[open] == "["
            else { return nil }
            return String(code[..<start]).trailingWord == "let" ? open : nil
        }.first
    }

    /// The bracket that ends the array.
    func end(ofArrayAt start: Int) throws(ManifestText.Unknown) -> Int {
        var depth = 0
        for index in code.indices[start...] {
            switch code[index] {
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                depth -= 1
                if depth == 0 { return index }
            default: break
            }
        }
        throw ManifestText.Unknown(reason: "an array has no end")
    }

    func lastCode(in range: Range<Int>) -> Int? { code[range].lastIndex { !$0.isWhitespace } }
    func lastNewline(in range: Range<Int>) -> Int? { code[range].lastIndex(where: \.isNewline) }
    func hasNewline(in range: Range<Int>) -> Bool { code[range].contains(where: \.isNewline) }

    func indentation(ofLineAt index: Int) -> Int {
        let start = code[..<index].lastIndex(where: \.isNewline).map { $0 + 1 } ?? 0
        return characters[start...].prefix { $0 == " " }.count
    }

    /// Where the identifier stands, on its own and not after a dot.
    private func positions(of name: String) -> [Int] {
        let name = Array(name)
        return code.indices.filter { start in
            guard code[start...].starts(with: name) else { return false }
            let before = start > 0 ? code[start - 1] : " "
            let after = start + name.count < code.count ? code[start + name.count] : " "
            return !(before.isIdentifier || before == ".") && !after.isIdentifier
        }
    }

    // MARK: - Comments and strings

    /// Blanks comments and strings up to an unmatched closing parenthesis, or to the end.
    private mutating func blankCode(from index: inout Int, until end: Character?) {
        var depth = 0
        while index < code.count {
            if isAt(index, "//") {
                while index < code.count, !characters[index].isNewline { blank(&index) }
            } else if isAt(index, "/*") {
                blankComment(from: &index)
            } else if let hashes = hashesOfString(at: index) {
                blankString(from: &index, hashes: hashes)
            } else {
                if code[index] == "(" { depth += 1 }
                if code[index] == ")" {
                    if depth == 0, end == ")" { return }
                    depth -= 1
                }
                index += 1
            }
        }
    }

    /// Comments nest.
    private mutating func blankComment(from index: inout Int) {
        var depth = 0
        repeat {
            if isAt(index, "/*") {
                depth += 1
                blank(&index)
            } else if isAt(index, "*/") {
                depth -= 1
                blank(&index)
            }
            if index < code.count { blank(&index) }
        } while depth > 0 && index < code.count
    }

    /// The number of `#` before the quote of a string that begins here.
    private func hashesOfString(at index: Int) -> Int? {
        let hashes = characters[index...].prefix { $0 == "#" }.count
        return isAt(index + hashes, "\"") ? hashes : nil
    }

    private mutating func blankString(from index: inout Int, hashes: Int) {
        let hash = String(repeating: "#", count: hashes)
        index += hashes
        let quotes = isAt(index, "\"\"\"") ? "\"\"\"" : "\""
        index += quotes.count
        while index < code.count, !isAt(index, quotes + hash) {
            if isAt(index, "\\" + hash + "(") {
                for _ in 0..<hashes + 2 { blank(&index, with: "_") }
                blankCode(from: &index, until: ")")
            } else if isAt(index, "\\" + hash) {
                for _ in 0..<hashes + 1 { blank(&index, with: "_") }
            }
            if index < code.count { blank(&index, with: "_") }
        }
        index = min(code.count, index + quotes.count + hashes)
    }

    private mutating func blank(_ index: inout Int, with character: Character = " ") {
        code[index] = character
        index += 1
    }

    private func isAt(_ index: Int, _ text: String) -> Bool {
        index < characters.count && characters[index...].starts(with: text)
    }
}

extension Character {
    fileprivate var isIdentifier: Bool { isLetter || isNumber || self == "_" || self == "`" }
}

extension String {
    /// Every line that is not empty, so many spaces to the right.
    func indented(by count: Int) -> String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : String(repeating: " ", count: count) + $0 }.joined(separator: "\n")
    }

    fileprivate var trailingWord: String {
        var rest = self[...]
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest.reversed().prefix { $0.isLetter }.reversed())
    }
}
