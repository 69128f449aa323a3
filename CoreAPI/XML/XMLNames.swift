internal import CoreAPICoding
internal import CoreAPICore
internal import Foundation

/// Checks names and characters before they are written. XMLCoder escapes texts, but neither names nor characters that XML
/// forbids.
enum XMLNames {
    /// The name of the type, if it is a valid name in XML.
    static func root(for type: any Encodable.Type) -> String {
        MarkupScanner.isName("\(type)") ? "\(type)" : "root"
    }

    /// - Throws: `EncodingError.invalidValue`.
    static func check(_ name: String) throws {
        guard MarkupScanner.isName(name) else { throw rejection(name, "expected a name in XML (XML 1.0 §2.3), got '\(name)'") }
    }

    /// - Throws: `EncodingError.invalidValue` for a value without names, and for a name or a character that XML forbids.
    static func check(_ value: any Encodable) throws {
        let node = try value.encodedNode()
        guard !node.isScalar else { throw rejection(value, "expected names and values or a list, which XML can put into a root") }
        try check(node)
    }

    private static func check(_ node: Node) throws {
        switch node {
        case .null: break
        case .scalar(let text):
            guard text.unicodeScalars.allSatisfy(MarkupScanner.isCharacter) else {
                throw rejection(text, "expected characters that XML has (XML 1.0 §2.2)")
            }
        case .array(let items): for item in items { try check(item) }
        case .object(let members):
            for member in members {
                // The empty key means an element's own text.
                if !member.name.isEmpty { try check(member.name) }
                try check(member.node)
            }
        }
    }

    private static func rejection(_ value: Any, _ reason: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: [], debugDescription: reason))
    }
}
