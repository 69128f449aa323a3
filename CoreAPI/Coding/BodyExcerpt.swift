internal import CoreAPIHTTP
internal import CoreAPIJSON
internal import CoreAPIRedaction
internal import Foundation

/// The part of a JSON body around an error, shortened, secrets redacted, without characters that steer a terminal.
struct BodyExcerpt {
    /// The largest number of bytes shown.
    static let length = 200

    let root: JSONNode
    let redaction: Redaction

    /// A short text in which nothing looks like a secret or a secret's name. It is often the cause of the error: `[DONE]`, or
    /// `upstream connect error`.
    ///
    /// - Returns: `nil` for any other body.
    static func short(_ body: Data, _ redaction: Redaction) -> String? {
        // An escape may be a part of a name.
        guard !body.isEmpty, body.count <= length, let text = String(validating: body, as: UTF8.self),
            !text.utf8.contains(UInt8(ascii: "\\")), redaction.redact(text: text) == text
        else { return nil }
        let words = text.split { !$0.isLetter && !$0.isNumber && !"-_".contains($0) }
        guard !(words + text.split(separator: "\"")).contains(where: { redaction.hides($0) }) else { return nil }
        return text.escapingControls
    }

    /// The value at a path, followed as far as possible. A lone scalar explains little, so the object around it is added.
    ///
    /// - Throws: ``JSONSyntaxError`` for an invalid string, number or key.
    func at(_ path: [any CodingKey]) throws -> String {
        var node = root
        var json = RedactedJSON(redaction, upTo: Self.length)
        let isCard = path.contains { SecretNames.isCard($0.stringValue) }
        for key in path {
            guard let (name, value) = try member(key, of: node) else { break }
            if value.isObjectOrArray {
                node = value
                continue
            }
            var scalar = RedactedJSON(redaction)
            if let name { try scalar.write(name, value, isCard: isCard) } else { try scalar.write(value, isCard: isCard) }
            try json.write(node, isCard: isCard)
            return (scalar.text + " in " + json.text).escapingControls.shortened(to: Self.length)
        }
        try json.write(node, isCard: isCard)
        return json.text.escapingControls.shortened(to: Self.length)
    }

    /// The item at an index, or the member of that name, or of a name with the same letters. A path has names as a type spells
    /// them: `userId` may mean `user_id`.
    private func member(_ key: any CodingKey, of node: JSONNode) throws -> (name: String?, value: JSONNode)? {
        switch try node.kind() {
        case .array:
            let items = node.mapItems { $0 }
            return key.intValue.flatMap { items.indices.contains($0) ? (nil, items[$0]) : nil }
        case .object:
            let members = try node.members()
            let wanted = Redaction.normalized(key.stringValue)
            let found = members.first { $0.name == key.stringValue } ?? members.first { Redaction.normalized($0.name) == wanted }
            return found.map { ($0.name, $0.value) }
        default: return nil
        }
    }
}
