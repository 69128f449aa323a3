import CoreAPI

/// The path of a new endpoint. A name in braces becomes a value of the endpoint's case: `books/{id}`.
struct PathTemplate: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case text(String)
        case parameter(String)
    }

    private var parts: [Part] = []

    /// The names of the values, in their order.
    var parameters: [String] {
        parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The content of a Swift string: `books/\(segment: id)`.
    var code: String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .parameter(let name): "\\(segment: \(name.declared))"
            }
        }.joined()
    }

    /// The path with the same text in place of each value.
    func filled(with value: String) -> String {
        parts.map { if case .text(let text) = $0 { text } else { value } }.joined()
    }

    /// - Throws: ``Rejection`` for a path that a Swift string or a fixture's first line would read otherwise, and for an unfit
    ///   name.
    init(_ text: String) throws {
        let shown = text.escapingControls
        var rest = text.unicodeScalars.drop { $0 == "/" }
        guard !rest.isEmpty else { throw Self.unfit(shown) }
        var query = false
        while !rest.isEmpty {
            let literal = rest.prefix { $0 != "{" && $0 != "}" }
            if !literal.isEmpty { parts.append(.text(String(literal))) }
            query = query || literal.contains("?")
            rest = rest.dropFirst(literal.count)
            guard !rest.isEmpty else { break }
            guard rest.first == "{", let end = rest.firstIndex(of: "}") else { throw Self.unfit(shown) }
            let name = String(rest[rest.index(after: rest.startIndex)..<end])
            guard !query else {
                throw Rejection(
                    "expected parameters in the path alone, got '{\(name.escapingControls)}' after '?'",
                    do: "leave it out of --path; an item of the query is a part of the endpoint's params")
            }
            parts.append(.parameter(try Self.checked(name)))
            rest = rest[rest.index(after: end)...]
        }
        try check(shown)
    }

    private func check(_ shown: String) throws {
        let path = filled(with: "x")
        let isPlain = path.utf8.allSatisfy { byte in
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            return byte < 0x80 && (isLetter || "0123456789-._~/?=&,:;@!$+*%".utf8.contains(byte))
        }
        guard isPlain, (try? HTTPURL("https://host/\(path)"))?.target == "/\(path)", shown.utf8.count <= 60 else {
            throw Self.unfit(shown)
        }
        guard Set(parameters).count == parameters.count else {
            throw Rejection("expected each parameter once in '\(shown)'", do: "write --path books/{id}/pages/{page}")
        }
        // So that the written lines have at most 130 columns.
        guard parameters.reduce(0, { $0 + 2 * $1.utf8.count + 4 }) <= 70 else {
            throw Rejection(
                "the parameters of '\(shown)' are too many, or too long", do: "write shorter ones, such as books/{id}")
        }
    }

    private static func unfit(_ shown: String) -> Rejection {
        Rejection(
            "expected a path such as orders, orders/{id} or orders?page=1 after --path, got '\(shown)'",
            do: "write --path orders/{id}; {id} becomes a value of the endpoint's case")
    }

    private static func checked(_ name: String) throws -> String {
        let parameter = name.parameterName
        guard let parameter, !["self", "init", "body", "request", "networkManager", "let", "var", "inout"].contains(parameter)
        else {
            throw Rejection(
                "expected a parameter's name such as id or book_id, got '{\(name.escapingControls)}'",
                do: parameter.map { "the written code needs the name '\($0)' itself; choose another one, such as id" }
                    ?? "write letters, digits, - and _ with a letter first, such as orders/{id}")
        }
        return parameter
    }
}
