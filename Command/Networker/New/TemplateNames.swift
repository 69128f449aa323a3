import CoreAPI

/// The name of a channel: `BK`. Its module is `BKNetworker`, and its static property `.bk`.
struct ChannelName: Sendable, Hashable {
    let text: String

    /// At most 12 characters, so that with a feature's 24 the written lines have at most 130.
    ///
    /// - Throws: ``Rejection`` for a name that a module or a static property cannot have.
    init(_ text: String) throws {
        guard text.isTypeName, text.count <= 12 else {
            let words = text.words
            let whole = words.joined()
            let better = whole.count <= 4 ? whole.uppercased() : words.map(\.capitalised).joined()
            throw Rejection(
                "expected a channel's name of at most 12 letters and digits with a capital first, such as BK, "
                    + "got '\(text.escapingControls)'",
                do: better.isTypeName && better.count <= 12 ? "write \(better)" : "choose a short name, such as BK")
        }
        // ChannelNetworker is the kit's; `.self` and `.init` are the language's.
        guard !["channel", "self", "init"].contains(text.lowercased()) else {
            throw Rejection("the name '\(text)' is taken, by Swift or by the kit", do: "choose another one, such as BK")
        }
        guard !Self.errorsOfKit.contains(text) else {
            throw Rejection(
                "the name '\(text)' is taken: the kit has a type \(text)Error, as the channel would",
                do: "choose another one, such as BK")
        }
        self.text = text
    }

    /// The first parts of the kit's public types that end in `Error`.
    static let errorsOfKit: Set<String> = [
        "APIClient", "Body", "Download", "Fixture", "Request", "Stream", "Transport", "Verification",
    ]

    /// The static property: `bk` for BK, `httpBin` for HTTPBin.
    var property: String { text.uncapitalised }
}

/// The name of a feature: `OrderList`.
struct FeatureName: Sendable, Hashable {
    let text: String

    /// - Throws: ``Rejection`` for a name that a type, an enum's case or a method cannot have.
    init(_ text: String) throws {
        guard text.isTypeName, text.count <= 24 else {
            let better = text.words.map(\.capitalised).joined()
            throw Rejection(
                "expected a feature's name of at most 24 letters and digits with a capital first, such as OrderList, "
                    + "got '\(text.escapingControls)'",
                do: better.isTypeName && better.count <= 24 ? "write \(better)" : "choose a short name, such as OrderList")
        }
        guard !["output", "networkmanager", "request", "self", "init"].contains(text.lowercased()) else {
            throw Rejection(
                "the name '\(text)' is taken: an interactor has '\(text.uncapitalised)' already",
                do: "choose another one, such as OrderList")
        }
        self.text = text
    }

    /// The case and the method: `orderList`.
    var member: String { text.uncapitalised }
    /// For sentences: `order list`.
    var phrase: String {
        text.words.map { $0.allSatisfy(\.isUppercase) && $0.count > 1 ? $0 : $0.lowercased() }.joined(separator: " ")
    }
    /// For files and paths: `order-list`.
    var slug: String { text.words.map { $0.lowercased() }.joined(separator: "-") }
}

extension String {
    /// A declaration's name, in backticks if it is a keyword.
    var declared: String {
        Self.keywords.contains(self) ? "`\(self)`" : self
    }

    private static let keywords: Set<String> = [
        "actor", "as", "associatedtype", "async", "await", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import",
        "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
        "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias",
        "var", "where", "while",
    ]

    /// A parameter's name in Swift: `bookId` for book_id; `nil` for a text with other characters than letters, digits, `-` and
    /// `_`.
    var parameterName: String? {
        guard let first = utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20),
            utf8.allSatisfy({ $0 < 0x80 && (Character(Unicode.Scalar($0)).isLetter || "0123456789-_".utf8.contains($0)) })
        else { return nil }
        let words = words
        return words[0].lowercased() + words.dropFirst().map(\.capitalised).joined()
    }

    fileprivate var isTypeName: Bool {
        guard let first, first.isUppercase else { return false }
        return allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    fileprivate var capitalised: String { prefix(1).uppercased() + dropFirst() }

    fileprivate var uncapitalised: String {
        let capitals = prefix { $0.isUppercase || $0.isNumber }
        let rest = dropFirst(capitals.count)
        // The last capital before a small letter begins the next word: `urlList` for URLList.
        let first = rest.isEmpty || capitals.count == 1 ? capitals.count : capitals.count - 1
        return prefix(first).lowercased() + dropFirst(first)
    }

    /// The words of `orderList`, `order-list` or `URLList`, without other characters.
    fileprivate var words: [String] {
        let characters = Array(self)
        var words: [String] = []
        var word = ""
        for (index, character) in characters.enumerated() {
            guard character.isASCII, character.isLetter || character.isNumber else {
                if !word.isEmpty { words.append(word) }
                word = ""
                continue
            }
            let next = index + 1 < characters.count ? characters[index + 1] : nil
            let beginsWord =
                character.isUppercase
                && (word.last.map { !$0.isUppercase } ?? true || (next?.isLowercase ?? false))
            if beginsWord, !word.isEmpty {
                words.append(word)
                word = ""
            }
            word.append(character)
        }
        return word.isEmpty ? words : words + [word]
    }
}
