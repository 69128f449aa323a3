import CoreAPI
import Foundation

/// Results for programs: indented, keys sorted, so that two runs can be compared line by line.
package enum JSONOutput {
    package static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self).escapingControlsOfJSON
    }
}

extension String {
    /// The same JSON without characters that control a terminal. Unescaped ones occur in strings only.
    package var escapingControlsOfJSON: String {
        guard unicodeScalars.contains(where: { $0.value >= 0x7F && $0.isControlOrFormat }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            guard scalar.value >= 0x7F, scalar.isControlOrFormat else { return text.unicodeScalars.append(scalar) }
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
