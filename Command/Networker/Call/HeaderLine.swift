import ArgumentParser
import CoreAPI
import HTTPTypes

/// A header of the command line.
struct HeaderLine: Sendable, Hashable {
    let name: String
    let value: String

    /// - Throws: `ValidationError` that states what was expected.
    init(name: String, value: String) throws {
        let field = try validated { try HTTPField(checking: name, value: value) }
        self.name = field.name.rawName
        self.value = field.value
        guard !["content-length", "transfer-encoding"].contains(name.lowercased()) else {
            throw ValidationError("the kit sends \(self.name) itself; expected no such header")
        }
    }

    /// - Parameter text: `Name: value`, split at its first colon.
    /// - Throws: `ValidationError` that states what was expected.
    init(_ text: String) throws {
        guard let (name, value) = text.split(atFirst: ":") else {
            throw ValidationError("expected 'Name: value', such as 'Accept-Language: tr'; there is no colon")
        }
        try self.init(name: String(name), value: String(value))
    }
}

extension [HeaderLine] {
    /// - Throws: `ValidationError` if a name is given twice, because only one line would be sent.
    func checkNamesAreDistinct() throws {
        var seen: Set<String> = []
        for line in self where !seen.insert(line.name.lowercased()).inserted {
            throw ValidationError("the header '\(line.name)' is given twice; expected one line, its values separated by commas")
        }
    }
}
