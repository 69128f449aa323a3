import ArgumentParser
import CoreAPI
import Foundation

/// The bytes of `--data`.
struct CallBody: Sendable, Hashable {
    let bytes: Data
    let isFromStandardInput: Bool

    /// - Parameter text: the body itself, or `@` and the name of a file that contains it; `@-` for standard input.
    /// - Throws: `ValidationError` when the file cannot be read.
    init(_ text: String) throws {
        let file = text.after("@").map { CommandFile(String($0)) }
        isFromStandardInput = file?.isStandardInput == true
        bytes = try file?.data(for: "the body") ?? Data(text.utf8)
    }

    /// The media type that the bytes look like; a header `Content-Type` overrides it.
    var contentType: String {
        if (try? JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed)) != nil { return "application/json" }
        return String(validating: bytes, as: UTF8.self) == nil ? "application/octet-stream" : "text/plain; charset=utf-8"
    }
}
