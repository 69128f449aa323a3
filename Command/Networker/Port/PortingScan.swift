/// Finds in source text what other clients name otherwise.
struct PortingScan {
    struct Finding: Equatable {
        let line: Int
        /// `TargetType`, `var parameters`, `import Moya`
        let found: String
        let row: PortingRow
    }

    private let tokens: [SwiftText.Token]
    /// The kinds of the types around the next token, with the number of braces that were open before each.
    private var scopes: [(kinds: Set<PortingRow.Kind>, depth: Int)] = []
    private var depth = 0
    private var index = 0
    private(set) var findings: [Finding] = []

    init(_ source: String) {
        tokens = SwiftText(source).tokens
        while index < tokens.count {
            step()
            index += 1
        }
    }

    /// The text of a token, by its distance from the next one.
    private func text(_ distance: Int) -> String {
        tokens.indices.contains(index + distance) ? tokens[index + distance].text : ""
    }

    private mutating func step() {
        switch text(0) {
        case "{": depth += 1
        case "}":
            depth -= 1
            while let scope = scopes.last, depth <= scope.depth { scopes.removeLast() }
        case "struct", "class", "enum", "actor", "extension", "protocol": enterType()
        case "var", "let": noteProperty()
        case "func": noteMethod()
        default: break
        }
        for row in PortingTable.rows {
            for form in row.forms where matches(form.tokens) { note(form.text, row) }
        }
    }

    private mutating func note(_ found: String, _ row: PortingRow) {
        let finding = Finding(line: tokens[index].line, found: found, row: row)
        if !findings.contains(finding) { findings.append(finding) }
    }

    /// Whether the next tokens are those of a form. A name behind a dot is a member's, unless the form begins with the dot.
    private func matches(_ form: [String]) -> Bool {
        guard form.first == text(0), form.indices.allSatisfy({ form[$0] == text($0) }) else { return false }
        return form[0] == "." || text(-1) != "."
    }

    /// `enum Orders: Endpoint {`, `extension Orders: TargetType where … {`
    private mutating func enterType() {
        var inherited: Set<String> = []
        var isInherited = false
        var distance = 1
        while text(distance) != "{" {
            // `class func` and `class var` begin no type.
            guard !["func", "var", "let", "}", "=", ""].contains(text(distance)) else { return }
            if text(distance) == ":" { isInherited = true }
            if text(distance) == "where" { isInherited = false }
            if isInherited { inherited.insert(text(distance)) }
            distance += 1
        }
        scopes.append((Set(PortingRow.Kind.allCases.filter { !inherited.isDisjoint(with: $0.protocols) }), depth))
    }

    /// The kinds of the type whose member is declared here.
    private var kinds: Set<PortingRow.Kind> {
        guard let scope = scopes.last, depth == scope.depth + 1 else { return [] }
        return scope.kinds
    }

    private mutating func noteProperty() {
        guard text(2) == ":" else { return }
        let name = (isStatic ? "static " : "") + text(1)
        for kind in kinds {
            for row in PortingTable.rows {
                if let members = row.members, members.kind == kind, members.names.contains(name) {
                    note("\(text(0)) \(text(1))", row)
                }
                guard let right = row.declarations, right.kind == kind, let type = right.rightForms[name] else { continue }
                let found = type.indices.map { text(3 + $0) }
                // A longer type continues behind the right one: `Headers?`, `Parameters.Type`.
                let next = text(3 + type.count)
                if found != type || next == "?" || next == "." { note("\(text(0)) \(text(1))", row) }
            }
        }
    }

    private var isStatic: Bool {
        let modifiers = [
            "public", "package", "internal", "private", "fileprivate", "open", "final", "override", "lazy", "nonisolated",
        ]
        var distance = -1
        while modifiers.contains(text(distance)) { distance -= 1 }
        return text(distance) == "static" || text(distance) == "class"
    }

    private mutating func noteMethod() {
        guard text(2) == "(" else { return }
        var parameters: [String] = []
        var open = 0
        repeat {
            let token = text(2 + parameters.count)
            guard !token.isEmpty else { return }
            open += token == "(" ? 1 : token == ")" ? -1 : 0
            parameters.append(token)
        } while open > 0
        for kind in kinds {
            for row in PortingTable.rows {
                guard let right = row.declarations, right.kind == kind, let form = right.rightForms[text(1)] else { continue }
                let isRight = parameters.count == form.count && zip(parameters, form).allSatisfy { $0 == $1 || $1 == "x" }
                if !isRight { note("func \(text(1))", row) }
            }
        }
    }
}
