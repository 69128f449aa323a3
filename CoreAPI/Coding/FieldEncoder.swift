internal import Foundation

/// Flattens any `Encodable` value into names and values, by a ``Parameters/QueryStyle``.
package struct FieldEncoder {
    let style: Parameters.QueryStyle

    package init(style: Parameters.QueryStyle) { self.style = style }

    /// - Returns: nothing for a value that is null.
    /// - Throws: the value's own errors, and `EncodingError` for a top-level value without names, or a number that is not finite.
    package func fields(of parameters: Parameters) throws -> [(name: String, value: String)] {
        let node = try NodeEncoder(style: style, codingPath: []).node(for: parameters.value)
        if case .null = node { return [] }
        guard case .object(let members) = node else {
            throw EncodingError.invalidValue(
                parameters.value,
                .init(codingPath: [], debugDescription: "expected names and values, such as a dictionary or a struct"))
        }
        var fields: [(name: String, value: String)] = []
        for member in members { flatten(member.node, name: member.name, into: &fields) }
        return fields
    }

    private func flatten(_ node: Node, name: String, into fields: inout [(name: String, value: String)]) {
        switch node {
        case .null: break
        case .scalar(let text): fields.append((name, text))
        case .object(let members):
            for member in members { flatten(member.node, name: "\(name)[\(member.name)]", into: &fields) }
        case .array(let all):
            // Dropped before numbering: a gap would make another array.
            let items = all.filter { if case .null = $0 { false } else { true } }
            let isFlat = items.allSatisfy(\.isScalar)
            if isFlat, style.arrays == .commaSeparated {
                let texts = items.compactMap(\.text)
                if !texts.isEmpty { fields.append((name, texts.joined(separator: ","))) }
                return
            }
            for (index, item) in items.enumerated() {
                let itemName =
                    switch style.arrays {
                    case .repeated where isFlat, .commaSeparated where isFlat: name
                    case .brackets where isFlat, .nestedBrackets: "\(name)[]"
                    default: "\(name)[\(index)]"
                    }
                flatten(item, name: itemName, into: &fields)
            }
        }
    }
}

/// An encoded value, before it gets its names.
package enum Node {
    case null
    case scalar(String)
    case array([Node])
    case object([(name: String, node: Node)])

    package var isScalar: Bool {
        switch self {
        case .null, .scalar: true
        case .array, .object: false
        }
    }

    var text: String? {
        if case .scalar(let text) = self { text } else { nil }
    }
}
