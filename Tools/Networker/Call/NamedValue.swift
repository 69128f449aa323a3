import ArgumentParser
import CoreAPI

/// One `name=value` of the command line.
struct NamedValue: Sendable, Hashable {
    let name: String
    let value: String

    /// - Parameter text: split at its first `=`; the value may be empty, the name may not.
    /// - Throws: `ValidationError` that states what was expected.
    init(_ text: String) throws {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw ValidationError("expected name=value, such as q=shoes, got '\(text.escapingControls)'")
        }
        name = String(text[..<equals])
        value = String(text[text.index(after: equals)...])
    }
}

/// Values as an endpoint's parameters: in order, all as text. A repeated name becomes a list.
struct NamedValues: Encodable, Sendable {
    private let names: [String]
    private let values: [String: [String]]

    init(_ items: [NamedValue]) {
        var names: [String] = []
        var values: [String: [String]] = [:]
        for item in items {
            if values[item.name] == nil { names.append(item.name) }
            values[item.name, default: []].append(item.value)
        }
        self.names = names
        self.values = values
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for name in names {
            let values = values[name] ?? []
            if values.count == 1 {
                try container.encode(values[0], forKey: Name(stringValue: name))
            } else {
                try container.encode(values, forKey: Name(stringValue: name))
            }
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
