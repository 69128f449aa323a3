import ArgumentParser
import CoreAPI
import HTTPTypes

/// One `--header` of the command line.
struct HeaderLine: Sendable, Hashable {
    let name: String
    let value: String

    /// - Parameter text: `Name: value`, split at its first colon.
    /// - Throws: `ValidationError` that states what was expected.
    init(_ text: String) throws {
        guard let colon = text.firstIndex(of: ":") else {
            throw ValidationError("expected 'Name: value', such as 'Accept-Language: tr', got '\(text.escapingControls)'")
        }
        do {
            let field = try HTTPField(checking: String(text[..<colon]), value: String(text[text.index(after: colon)...]))
            name = field.name.rawName
            value = field.value
        } catch {
            throw ValidationError(error.readableDescription)
        }
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
