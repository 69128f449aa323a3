import ArgumentParser
import CoreAPI
import Foundation

/// The bytes of `--data`.
struct CallBody: Sendable, Hashable {
    let bytes: Data

    /// - Parameter text: the body itself, or `@` and the name of a file that contains it.
    /// - Throws: `ValidationError` when the file cannot be read.
    init(_ text: String) throws {
        guard text.hasPrefix("@") else {
            bytes = Data(text.utf8)
            return
        }
        let path = String(text.dropFirst())
        do {
            bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ValidationError("cannot read the body from '\(path.escapingControls)': \(error.localizedDescription)")
        }
    }

    /// The media type that the bytes look like; `--header 'Content-Type: …'` overrides it.
    var contentType: String {
        if (try? JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed)) != nil { return "application/json" }
        return String(validating: bytes, as: UTF8.self) == nil ? "application/octet-stream" : "text/plain; charset=utf-8"
    }
}
