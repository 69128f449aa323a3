package import CoreAPIJSON

/// JSON written anew with its secrets hidden, up to a number of bytes: the rest is for a reader who cuts it there.
package struct RedactedJSON {
    package private(set) var text = ""
    private let redaction: Redaction
    private let limit: Int

    package init(_ redaction: Redaction, upTo limit: Int = .max) { (self.redaction, self.limit) = (redaction, limit) }

    /// `isCard` says whether the value is a part of a payment card or a bank account. Throws ``JSONSyntaxError`` for an invalid
    /// string, number or key.
    package mutating func write(_ node: JSONNode, isCard: Bool = false) throws {
        switch try node.kind() {
        case .null: text += "null"
        case .bool(let value): text += "\(value)"
        case .number(let number): text += redaction.hidingValues(number) == number ? number : "\"\(Redaction.mask)\""
        case .string(let string): write(string)
        case .array:
            text += "["
            for (index, item) in node.mapItems({ $0 }).enumerated() where text.utf8.count < limit {
                if index > 0 { text += "," }
                try write(item, isCard: isCard)
            }
            text += "]"
        case .object:
            text += "{"
            let members = try node.members()
            // `{"name": "password", "value": …}`, as lists of headers and fields are written.
            let hidesValue = try members.contains { try isNameOfSecret($0.name, $0.value) }
            for (index, member) in members.enumerated() where text.utf8.count < limit {
                if index > 0 { text += "," }
                let isSecret = hidesValue && SecretNames.isValue(member.name)
                try write(member.name, member.value, isCard: isCard, isSecret: isSecret)
            }
            text += "}"
        }
    }

    package mutating func write(_ name: String, _ value: JSONNode, isCard: Bool, isSecret: Bool = false) throws {
        write(name)
        text += ":"
        if isSecret || redaction.hides(name) || isCard && SecretNames.isNumber(name) {
            text += "\"\(Redaction.mask)\""
        } else {
            try write(value, isCard: isCard || SecretNames.isCard(name))
        }
    }

    private func isNameOfSecret(_ name: String, _ value: JSONNode) throws -> Bool {
        guard SecretNames.isName(name), case .string(let named) = try value.kind() else { return false }
        return redaction.hides(named)
    }

    private mutating func write(_ string: String) {
        text += "\""
        for scalar in redaction.redact(sentence: string).unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case "\u{0}"..<" ": text += "\\u" + String(0x1_0000 + scalar.value, radix: 16).dropFirst()
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
